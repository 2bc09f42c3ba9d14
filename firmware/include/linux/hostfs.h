/* SPDX-License-Identifier: GPL-2.0-only */
/* Trees of files that the host serves. */
#ifndef _LINUX_HOSTFS_H
#define _LINUX_HOSTFS_H

struct super_block;

/* Shows the tree that the host calls @name; 0 or -errno. */
int hostfs_fill_super(struct super_block *sb, const char *name);

#endif
