/* SPDX-License-Identifier: GPL-2.0-only */
/* Opening files, and asking by name whether that would be allowed. */
#include <linux/errno.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/mount.h>
#include <linux/namei.h>
#include <linux/pagemap.h>
#include <linux/sched.h>
#include <linux/syscalls.h>

#include "../internal.h"
#include "internal.h"

/* Ends what opening a file for writing has claimed. */
void put_file_access(struct file *file)
{
	if (file->f_mode & FMODE_WRITER) {
		put_write_access(file->f_inode);
		__mnt_drop_write(file->f_path.mnt);
		file->f_mode &= ~FMODE_WRITER;
	}
}

/* What its operations offer, of what it was opened for. */
fmode_t can_do(const struct file *file)
{
	const struct file_operations *op = file->f_op;
	fmode_t mode = 0;

	if ((file->f_mode & FMODE_READ) && (op->read || op->read_iter))
		mode |= FMODE_CAN_READ;
	if ((file->f_mode & FMODE_WRITE) && (op->write || op->write_iter))
		mode |= FMODE_CAN_WRITE;
	return mode;
}

static const struct file_operations empty_fops;

static int do_dentry_open(struct file *file, struct inode *inode)
{
	int err;

	path_get(&file->f_path);
	file->f_inode = inode;
	file->f_mapping = inode->i_mapping;
	file->f_wb_err = filemap_sample_wb_err(file->f_mapping);
	if (file->f_flags & O_PATH) {
		file->f_mode = FMODE_PATH | FMODE_OPENED;
		file->f_op = &empty_fops;
		return 0;
	}
	file->f_op = inode->i_fop;

	if ((file->f_mode & FMODE_WRITE) && !special_file(inode->i_mode)) {
		err = get_write_access(inode);
		if (err)
			goto put_path;
		err = __mnt_want_write(file->f_path.mnt);
		if (err) {
			put_write_access(inode);
			goto put_path;
		}
		file->f_mode |= FMODE_WRITER;
	}
	if (S_ISREG(inode->i_mode) || S_ISDIR(inode->i_mode))
		file->f_mode |= FMODE_ATOMIC_POS;
	if (file->f_op->llseek)
		file->f_mode |= FMODE_LSEEK;
	if (file->f_op->open) {
		err = file->f_op->open(inode, file);
		if (err)
			goto put_write;
	}
	/* A device's open may have changed f_op. */
	file->f_mode |= can_do(file);
	file->f_mode |= FMODE_OPENED;
	file->f_flags &= ~(O_CREAT | O_EXCL | O_NOCTTY | O_TRUNC);
	return 0;

put_write:
	put_file_access(file);
put_path:
	path_put(&file->f_path);
	return err;
}

int vfs_open(const struct path *path, struct file *file)
{
	file->f_path = *path;
	return do_dentry_open(file, d_inode(path->dentry));
}

/* Open of what is read and written in one stream: no position, no lock. */
int stream_open(struct inode *inode, struct file *file)
{
	file->f_mode &= ~(FMODE_LSEEK | FMODE_ATOMIC_POS);
	return 0;
}

int generic_file_open(struct inode *inode, struct file *file)
{
	return 0;
}

int filp_close(struct file *file)
{
	int err = 0;

	if (file->f_op->flush)
		err = file->f_op->flush(file, current->files);
	fput(file);
	return err;
}

static inline struct open_flags build_open_flags(int flags, umode_t mode)
{
	if (flags & O_PATH)
		flags &= O_PATH_FLAGS;
	struct open_flags op = {
		.open_flag	= flags & VALID_OPEN_FLAGS,
		.acc_mode	= ACC_MODE(flags) | MAY_OPEN,
		.intent		= LOOKUP_OPEN,
	};

	if (flags & O_CREAT) {
		op.mode = (mode & S_IALLUGO) | S_IFREG;
		op.intent |= LOOKUP_CREATE;
		if (flags & O_EXCL)
			op.intent |= LOOKUP_EXCL;
	}
	if (flags & O_TRUNC)
		op.acc_mode |= MAY_WRITE;
	if (flags & O_DIRECTORY)
		op.lookup_flags |= LOOKUP_DIRECTORY;
	if (!(flags & O_NOFOLLOW) &&
	    (flags & (O_CREAT | O_EXCL)) != (O_CREAT | O_EXCL))
		op.lookup_flags |= LOOKUP_FOLLOW;
	return op;
}

struct file *filp_open(const char *filename, int flags, umode_t mode)
{
	struct open_flags op = build_open_flags(flags, mode);
	struct filename *name = getname_kernel(filename);
	struct file *file = ERR_CAST(name);

	if (!IS_ERR(name)) {
		file = do_filp_open(AT_FDCWD, name, &op);
		putname(name);
	}
	return file;
}

static long do_sys_openat2(int dfd, const char __user *filename, int flags,
			   umode_t mode)
{
	/* Where long has 64 bits, every file may be large. */
	struct open_flags op = build_open_flags(flags | O_LARGEFILE, mode);
	struct filename *name;
	struct file *file;
	int fd;

	name = getname(filename);
	if (IS_ERR(name))
		return PTR_ERR(name);
	fd = get_unused_fd_flags(flags);
	if (fd >= 0) {
		file = do_filp_open(dfd, name, &op);
		if (IS_ERR(file)) {
			put_unused_fd(fd);
			fd = PTR_ERR(file);
		} else {
			fd_install(fd, file);
		}
	}
	putname(name);
	return fd;
}

SYSCALL_DEFINE3(open, const char __user *, filename, int, flags, umode_t, mode)
{
	return do_sys_openat2(AT_FDCWD, filename, flags, mode);
}

SYSCALL_DEFINE4(openat, int, dfd, const char __user *, filename, int, flags,
		umode_t, mode)
{
	return do_sys_openat2(dfd, filename, flags, mode);
}

SYSCALL_DEFINE2(creat, const char __user *, pathname, umode_t, mode)
{
	return do_sys_openat2(AT_FDCWD, pathname, O_CREAT | O_WRONLY | O_TRUNC,
			      mode);
}

static long do_faccessat(int dfd, const char __user *filename, int mode)
{
	struct inode *inode;
	struct path path;
	int err;

	if (mode & ~(R_OK | W_OK | X_OK))
		return -EINVAL;
	err = user_path_at(dfd, filename, LOOKUP_FOLLOW, &path);
	if (err)
		return err;
	inode = d_inode(path.dentry);
	err = inode_permission(inode, mode);
	if (!err && (mode & W_OK) && !special_file(inode->i_mode) &&
	    __mnt_is_readonly(path.mnt))
		err = -EROFS;
	else if (!err && (mode & X_OK) && S_ISREG(inode->i_mode) &&
		 path_noexec(&path))
		err = -EACCES;
	path_put(&path);
	return err;
}

SYSCALL_DEFINE3(faccessat, int, dfd, const char __user *, filename, int, mode)
{
	return do_faccessat(dfd, filename, mode);
}

SYSCALL_DEFINE2(access, const char __user *, filename, int, mode)
{
	return do_faccessat(AT_FDCWD, filename, mode);
}
