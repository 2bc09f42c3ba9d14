/* SPDX-License-Identifier: GPL-2.0-only */
/* How full a file system is. */
#ifndef SYS_STATFS_H
#define SYS_STATFS_H

struct statfs {
	long	f_type;
	long	f_bsize;
	long	f_blocks;
	long	f_bfree;
	long	f_bavail;
	long	f_files;
	long	f_ffree;
	int	f_fsid[2];
	long	f_namelen;
	long	f_frsize;
	long	f_flags;
	long	f_spare[4];
};

int statfs(const char *path, struct statfs *st);

#endif
