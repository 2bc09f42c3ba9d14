/* SPDX-License-Identifier: GPL-2.0-only */
/* debugfs: here only where tracefs is found, too. */
#ifndef _LINUX_DEBUGFS_H
#define _LINUX_DEBUGFS_H

#include <linux/fs.h>
#include <linux/types.h>

struct path;
struct vfsmount;

typedef struct vfsmount *(*debugfs_automount_t)(struct dentry *dentry,
						void *data);

/*
 * A directory in @parent (NULL: the root) on which @f's result is mounted by
 * whoever goes there; or an errno.
 */
struct dentry *debugfs_create_automount(const char *name,
					struct dentry *parent,
					debugfs_automount_t f, void *data);

#endif
