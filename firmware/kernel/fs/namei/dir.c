/* SPDX-License-Identifier: GPL-2.0-only */
/* Changing directories: making, removing and renaming what is in them. */
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/fs_struct.h>
#include <linux/kernel.h>
#include <linux/namei.h>
#include <linux/syscalls.h>

#include "../mount/mount.h"
#include "internal.h"

/* The directory is locked in all that follows, up to the system calls. */
int may_create(struct inode *dir, struct dentry *child)
{
	if (d_is_positive(child))
		return -EEXIST;
	if (IS_DEADDIR(dir))
		return -ENOENT;
	return inode_permission(dir, MAY_WRITE | MAY_EXEC);
}

int may_delete(struct inode *dir, struct dentry *victim, bool isdir)
{
	int err;

	if (d_is_negative(victim))
		return -ENOENT;
	err = inode_permission(dir, MAY_WRITE | MAY_EXEC);
	if (err)
		return err;
	if (isdir && !S_ISDIR(d_inode(victim)->i_mode))
		return -ENOTDIR;
	if (isdir && IS_ROOT(victim))
		return -EBUSY;
	if (!isdir && S_ISDIR(d_inode(victim)->i_mode))
		return -EISDIR;
	return IS_DEADDIR(dir) ? -ENOENT : 0;
}

int vfs_mkdir(struct inode *dir, struct dentry *dentry, umode_t mode)
{
	int err = may_create(dir, dentry);

	if (err)
		return err;
	if (!dir->i_op->mkdir)
		return -EPERM;
	return dir->i_op->mkdir(dir, dentry, mode & (S_IRWXUGO | S_ISVTX));
}

int vfs_mknod(struct inode *dir, struct dentry *dentry, umode_t mode,
	      dev_t dev)
{
	int err = may_create(dir, dentry);

	if (err)
		return err;
	if (!dir->i_op->mknod)
		return -EPERM;
	return dir->i_op->mknod(dir, dentry, mode, dev);
}

int vfs_rmdir(struct inode *dir, struct dentry *dentry)
{
	int err = may_delete(dir, dentry, true);
	struct inode *inode;

	if (err)
		return err;
	if (!dir->i_op->rmdir)
		return -EPERM;
	inode = d_inode(dentry);
	inode_lock(inode);
	err = is_local_mountpoint(dentry) ? -EBUSY :
	      dir->i_op->rmdir(dir, dentry);
	if (!err) {
		shrink_dcache_parent(dentry);
		inode->i_flags |= S_DEAD;
		dont_mount(dentry);
	}
	inode_unlock(inode);
	if (!err)
		d_delete(dentry);
	return err;
}

int vfs_unlink(struct inode *dir, struct dentry *dentry)
{
	int err = may_delete(dir, dentry, false);
	struct inode *inode;

	if (err)
		return err;
	if (!dir->i_op->unlink)
		return -EPERM;
	inode = d_inode(dentry);
	inode_lock(inode);
	err = is_local_mountpoint(dentry) ? -EBUSY :
	      dir->i_op->unlink(dir, dentry);
	if (!err)
		dont_mount(dentry);
	inode_unlock(inode);
	if (!err)
		d_delete(dentry);
	return err;
}

struct dentry *filename_create(int dfd, struct filename *name,
			       struct path *path, unsigned int lookup_flags)
{
	struct dentry *dentry;
	struct qstr last;
	int type, err, write_err;

	err = filename_parentat(dfd, name, 0, path, &last, &type);
	if (err)
		return ERR_PTR(err);
	if (type != LAST_NORM) {
		path_put(path);
		return ERR_PTR(-EEXIST);
	}
	/* What exists already is the more interesting error. */
	write_err = mnt_want_write(path->mnt);
	inode_lock(d_inode(path->dentry));
	dentry = lookup_one_qstr(&last, path->dentry,
				 LOOKUP_CREATE | LOOKUP_EXCL);
	if (!IS_ERR(dentry)) {
		err = write_err;
		if (d_is_positive(dentry))
			err = -EEXIST;
		else if (last.name[last.len] &&
			 !(lookup_flags & LOOKUP_DIRECTORY))
			err = -ENOENT;
		if (!err)
			return dentry;
		dput(dentry);
		dentry = ERR_PTR(err);
	}
	inode_unlock(d_inode(path->dentry));
	if (!write_err)
		mnt_drop_write(path->mnt);
	path_put(path);
	return dentry;
}

void done_path_create(struct path *path, struct dentry *dentry)
{
	dput(dentry);
	inode_unlock(d_inode(path->dentry));
	mnt_drop_write(path->mnt);
	path_put(path);
}

struct dentry *kern_path_create(const char *name, struct path *path,
				unsigned int lookup_flags)
{
	struct filename *filename = getname_kernel(name);
	struct dentry *dentry;

	if (IS_ERR(filename))
		return ERR_CAST(filename);
	dentry = filename_create(AT_FDCWD, filename, path, lookup_flags);
	putname(filename);
	return dentry;
}

static int do_mkdirat(int dfd, struct filename *name, umode_t mode)
{
	struct dentry *dentry;
	struct path path;
	int err;

	if (IS_ERR(name))
		return PTR_ERR(name);
	dentry = filename_create(dfd, name, &path, LOOKUP_DIRECTORY);
	err = PTR_ERR_OR_ZERO(dentry);
	if (!err) {
		err = vfs_mkdir(d_inode(path.dentry), dentry,
				mode & ~current_umask());
		done_path_create(&path, dentry);
	}
	putname(name);
	return err;
}

SYSCALL_DEFINE3(mkdirat, int, dfd, const char __user *, pathname, umode_t, mode)
{
	return do_mkdirat(dfd, getname(pathname), mode);
}

SYSCALL_DEFINE2(mkdir, const char __user *, pathname, umode_t, mode)
{
	return do_mkdirat(AT_FDCWD, getname(pathname), mode);
}

/* The errors of removing "/", "." and "..", which have no directory entry. */
static inline int rmdir_type_error(int type)
{
	switch (type) {
	case LAST_DOTDOT:
		return -ENOTEMPTY;
	case LAST_DOT:
		return -EINVAL;
	case LAST_ROOT:
		return -EBUSY;
	}
	return 0;
}

/*
 * The removal of @last, which is in @parent, by @remove. The dentry goes
 * outside of the lock: that may free the file's pages.
 */
static int remove_last(struct path *parent, const struct qstr *last,
		       int (*remove)(struct inode *dir, struct dentry *dentry))
{
	struct inode *dir = d_inode(parent->dentry);
	struct dentry *dentry;
	int err = mnt_want_write(parent->mnt);

	if (err)
		return err;
	inode_lock(dir);
	dentry = lookup_one_qstr(last, parent->dentry, 0);
	err = PTR_ERR_OR_ZERO(dentry);
	if (!err)
		err = remove(dir, dentry);
	inode_unlock(dir);
	if (!IS_ERR(dentry))
		dput(dentry);
	mnt_drop_write(parent->mnt);
	return err;
}

static int do_rmdir(int dfd, struct filename *name)
{
	struct path path;
	struct qstr last;
	int type, err;

	err = filename_parentat(dfd, name, 0, &path, &last, &type);
	if (!err) {
		err = rmdir_type_error(type);
		if (!err)
			err = remove_last(&path, &last, vfs_rmdir);
		path_put(&path);
	}
	putname(name);
	return err;
}

SYSCALL_DEFINE1(rmdir, const char __user *, pathname)
{
	return do_rmdir(AT_FDCWD, getname(pathname));
}

/* "name/" can only mean a directory, which unlink does not remove. */
static int slashes_error(struct inode *dir, struct dentry *dentry)
{
	if (d_is_negative(dentry))
		return -ENOENT;
	return S_ISDIR(d_inode(dentry)->i_mode) ? -EISDIR : -ENOTDIR;
}

static int do_unlinkat(int dfd, struct filename *name)
{
	struct path path;
	struct qstr last;
	int type, err;

	err = filename_parentat(dfd, name, 0, &path, &last, &type);
	if (!err) {
		err = type == LAST_NORM ? 0 : -EISDIR;
		if (!err)
			err = remove_last(&path, &last, last.name[last.len] ?
					  slashes_error : vfs_unlink);
		path_put(&path);
	}
	putname(name);
	return err;
}

SYSCALL_DEFINE3(unlinkat, int, dfd, const char __user *, pathname, int, flag)
{
	if (flag & ~AT_REMOVEDIR)
		return -EINVAL;
	if (flag & AT_REMOVEDIR)
		return do_rmdir(dfd, getname(pathname));
	return do_unlinkat(dfd, getname(pathname));
}

SYSCALL_DEFINE1(unlink, const char __user *, pathname)
{
	return do_unlinkat(AT_FDCWD, getname(pathname));
}
