/* SPDX-License-Identifier: GPL-2.0-only */
/* Mounting and unmounting file systems. */
#ifndef SYS_MOUNT_H
#define SYS_MOUNT_H

#define MS_RDONLY	(1 << 0)
#define MS_NOSUID	(1 << 1)
#define MS_NODEV	(1 << 2)
#define MS_NOEXEC	(1 << 3)
#define MS_SYNCHRONOUS	(1 << 4)
#define MS_REMOUNT	(1 << 5)
#define MS_DIRSYNC	(1 << 7)
#define MS_NOATIME	(1 << 10)
#define MS_NODIRATIME	(1 << 11)
#define MS_BIND		(1 << 12)
#define MS_MOVE		(1 << 13)
#define MS_REC		(1 << 14)
#define MS_SILENT	(1 << 15)
#define MS_PRIVATE	(1 << 18)
#define MS_RELATIME	(1 << 21)
#define MS_STRICTATIME	(1 << 24)

#define MNT_FORCE	1
#define MNT_DETACH	2

int mount(const char *source, const char *target, const char *type,
	  unsigned long flags, const void *data);
int umount(const char *target);
int umount2(const char *target, int flags);

#endif
