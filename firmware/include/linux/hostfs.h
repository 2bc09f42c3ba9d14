/* SPDX-License-Identifier: GPL-2.0-only */
/* Trees of files that the host serves. */
#ifndef _LINUX_HOSTFS_H
#define _LINUX_HOSTFS_H

#include <linux/fs.h>

/* Shows the tree that the host calls @name; 0 or -errno. */
int hostfs_fill_super(struct super_block *sb, const char *name,
		      const struct inode_operations *dir_operations);

/* What a tree's directories do; those of its own may do some of it. */
extern const struct inode_operations hostfs_dir_inode_operations;
struct dentry *hostfs_lookup(struct inode *dir, struct dentry *dentry,
			     unsigned int flags);
int hostfs_mkdir(struct inode *dir, struct dentry *dentry, umode_t mode);
int hostfs_rmdir(struct inode *dir, struct dentry *dentry);
int hostfs_setattr(struct dentry *dentry, struct iattr *attr);
int hostfs_getattr(const struct path *path, struct kstat *stat,
		   u32 request_mask, unsigned int flags);

#endif
