/* SPDX-License-Identifier: GPL-2.0-only */
/* Sets of permissions, and what the kernel knows of a file. */
#ifndef _LINUX_STAT_H
#define _LINUX_STAT_H

#include <linux/time.h>
#include <linux/types.h>
#include <uapi/linux/stat.h>

#define S_IRUGO		00444
#define S_IWUGO		00222
#define S_IXGRP		00010
#define S_IXUGO		00111
#define S_IRWXUGO	00777
#define S_IALLUGO	07777

struct kstat {
	dev_t		dev;
	u64		ino;
	umode_t		mode;
	unsigned int	nlink;
	uid_t		uid;
	gid_t		gid;
	dev_t		rdev;
	loff_t		size;
	struct timespec64 atime;
	struct timespec64 mtime;
	struct timespec64 ctime;
	u32		blksize;
	u64		blocks;		/* of 512 bytes */
};

#endif
