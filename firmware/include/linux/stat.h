/* SPDX-License-Identifier: GPL-2.0-only */
/* File types and permission bits, and what the kernel knows of a file. */
#ifndef _LINUX_STAT_H
#define _LINUX_STAT_H

#include <linux/time.h>
#include <linux/types.h>
#include <asm/stat.h>

#define S_IFMT		00170000
#define S_IFLNK		0120000
#define S_IFREG		0100000
#define S_IFSOCK	0140000
#define S_IFBLK		0060000
#define S_IFDIR		0040000
#define S_IFCHR		0020000
#define S_IFIFO		0010000
#define S_ISUID		0004000
#define S_ISGID		0002000
#define S_ISVTX		0001000

#define S_ISLNK(m)	(((m) & S_IFMT) == S_IFLNK)
#define S_ISREG(m)	(((m) & S_IFMT) == S_IFREG)
#define S_ISDIR(m)	(((m) & S_IFMT) == S_IFDIR)
#define S_ISCHR(m)	(((m) & S_IFMT) == S_IFCHR)
#define S_ISBLK(m)	(((m) & S_IFMT) == S_IFBLK)
#define S_ISFIFO(m)	(((m) & S_IFMT) == S_IFIFO)
#define S_ISSOCK(m)	(((m) & S_IFMT) == S_IFSOCK)

#define S_IRUGO		00444
#define S_IWUGO		00222
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
