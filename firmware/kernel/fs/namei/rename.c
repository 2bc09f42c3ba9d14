/* SPDX-License-Identifier: GPL-2.0-only */
/* rename: two names, two directories, one tree that must stay one. */
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/namei.h>
#include <linux/syscalls.h>

#include "../mount/mount.h"
#include "internal.h"

/*
 * Locks both directories. Others lock a directory before what it contains, so
 * an ancestor comes first. One rename between two directories at a time: while
 * the mutex is held, ancestors stay ancestors.
 */
static void lock_rename(struct dentry *a, struct dentry *b)
{
	if (a == b) {
		inode_lock(d_inode(a));
		return;
	}
	mutex_lock(&a->d_sb->s_vfs_rename_mutex);
	if (is_subdir(a, b))
		swap(a, b);
	inode_lock(d_inode(a));
	/* In a damaged file system they may be one. */
	if (d_inode(a) != d_inode(b))
		inode_lock(d_inode(b));
}

static void unlock_rename(struct dentry *a, struct dentry *b)
{
	inode_unlock(d_inode(a));
	if (d_inode(a) != d_inode(b))
		inode_unlock(d_inode(b));
	if (a != b)
		mutex_unlock(&a->d_sb->s_vfs_rename_mutex);
}

/* Both directories are locked; an existing target is replaced. */
int vfs_rename(struct inode *old_dir, struct dentry *old_dentry,
	       struct inode *new_dir, struct dentry *new_dentry,
	       unsigned int flags)
{
	struct inode *target = d_inode(new_dentry);
	bool is_dir;
	int err;

	if (d_inode(old_dentry) && d_inode(old_dentry) == target)
		return 0;
	err = may_delete(old_dir, old_dentry, false);
	is_dir = err == -EISDIR;
	if (is_dir)
		err = may_delete(old_dir, old_dentry, true);
	if (err)
		return err;
	err = target ? may_delete(new_dir, new_dentry, is_dir) :
		       may_create(new_dir, new_dentry);
	if (err)
		return err;

	if (!old_dir->i_op->rename)
		return -EPERM;

	if (target)
		inode_lock(target);
	if (is_local_mountpoint(old_dentry) || is_local_mountpoint(new_dentry))
		err = -EBUSY;
	else
		err = old_dir->i_op->rename(old_dir, old_dentry, new_dir,
					    new_dentry, flags);
	if (!err && target) {
		if (is_dir) {
			shrink_dcache_parent(new_dentry);
			target->i_flags |= S_DEAD;
		}
		dont_mount(new_dentry);
	}
	if (target)
		inode_unlock(target);
	if (!err && !(old_dir->i_sb->s_type->fs_flags & FS_RENAME_DOES_D_MOVE))
		d_move(old_dentry, new_dentry);
	return err;
}

/* The directories are locked, the dentries looked up. */
static int rename_dentries(struct dentry *old_dir, struct dentry *old,
			   bool old_slashes, struct dentry *new_dir,
			   struct dentry *new, bool new_slashes,
			   unsigned int flags)
{
	if (d_is_negative(old))
		return -ENOENT;
	if ((flags & RENAME_NOREPLACE) && d_is_positive(new))
		return -EEXIST;
	if (!S_ISDIR(d_inode(old)->i_mode) && (old_slashes || new_slashes))
		return -ENOTDIR;
	if (is_subdir(new_dir, old))
		return -EINVAL;		/* a directory into itself */
	if (is_subdir(old_dir, new))
		return -ENOTEMPTY;	/* the target contains the source */
	return vfs_rename(d_inode(old_dir), old, d_inode(new_dir), new, flags);
}

static int do_renameat2(int olddfd, struct filename *from, int newdfd,
			struct filename *to, unsigned int flags)
{
	struct dentry *old, *new;
	struct path old_path, new_path;
	struct qstr old_last, new_last;
	int old_type, new_type, err;

	err = -EINVAL;
	if (flags & ~RENAME_NOREPLACE)
		goto put_names;
	err = filename_parentat(olddfd, from, 0, &old_path, &old_last,
				&old_type);
	if (err)
		goto put_names;
	err = filename_parentat(newdfd, to, 0, &new_path, &new_last, &new_type);
	if (err)
		goto put_old_path;
	err = -EXDEV;
	if (old_path.mnt != new_path.mnt)
		goto put_paths;
	err = -EBUSY;
	if (old_type != LAST_NORM)
		goto put_paths;
	if (flags & RENAME_NOREPLACE)
		err = -EEXIST;
	if (new_type != LAST_NORM)
		goto put_paths;
	err = mnt_want_write(old_path.mnt);
	if (err)
		goto put_paths;

	lock_rename(old_path.dentry, new_path.dentry);
	old = lookup_one_qstr(&old_last, old_path.dentry, 0);
	err = PTR_ERR_OR_ZERO(old);
	if (err)
		goto unlock;
	new = lookup_one_qstr(&new_last, new_path.dentry,
			      LOOKUP_CREATE | LOOKUP_RENAME_TARGET);
	err = PTR_ERR_OR_ZERO(new);
	if (err)
		goto put_old;
	err = rename_dentries(old_path.dentry, old, old_last.name[old_last.len],
			      new_path.dentry, new,
			      new_last.name[new_last.len], flags);
	dput(new);
put_old:
	dput(old);
unlock:
	unlock_rename(old_path.dentry, new_path.dentry);
	mnt_drop_write(old_path.mnt);
put_paths:
	path_put(&new_path);
put_old_path:
	path_put(&old_path);
put_names:
	putname(from);
	putname(to);
	return err;
}

SYSCALL_DEFINE5(renameat2, int, olddfd, const char __user *, oldname,
		int, newdfd, const char __user *, newname, unsigned int, flags)
{
	return do_renameat2(olddfd, getname(oldname), newdfd, getname(newname),
			    flags);
}

SYSCALL_DEFINE4(renameat, int, olddfd, const char __user *, oldname,
		int, newdfd, const char __user *, newname)
{
	return do_renameat2(olddfd, getname(oldname), newdfd, getname(newname),
			    0);
}

SYSCALL_DEFINE2(rename, const char __user *, oldname,
		const char __user *, newname)
{
	return do_renameat2(AT_FDCWD, getname(oldname), AT_FDCWD,
			    getname(newname), 0);
}
