/* SPDX-License-Identifier: GPL-2.0-only */
/* What statfs() tells. */
#ifndef _UAPI_LINUX_STATFS_H
#define _UAPI_LINUX_STATFS_H

/* As user space sees it on 64-bit architectures. */
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

/* f_flags */
#define ST_RDONLY	0x0001
#define ST_NOSUID	0x0002
#define ST_NODEV	0x0004
#define ST_NOEXEC	0x0008
#define ST_SYNCHRONOUS	0x0010
#define ST_VALID	0x0020
#define ST_NOATIME	0x0400
#define ST_NODIRATIME	0x0800
#define ST_RELATIME	0x1000
#define ST_NOSYMFOLLOW	0x2000

#endif
