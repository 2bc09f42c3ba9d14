/* SPDX-License-Identifier: GPL-2.0-only */
/* More than one way to a file: symbolic links and second names. */
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/mount.h>
#include <linux/namei.h>
#include <linux/syscalls.h>

#include "internal.h"

int vfs_symlink(struct inode *dir, struct dentry *dentry, const char *target)
{
	int err = may_create(dir, dentry);

	if (err)
		return err;
	if (!dir->i_op->symlink)
		return -EPERM;
	return dir->i_op->symlink(dir, dentry, target);
}

static int do_symlinkat(struct filename *from, int newdfd, struct filename *to)
{
	struct dentry *dentry;
	struct path path;
	int err;

	if (IS_ERR(from) || IS_ERR(to)) {
		err = IS_ERR(from) ? PTR_ERR(from) : PTR_ERR(to);
		goto out;
	}
	dentry = filename_create(newdfd, to, &path, 0);
	err = PTR_ERR_OR_ZERO(dentry);
	if (!err) {
		err = vfs_symlink(d_inode(path.dentry), dentry, from->iname);
		done_path_create(&path, dentry);
	}
out:
	putname(from);
	putname(to);
	return err;
}

SYSCALL_DEFINE3(symlinkat, const char __user *, oldname, int, newdfd,
		const char __user *, newname)
{
	return do_symlinkat(getname(oldname), newdfd, getname(newname));
}

SYSCALL_DEFINE2(symlink, const char __user *, oldname,
		const char __user *, newname)
{
	return do_symlinkat(getname(oldname), AT_FDCWD, getname(newname));
}

/* Another name for what @old_dentry names; the directory is locked. */
int vfs_link(struct dentry *old_dentry, struct inode *dir,
	     struct dentry *dentry)
{
	struct inode *inode = d_inode(old_dentry);
	int err;

	if (!inode)
		return -ENOENT;
	err = may_create(dir, dentry);
	if (err)
		return err;
	if (dir->i_sb != inode->i_sb)
		return -EXDEV;
	if ((inode->i_flags & (S_APPEND | S_IMMUTABLE)) || !dir->i_op->link ||
	    S_ISDIR(inode->i_mode))
		return -EPERM;
	inode_lock(inode);
	/* It may have been removed since it was looked up. */
	err = inode->i_nlink ? dir->i_op->link(old_dentry, dir, dentry) :
			       -ENOENT;
	inode_unlock(inode);
	return err;
}

static int link_to(const struct path *old, int newdfd, struct filename *name)
{
	struct dentry *dentry;
	struct path path;
	int err;

	dentry = filename_create(newdfd, name, &path, 0);
	if (IS_ERR(dentry))
		return PTR_ERR(dentry);
	err = old->mnt == path.mnt ? vfs_link(old->dentry,
					      d_inode(path.dentry), dentry) :
				     -EXDEV;
	done_path_create(&path, dentry);
	return err;
}

static int do_linkat(int olddfd, struct filename *old, int newdfd,
		     struct filename *new, int flags)
{
	unsigned int how = 0;
	struct path path;
	int err = -EINVAL;

	if (flags & ~(AT_SYMLINK_FOLLOW | AT_EMPTY_PATH))
		goto put_names;
	if (flags & AT_SYMLINK_FOLLOW)
		how |= LOOKUP_FOLLOW;
	err = filename_lookup(olddfd, old, how, &path);
	if (err)
		goto put_names;
	err = PTR_ERR_OR_ZERO(new);
	if (!err)
		err = link_to(&path, newdfd, new);
	path_put(&path);
put_names:
	putname(old);
	putname(new);
	return err;
}

SYSCALL_DEFINE5(linkat, int, olddfd, const char __user *, oldname,
		int, newdfd, const char __user *, newname, int, flags)
{
	return do_linkat(olddfd,
			 getname_flags(oldname, flags & AT_EMPTY_PATH ?
						LOOKUP_EMPTY : 0),
			 newdfd, getname(newname), flags);
}

SYSCALL_DEFINE2(link, const char __user *, oldname,
		const char __user *, newname)
{
	return do_linkat(AT_FDCWD, getname(oldname), AT_FDCWD,
			 getname(newname), 0);
}
