/* SPDX-License-Identifier: GPL-2.0-only */
/* Opening files and duplicating descriptors. */
#ifndef FCNTL_H
#define FCNTL_H

#include <linux/fcntl.h>

#define FD_CLOEXEC		1

int open(const char *path, int flags, ...);
int fcntl(int fd, int command, long argument);

#endif
