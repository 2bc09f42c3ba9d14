/* SPDX-License-Identifier: GPL-2.0-only */
/* truncate: another size for a file. */
#include <linux/errno.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/mount.h>
#include <linux/namei.h>
#include <linux/syscalls.h>

/* The caller has write access. */
int do_truncate(struct dentry *dentry, loff_t length, unsigned int time_attrs,
		struct file *file)
{
	struct iattr attr = {
		.ia_valid	= ATTR_SIZE | time_attrs,
		.ia_size	= length,
		.ia_file	= file,
	};
	int err;

	if (file)
		attr.ia_valid |= ATTR_FILE;
	inode_lock(d_inode(dentry));
	err = notify_change(dentry, &attr);
	inode_unlock(d_inode(dentry));
	return err;
}

static int vfs_truncate(const struct path *path, loff_t length)
{
	struct inode *inode = d_inode(path->dentry);
	int err;

	if (S_ISDIR(inode->i_mode))
		return -EISDIR;
	if (!S_ISREG(inode->i_mode))
		return -EINVAL;
	err = mnt_want_write(path->mnt);
	if (err)
		return err;
	err = inode_permission(inode, MAY_WRITE);
	if (!err)
		err = get_write_access(inode);
	if (!err) {
		err = do_truncate(path->dentry, length, 0, NULL);
		put_write_access(inode);
	}
	mnt_drop_write(path->mnt);
	return err;
}

static long do_sys_truncate(const char __user *pathname, loff_t length)
{
	struct path path;
	int err;

	if (length < 0)
		return -EINVAL;
	err = user_path_at(AT_FDCWD, pathname, LOOKUP_FOLLOW, &path);
	if (!err) {
		err = vfs_truncate(&path, length);
		path_put(&path);
	}
	return err;
}

SYSCALL_DEFINE2(truncate, const char __user *, path, long, length)
{
	return do_sys_truncate(path, length);
}

static long do_sys_ftruncate(unsigned int fd, loff_t length)
{
	struct fd f;
	int err;

	if (length < 0)
		return -EINVAL;
	f = fdget(fd);
	if (!f.file)
		return -EBADF;
	err = -EINVAL;
	if (S_ISREG(file_inode(f.file)->i_mode) &&
	    (f.file->f_mode & FMODE_WRITE))
		err = do_truncate(f.file->f_path.dentry, length,
				  ATTR_MTIME | ATTR_CTIME, f.file);
	fdput(f);
	return err;
}

SYSCALL_DEFINE2(ftruncate, unsigned int, fd, off_t, length)
{
	return do_sys_ftruncate(fd, length);
}
