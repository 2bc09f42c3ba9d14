/* SPDX-License-Identifier: GPL-2.0-only */
/* splice: between a pipe and a file, or between two pipes. */
#include <linux/errno.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/signal.h>
#include <linux/syscalls.h>
#include <linux/uaccess.h>
#include <linux/uio.h>

#include "../internal.h"
#include "internal.h"

/* What the file's read gives: pages of the page cache, or copies. */
ssize_t generic_file_splice_read(struct file *in, loff_t *pos,
				 struct pipe_inode_info *pipe, size_t len,
				 unsigned int flags)
{
	struct kiocb kiocb = { .ki_filp = in, .ki_pos = *pos };
	unsigned int head = pipe->head;
	struct iov_iter to;
	ssize_t ret;

	iov_iter_pipe(&to, pipe, len);
	ret = in->f_op->read_iter(&kiocb, &to);
	if (ret > 0) {
		*pos = kiocb.ki_pos;
		file_accessed(in);
	} else {
		pipe_discard_from(pipe, head);
	}
	/* A pipe has no addresses: it was full. */
	return ret == -EFAULT ? -EAGAIN : ret;
}

int wait_for_space(struct pipe_inode_info *pipe, unsigned int flags)
{
	for (;;) {
		if (!pipe->readers) {
			send_sig(SIGPIPE, current, 0);
			return -EPIPE;
		}
		if (!pipe_full(pipe->head, pipe->tail, pipe->ring_size))
			return 0;
		if (flags & SPLICE_F_NONBLOCK)
			return -EAGAIN;
		if (signal_pending(current))
			return -ERESTARTSYS;
		pipe_wait_writable(pipe);
	}
}

/* No more than the pipe has slots for. */
static ssize_t do_splice_to(struct file *in, loff_t *pos,
			    struct pipe_inode_info *pipe, size_t len,
			    unsigned int flags)
{
	size_t space = pipe->ring_size - pipe_occupancy(pipe->head, pipe->tail);
	int err;

	len = min_t(size_t, len, space << PAGE_SHIFT);
	err = rw_verify_area(in, pos, len);
	if (err)
		return err;
	if (!in->f_op->splice_read)
		return -EINVAL;
	return in->f_op->splice_read(in, pos, pipe,
				     min_t(size_t, len, MAX_RW_COUNT), flags);
}

static ssize_t splice_file_to_pipe(struct file *in,
				   struct pipe_inode_info *opipe, loff_t *pos,
				   size_t len, unsigned int flags)
{
	ssize_t ret;

	pipe_lock(opipe);
	ret = wait_for_space(opipe, flags);
	if (!ret)
		ret = do_splice_to(in, pos, opipe, len, flags);
	pipe_unlock(opipe);
	if (ret > 0)
		wakeup_pipe_readers(opipe);
	return ret;
}

static ssize_t do_splice_from(struct pipe_inode_info *pipe, struct file *out,
			      loff_t *pos, size_t len, unsigned int flags)
{
	int err = rw_verify_area(out, pos, len);

	if (err)
		return err;
	/* Two who append would not know where the other one is. */
	if (out->f_flags & O_APPEND || !out->f_op->splice_write)
		return -EINVAL;
	return out->f_op->splice_write(pipe, out, pos, len, flags);
}

/* An end that is no pipe may have a position of its own, by @pos. */
static ssize_t do_splice(struct file *in, loff_t *pos_in, struct file *out,
			 loff_t *pos_out, size_t len, unsigned int flags)
{
	struct pipe_inode_info *ipipe = get_pipe_info(in);
	struct pipe_inode_info *opipe = get_pipe_info(out);
	struct file *file = ipipe ? out : in;
	loff_t *pos = ipipe ? pos_out : pos_in;

	if (!(in->f_mode & FMODE_READ) || !(out->f_mode & FMODE_WRITE))
		return -EBADF;
	if (ipipe && opipe) {
		if (ipipe == opipe)
			return -EINVAL;
		if ((in->f_flags | out->f_flags) & O_NONBLOCK)
			flags |= SPLICE_F_NONBLOCK;
		return splice_pipe_to_pipe(ipipe, opipe, len, flags);
	}
	if (!ipipe && !opipe)
		return -EINVAL;
	if (pos && !(file->f_mode & FMODE_LSEEK))
		return -EINVAL;
	if ((ipipe ? in : out)->f_flags & O_NONBLOCK)
		flags |= SPLICE_F_NONBLOCK;
	if (!pos)
		pos = &file->f_pos;
	return ipipe ? do_splice_from(ipipe, out, pos, len, flags) :
		       splice_file_to_pipe(in, opipe, pos, len, flags);
}

static ssize_t __do_splice(struct file *in, loff_t __user *off_in,
			   struct file *out, loff_t __user *off_out, size_t len,
			   unsigned int flags)
{
	loff_t pos_in, pos_out;
	ssize_t ret;

	if ((get_pipe_info(in) && off_in) || (get_pipe_info(out) && off_out))
		return -ESPIPE;
	if ((off_out && copy_from_user(&pos_out, off_out, sizeof(pos_out))) ||
	    (off_in && copy_from_user(&pos_in, off_in, sizeof(pos_in))))
		return -EFAULT;
	ret = do_splice(in, off_in ? &pos_in : NULL, out,
			off_out ? &pos_out : NULL, len, flags);
	if (ret < 0)
		return ret;
	if ((off_out && copy_to_user(off_out, &pos_out, sizeof(pos_out))) ||
	    (off_in && copy_to_user(off_in, &pos_in, sizeof(pos_in))))
		return -EFAULT;
	return ret;
}

SYSCALL_DEFINE6(splice, int, fd_in, loff_t __user *, off_in, int, fd_out,
		loff_t __user *, off_out, size_t, len, unsigned int, flags)
{
	struct fd in, out;
	ssize_t ret = -EBADF;

	if (!len)
		return 0;
	if (flags & ~SPLICE_F_ALL)
		return -EINVAL;
	in = fdget(fd_in);
	if (!in.file)
		return -EBADF;
	out = fdget(fd_out);
	if (out.file) {
		ret = __do_splice(in.file, off_in, out.file, off_out, len,
				  flags);
		fdput(out);
	}
	fdput(in);
	return ret;
}
