/* SPDX-License-Identifier: GPL-2.0-only */
/* What stdio.c and printf.c share: what a stream is. */
#ifndef LIBC_STREAM_H
#define LIBC_STREAM_H

#include <stdbool.h>
#include <stdio.h>

struct file {
	int fd;
	bool unbuffered;	/* output leaves with the call that made it */
	bool memory;		/* the buffer is all there is: never flushed */
	int error;		/* errno of what failed first */
	bool ended;		/* a read found the end */
	size_t position;	/* next byte to read; bytes waiting to go out */
	size_t length;		/* bytes read */
	char *buffer;
	size_t size;
};

#endif
