/* SPDX-License-Identifier: GPL-2.0-only */
/* Mounting and unmounting file systems. */
#ifndef SYS_MOUNT_H
#define SYS_MOUNT_H

#include <linux/mount.h>

int mount(const char *source, const char *target, const char *type,
	  unsigned long flags, const void *data);
int umount(const char *target);
int umount2(const char *target, int flags);

#endif
