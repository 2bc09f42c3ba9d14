/* SPDX-License-Identifier: GPL-2.0-only */
/* Telling user space what is known of a file. */
#include <linux/errno.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/namei.h>
#include <linux/stat.h>
#include <linux/string.h>
#include <linux/syscalls.h>
#include <linux/uaccess.h>

void generic_fillattr(struct inode *inode, struct kstat *stat)
{
	stat->dev = inode->i_sb->s_dev;
	stat->ino = inode->i_ino;
	stat->mode = inode->i_mode;
	stat->nlink = inode->i_nlink;
	stat->uid = inode->i_uid;
	stat->gid = inode->i_gid;
	stat->rdev = inode->i_rdev;
	stat->size = i_size_read(inode);
	stat->atime = inode->i_atime;
	stat->mtime = inode->i_mtime;
	stat->ctime = inode->i_ctime;
	stat->blksize = 1U << inode->i_blkbits;
	stat->blocks = inode->i_blocks;
}

static int vfs_getattr_nosec(const struct path *path, struct kstat *stat)
{
	struct inode *inode = d_inode(path->dentry);

	memset(stat, 0, sizeof(*stat));
	if (inode->i_op->getattr)
		return inode->i_op->getattr(path, stat, 0, 0);
	generic_fillattr(inode, stat);
	return 0;
}

int vfs_getattr(const struct path *path, struct kstat *stat)
{
	return vfs_getattr_nosec(path, stat);
}

static int vfs_fstat(int fd, struct kstat *stat)
{
	struct fd f = fdget_raw(fd);
	int err;

	if (!f.file)
		return -EBADF;
	err = vfs_getattr(&f.file->f_path, stat);
	fdput(f);
	return err;
}

static int vfs_statx(int dfd, struct filename *filename, int flags,
		     struct kstat *stat)
{
	unsigned int lookup_flags = 0;
	struct path path;
	int err;

	if (flags & ~(AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT | AT_EMPTY_PATH))
		return -EINVAL;
	if (!(flags & AT_SYMLINK_NOFOLLOW))
		lookup_flags |= LOOKUP_FOLLOW;
	if (!(flags & AT_NO_AUTOMOUNT))
		lookup_flags |= LOOKUP_AUTOMOUNT;
	err = filename_lookup(dfd, filename, lookup_flags, &path);
	if (err)
		return err;
	err = vfs_getattr(&path, stat);
	path_put(&path);
	return err;
}

static int vfs_fstatat(int dfd, const char __user *filename, struct kstat *stat,
		       int flags)
{
	struct filename *name = getname_flags(filename, flags & AT_EMPTY_PATH ?
							LOOKUP_EMPTY : 0);
	int err = vfs_statx(dfd, name, flags, stat);

	putname(name);
	return err;
}

static int cp_new_stat(const struct kstat *stat, struct stat __user *statbuf)
{
	struct stat tmp;

	memset(&tmp, 0, sizeof(tmp));
	tmp.st_dev = new_encode_dev(stat->dev);
	tmp.st_ino = stat->ino;
	tmp.st_nlink = stat->nlink;
	tmp.st_mode = stat->mode;
	tmp.st_uid = stat->uid;
	tmp.st_gid = stat->gid;
	tmp.st_rdev = new_encode_dev(stat->rdev);
	tmp.st_size = stat->size;
	tmp.st_blksize = stat->blksize;
	tmp.st_blocks = stat->blocks;
	tmp.st_atime = stat->atime.tv_sec;
	tmp.st_atime_nsec = stat->atime.tv_nsec;
	tmp.st_mtime = stat->mtime.tv_sec;
	tmp.st_mtime_nsec = stat->mtime.tv_nsec;
	tmp.st_ctime = stat->ctime.tv_sec;
	tmp.st_ctime_nsec = stat->ctime.tv_nsec;
	return copy_to_user(statbuf, &tmp, sizeof(tmp)) ? -EFAULT : 0;
}

static inline int stat_at(int dfd, const char __user *filename,
			  struct stat __user *statbuf, int flags)
{
	struct kstat stat;
	int err = vfs_fstatat(dfd, filename, &stat, flags);

	return err ? err : cp_new_stat(&stat, statbuf);
}

SYSCALL_DEFINE2(newstat, const char __user *, filename,
		struct stat __user *, statbuf)
{
	return stat_at(AT_FDCWD, filename, statbuf, 0);
}

SYSCALL_DEFINE2(newlstat, const char __user *, filename,
		struct stat __user *, statbuf)
{
	return stat_at(AT_FDCWD, filename, statbuf, AT_SYMLINK_NOFOLLOW);
}

SYSCALL_DEFINE4(newfstatat, int, dfd, const char __user *, filename,
		struct stat __user *, statbuf, int, flag)
{
	return stat_at(dfd, filename, statbuf, flag);
}

SYSCALL_DEFINE2(newfstat, unsigned int, fd, struct stat __user *, statbuf)
{
	struct kstat stat;
	int err = vfs_fstat(fd, &stat);

	return err ? err : cp_new_stat(&stat, statbuf);
}

static int vfs_readlink(struct dentry *dentry, char __user *buf, int bufsiz)
{
	struct delayed_call done = { NULL, NULL };
	struct inode *inode = d_inode(dentry);
	const char *text;
	int len;

	if (inode->i_op->readlink)
		return inode->i_op->readlink(dentry, buf, bufsiz);
	if (!inode->i_op->get_link)
		return -EINVAL;
	text = inode->i_op->get_link(dentry, inode, &done);
	if (IS_ERR_OR_NULL(text)) {
		len = text ? PTR_ERR(text) : -EINVAL;
	} else {
		len = min_t(size_t, bufsiz, strlen(text));
		if (copy_to_user(buf, text, len))
			len = -EFAULT;
	}
	do_delayed_call(&done);
	return len;
}

static int do_readlinkat(int dfd, const char __user *pathname, char __user *buf,
			 int bufsiz)
{
	struct inode *inode;
	struct path path;
	int len;

	if (bufsiz <= 0)
		return -EINVAL;
	len = user_path_at(dfd, pathname, LOOKUP_EMPTY, &path);
	if (len)
		return len;
	inode = d_inode(path.dentry);
	len = -EINVAL;
	if (S_ISLNK(inode->i_mode)) {
		touch_atime(&path);
		len = vfs_readlink(path.dentry, buf, bufsiz);
	}
	path_put(&path);
	return len;
}

SYSCALL_DEFINE4(readlinkat, int, dfd, const char __user *, pathname,
		char __user *, buf, int, bufsiz)
{
	return do_readlinkat(dfd, pathname, buf, bufsiz);
}

SYSCALL_DEFINE3(readlink, const char __user *, path, char __user *, buf,
		int, bufsiz)
{
	return do_readlinkat(AT_FDCWD, path, buf, bufsiz);
}
