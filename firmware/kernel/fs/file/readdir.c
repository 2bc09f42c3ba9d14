/* SPDX-License-Identifier: GPL-2.0-only */
/* Listing directories. */
#include <linux/dirent.h>
#include <linux/errno.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/syscalls.h>
#include <linux/uaccess.h>

int iterate_dir(struct file *file, struct dir_context *ctx)
{
	struct inode *inode = file_inode(file);
	int err = -ENOENT;

	if (!file->f_op->iterate_shared)
		return -ENOTDIR;
	inode_lock_shared(inode);
	if (!IS_DEADDIR(inode)) {
		ctx->pos = file->f_pos;
		err = file->f_op->iterate_shared(file, ctx);
		file->f_pos = ctx->pos;
		file_accessed(file);
	}
	inode_unlock_shared(inode);
	return err;
}

struct getdents_callback64 {
	struct dir_context	ctx;
	struct linux_dirent64 __user *current_dir;
	struct linux_dirent64 __user *previous;
	size_t			count;	/* bytes left */
	int			error;
};

/* An entry's d_off is known when the next one comes. */
static bool filldir64(struct dir_context *ctx, const char *name, int len,
		      loff_t offset, u64 ino, unsigned int type)
{
	struct getdents_callback64 *buf =
		container_of(ctx, struct getdents_callback64, ctx);
	size_t reclen = ALIGN(offsetof(struct linux_dirent64, d_name) + len + 1,
			      sizeof(u64));
	struct linux_dirent64 __user *dirent = buf->current_dir;
	struct linux_dirent64 entry = {
		.d_ino		= ino,
		.d_reclen	= reclen,
		.d_type		= type,
	};

	buf->error = -EINVAL;	/* unless something has been returned */
	if (reclen > buf->count)
		return false;
	buf->error = -EFAULT;
	if (buf->previous && put_user(offset, &buf->previous->d_off))
		return false;
	if (copy_to_user(dirent, &entry,
			 offsetof(struct linux_dirent64, d_name)) ||
	    copy_to_user(dirent->d_name, name, len) ||
	    put_user('\0', dirent->d_name + len))
		return false;
	buf->error = 0;
	buf->previous = dirent;
	buf->current_dir = (void __user *)dirent + reclen;
	buf->count -= reclen;
	return true;
}

SYSCALL_DEFINE3(getdents64, unsigned int, fd,
		struct linux_dirent64 __user *, dirent, unsigned int, count)
{
	struct getdents_callback64 buf = {
		.ctx.actor	= filldir64,
		.current_dir	= dirent,
		.count		= count,
	};
	struct fd f = fdget_pos(fd);
	int err;

	if (!f.file)
		return -EBADF;
	err = iterate_dir(f.file, &buf.ctx);
	if (err >= 0)
		err = buf.error;
	if (buf.previous) {
		loff_t pos = buf.ctx.pos;

		err = count - buf.count;
		if (put_user(pos, &buf.previous->d_off))
			err = -EFAULT;
	}
	fdput_pos(f);
	return err;
}
