/* SPDX-License-Identifier: GPL-2.0-only */
/* Opening files and duplicating descriptors. */
#ifndef FCNTL_H
#define FCNTL_H

#include <abi.h>

#define O_RDONLY		0
#define O_WRONLY		1
#define O_RDWR			2

#define AT_FDCWD		-100
#define AT_SYMLINK_NOFOLLOW	0x100

#define AT_REMOVEDIR		0x200

#define F_DUPFD			0
#define F_GETFD			1
#define F_SETFD			2
#define F_GETFL			3
#define F_SETFL			4
#define F_DUPFD_CLOEXEC		1030

#define FD_CLOEXEC		1

int open(const char *path, int flags, ...);
int fcntl(int fd, int command, long argument);

#endif
