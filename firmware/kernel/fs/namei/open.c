/* SPDX-License-Identifier: GPL-2.0-only */
/* Walking a path to open, and perhaps create, what is at its end. */
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/fs_struct.h>
#include <linux/kernel.h>
#include <linux/mount.h>
#include <linux/namei.h>

#include "../internal.h"
#include "internal.h"

int vfs_create(struct inode *dir, struct dentry *dentry, umode_t mode,
	       bool excl)
{
	int err = may_create(dir, dentry);

	if (err)
		return err;
	if (!dir->i_op->create)
		return -EACCES;
	return dir->i_op->create(dir, dentry, (mode & S_IALLUGO) | S_IFREG,
				 excl);
}

/*
 * Looks the last component up in its directory, which is locked. @write_err:
 * why nothing can be created there.
 */
static struct dentry *lookup_open(struct nameidata *nd,
				  const struct open_flags *op, bool *created,
				  int write_err)
{
	struct dentry *dir = nd->path.dentry, *dentry;
	int err;

	dentry = lookup_one_qstr(&nd->last, dir, nd->flags);
	if (IS_ERR(dentry) || d_is_positive(dentry) ||
	    !(op->open_flag & O_CREAT))
		return dentry;
	err = write_err;
	if (!err)
		err = vfs_create(d_inode(dir), dentry,
				 op->mode & ~current_umask(),
				 op->open_flag & O_EXCL);
	if (err) {
		dput(dentry);
		return ERR_PTR(err);
	}
	*created = true;
	return dentry;
}

/* Finds the end of the path; what it returns is as step_into() says. */
static const char *open_last_lookups(struct nameidata *nd,
				     const struct open_flags *op, bool *created)
{
	bool create = op->open_flag & O_CREAT;
	struct inode *dir = d_inode(nd->path.dentry);
	struct dentry *dentry = NULL;
	int write_err = 0;

	nd->flags |= op->intent;
	if (nd->last_type != LAST_NORM)
		return handle_dots(nd);
	if (nd->last.name[nd->last.len]) {
		if (create)
			return ERR_PTR(-EISDIR);
		nd->flags |= LOOKUP_FOLLOW | LOOKUP_DIRECTORY;
	}
	if (!create)
		dentry = lookup_fast(nd);
	if (!dentry) {
		if (create)
			write_err = mnt_want_write(nd->path.mnt);
		inode_lock(dir);
		dentry = lookup_open(nd, op, created, write_err);
		inode_unlock(dir);
		if (create && !write_err)
			mnt_drop_write(nd->path.mnt);
	}
	if (IS_ERR(dentry))
		return ERR_CAST(dentry);
	return step_into(nd, WALK_TRAILING, dentry);
}

bool path_noexec(const struct path *path)
{
	return path->mnt->mnt_flags & MNT_NOEXEC ||
	       path->mnt->mnt_sb->s_flags & SB_NOEXEC;
}

bool may_open_dev(const struct path *path)
{
	return !(path->mnt->mnt_flags & MNT_NODEV) &&
	       !(path->mnt->mnt_sb->s_flags & SB_NODEV);
}

static int may_open(const struct path *path, int acc_mode)
{
	struct inode *inode = d_inode(path->dentry);

	switch (inode->i_mode & S_IFMT) {
	case S_IFLNK:
		return -ELOOP;
	case S_IFDIR:
		if (acc_mode & MAY_WRITE)
			return -EISDIR;
		if (acc_mode & MAY_EXEC)
			return -EACCES;
		break;
	case S_IFBLK:
	case S_IFCHR:
		if (!may_open_dev(path))
			return -EACCES;
		fallthrough;
	case S_IFIFO:
	case S_IFSOCK:
		if (acc_mode & MAY_EXEC)
			return -EACCES;
		break;
	case S_IFREG:
		if ((acc_mode & MAY_EXEC) && path_noexec(path))
			return -EACCES;
		break;
	}
	return inode_permission(inode, acc_mode);
}

static int handle_truncate(struct file *file)
{
	struct inode *inode = file_inode(file);
	int err = get_write_access(inode);

	if (err)
		return err;
	err = do_truncate(file->f_path.dentry, 0, ATTR_MTIME | ATTR_CTIME |
			  ATTR_OPEN, file);
	put_write_access(inode);
	return err;
}

/* Opens what the walk has found. */
static int do_open(struct nameidata *nd, struct file *file,
		   const struct open_flags *op, bool created)
{
	struct inode *inode = d_inode(nd->path.dentry);
	/* The mode of a new file does not bind its creator. */
	int acc_mode = created ? 0 : op->acc_mode;
	bool truncate = (op->open_flag & O_TRUNC) && !created &&
			S_ISREG(inode->i_mode);
	int err;

	if ((op->open_flag & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL) &&
	    !created)
		return -EEXIST;
	if ((op->open_flag & O_CREAT) && S_ISDIR(inode->i_mode))
		return -EISDIR;
	if ((nd->flags & LOOKUP_DIRECTORY) && !S_ISDIR(inode->i_mode))
		return -ENOTDIR;
	if (truncate) {
		err = mnt_want_write(nd->path.mnt);
		if (err)
			return err;
	}
	err = may_open(&nd->path, acc_mode);
	if (!err)
		err = vfs_open(&nd->path, file);
	if (!err && truncate)
		err = handle_truncate(file);
	if (truncate)
		mnt_drop_write(nd->path.mnt);
	return err;
}

/* A file that only stands for its path: nothing is asked of what it is. */
static int do_o_path(struct nameidata *nd, int dfd, struct filename *name,
		     unsigned int flags, struct file *file)
{
	struct path path;
	int err = path_lookupat(nd, dfd, name, flags, &path);

	if (!err) {
		err = vfs_open(&path, file);
		path_put(&path);
	}
	return err;
}

/* Walks to the end of the path, and opens what is there. */
static inline int walk_and_open(struct nameidata *nd, int dfd,
				struct filename *name,
				const struct open_flags *op, struct file *file)
{
	bool created = false;
	const char *s;
	int err;

	set_nameidata(nd);
	s = path_init(nd, dfd, name, op->lookup_flags);
	err = PTR_ERR_OR_ZERO(s);
	while (!err) {
		err = link_path_walk(s, nd);
		if (err)
			break;
		s = open_last_lookups(nd, op, &created);
		if (!s)
			break;
		err = PTR_ERR_OR_ZERO(s);
	}
	if (!err)
		err = do_open(nd, file, op, created);
	terminate_walk(nd);
	restore_nameidata();
	return err;
}

static struct file *path_openat(struct nameidata *nd, int dfd,
				struct filename *name,
				const struct open_flags *op)
{
	struct file *file = alloc_empty_file(op->open_flag);
	int err;

	if (IS_ERR(file))
		return file;
	if (op->open_flag & O_PATH)
		err = do_o_path(nd, dfd, name, op->lookup_flags, file);
	else
		err = walk_and_open(nd, dfd, name, op, file);
	if (err) {
		fput(file);
		return ERR_PTR(err);
	}
	return file;
}

struct file *do_filp_open(int dfd, struct filename *name,
			  const struct open_flags *op)
{
	struct nameidata nd;

	return path_openat(&nd, dfd, name, op);
}
