/* SPDX-License-Identifier: GPL-2.0-only */
/* What changes of attributes have in common. */
#ifndef _FS_ATTR_INTERNAL_H
#define _FS_ATTR_INTERNAL_H

#include <linux/fs.h>
#include <linux/mount.h>

/* For chmod, chown and utimes: the mount is writable meanwhile. */
static inline int change_attributes(const struct path *path,
				    struct iattr *attr)
{
	struct inode *inode = d_inode(path->dentry);
	int err = mnt_want_write(path->mnt);

	if (err)
		return err;
	inode_lock(inode);
	err = notify_change(path->dentry, attr);
	inode_unlock(inode);
	mnt_drop_write(path->mnt);
	return err;
}

#endif
