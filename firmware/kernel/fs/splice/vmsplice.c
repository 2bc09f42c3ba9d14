/* SPDX-License-Identifier: GPL-2.0-only */
/* vmsplice: a program's pages into a pipe, and a pipe's bytes to a program. */
#include <linux/errno.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/syscalls.h>
#include <linux/uio.h>

#include "internal.h"

/* What the program writes there later, the pipe's reader sees. */
static ssize_t iter_to_pipe(struct iov_iter *from, struct pipe_inode_info *pipe)
{
	ssize_t total = 0;

	while (iov_iter_count(from) &&
	       !pipe_full(pipe->head, pipe->tail, pipe->ring_size)) {
		struct pipe_buffer buf = { .ops = &page_cache_pipe_buf_ops };
		size_t start;
		ssize_t len = iov_iter_get_page(from, &buf.page, &start);

		if (len < 0)
			return total ? total : len;
		buf.offset = start;
		buf.len = len;
		pipe_push(pipe, &buf);
		total += len;
	}
	return total;
}

static ssize_t vmsplice_to_pipe(struct pipe_inode_info *pipe,
				struct iov_iter *iter, unsigned int flags)
{
	ssize_t ret;

	pipe_lock(pipe);
	ret = wait_for_space(pipe, flags);
	if (!ret)
		ret = iter_to_pipe(iter, pipe);
	pipe_unlock(pipe);
	if (ret > 0)
		wakeup_pipe_readers(pipe);
	return ret;
}

static ssize_t pipe_to_user(struct pipe_inode_info *pipe,
			    struct pipe_buffer *buf, struct splice_desc *sd)
{
	size_t n = copy_page_to_iter(buf->page, buf->offset, sd->len, sd->data);

	return n == sd->len ? n : -EFAULT;
}

static ssize_t vmsplice_to_user(struct pipe_inode_info *pipe,
				struct iov_iter *iter, unsigned int flags)
{
	struct splice_desc sd = {
		.total_len	= iov_iter_count(iter),
		.flags		= flags,
		.data		= iter,
	};
	ssize_t ret;

	pipe_lock(pipe);
	ret = __splice_from_pipe(pipe, &sd, pipe_to_user);
	pipe_unlock(pipe);
	return ret;
}

/* The direction is the file's. */
static ssize_t do_vmsplice(struct file *file, struct iov_iter *iter,
			   unsigned int flags)
{
	struct pipe_inode_info *pipe = get_pipe_info(file);

	if (!iov_iter_count(iter))
		return 0;
	if (!pipe)
		return -EBADF;
	return file->f_mode & FMODE_WRITE ?
	       vmsplice_to_pipe(pipe, iter, flags) :
	       vmsplice_to_user(pipe, iter, flags);
}

SYSCALL_DEFINE4(vmsplice, int, fd, const struct iovec __user *, uiov,
		unsigned long, nr_segs, unsigned int, flags)
{
	struct iovec fast[UIO_FASTIOV], *iov = fast;
	struct iov_iter iter;
	ssize_t ret = -EBADF;
	struct fd f;

	if (flags & ~SPLICE_F_ALL)
		return -EINVAL;
	f = fdget(fd);
	if (!f.file)
		return -EBADF;
	if (f.file->f_mode & (FMODE_READ | FMODE_WRITE)) {
		ret = import_iovec(uiov, nr_segs, &iov, &iter);
		if (ret >= 0) {
			ret = do_vmsplice(f.file, &iter, flags);
			kfree(iov);
		}
	}
	fdput(f);
	return ret;
}
