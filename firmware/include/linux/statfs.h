/* SPDX-License-Identifier: GPL-2.0-only */
/* What there is to know of a whole file system. */
#ifndef _LINUX_STATFS_H
#define _LINUX_STATFS_H

#include <linux/types.h>
#include <uapi/linux/statfs.h>

struct kstatfs {
	long	f_type;
	long	f_bsize;
	u64	f_blocks;
	u64	f_bfree;
	u64	f_bavail;
	u64	f_files;
	u64	f_ffree;
	int	f_fsid[2];
	long	f_namelen;
	long	f_frsize;
	long	f_flags;
};

struct path;

int vfs_statfs(const struct path *path, struct kstatfs *buf);

#endif
