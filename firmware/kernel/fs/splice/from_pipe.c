/* SPDX-License-Identifier: GPL-2.0-only */
/* Out of a pipe: to a file, or to whoever takes its buffers one by one. */
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/splice.h>
#include <linux/uio.h>

#include "../internal.h"

/*
 * 1: there is a buffer. 0: none will come, or enough has been moved. Else
 * -errno. A signal is looked for even if there is always more: the caller can
 * be killed. With the pipe locked.
 */
static int splice_from_pipe_next(struct pipe_inode_info *pipe,
				 struct splice_desc *sd)
{
	if (signal_pending(current))
		return -ERESTARTSYS;
	while (pipe_empty(pipe->head, pipe->tail)) {
		if (!pipe->writers || sd->num_spliced)
			return 0;
		if (sd->flags & SPLICE_F_NONBLOCK)
			return -EAGAIN;
		if (signal_pending(current))
			return -ERESTARTSYS;
		pipe_wait_readable(pipe);
	}
	return 1;
}

/* The first @n bytes of the pipe have been taken. */
static inline void splice_taken(struct pipe_inode_info *pipe,
				struct splice_desc *sd, size_t n)
{
	sd->num_spliced += n;
	sd->total_len -= n;
	while (n) {
		struct pipe_buffer *buf = pipe_buf(pipe, pipe->tail);
		size_t part = min_t(size_t, n, buf->len);

		buf->offset += part;
		buf->len -= part;
		n -= part;
		if (!buf->len) {
			pipe_drop_tail(pipe);
			sd->need_wakeup = true;
		}
	}
}

static void splice_from_pipe_end(struct pipe_inode_info *pipe,
				 struct splice_desc *sd)
{
	if (sd->need_wakeup)
		wakeup_pipe_writers(pipe);
}

/* 1: the actor took all there is and wants more. */
static ssize_t splice_from_pipe_feed(struct pipe_inode_info *pipe,
				     struct splice_desc *sd,
				     splice_actor *actor)
{
	while (!pipe_empty(pipe->head, pipe->tail)) {
		struct pipe_buffer *buf = pipe_buf(pipe, pipe->tail);
		ssize_t ret;

		sd->len = min_t(size_t, buf->len, sd->total_len);
		ret = actor(pipe, buf, sd);
		if (ret <= 0)
			return ret;
		splice_taken(pipe, sd, ret);
		if (!sd->total_len)
			return 0;
	}
	return 1;
}

ssize_t __splice_from_pipe(struct pipe_inode_info *pipe, struct splice_desc *sd,
			   splice_actor *actor)
{
	ssize_t ret;

	do {
		ret = splice_from_pipe_next(pipe, sd);
		if (ret > 0)
			ret = splice_from_pipe_feed(pipe, sd, actor);
	} while (ret > 0);
	splice_from_pipe_end(pipe, sd);
	return sd->num_spliced ? sd->num_spliced : ret;
}

ssize_t splice_from_pipe(struct pipe_inode_info *pipe, size_t len,
			 unsigned int flags, splice_actor *actor)
{
	struct splice_desc sd = { .total_len = len, .flags = flags };
	ssize_t ret;

	pipe_lock(pipe);
	ret = __splice_from_pipe(pipe, &sd, actor);
	pipe_unlock(pipe);
	return ret;
}

/* One write of what the pipe has, from where it is. */
static ssize_t write_buffers(struct pipe_inode_info *pipe, struct file *out,
			     loff_t *pos, size_t len, struct kvec *array)
{
	struct iov_iter from;
	size_t total = 0;
	unsigned int n;

	for (n = 0; total < len && pipe->tail + n != pipe->head; n++) {
		struct pipe_buffer *buf = pipe_buf(pipe, pipe->tail + n);

		array[n].iov_base = page_address(buf->page) + buf->offset;
		array[n].iov_len = min_t(size_t, buf->len, len - total);
		total += array[n].iov_len;
	}
	iov_iter_kvec(&from, array, total);
	return vfs_iter_write(out, &from, pos);
}

ssize_t iter_file_splice_write(struct pipe_inode_info *pipe, struct file *out,
			       loff_t *pos, size_t len, unsigned int flags)
{
	struct splice_desc sd = { .total_len = len, .flags = flags };
	unsigned int slots = 0;
	struct kvec *array = NULL;
	ssize_t ret = 0;

	pipe_lock(pipe);
	while (sd.total_len) {
		ret = splice_from_pipe_next(pipe, &sd);
		if (ret <= 0)
			break;
		if (slots < pipe->ring_size) {	/* it may grow as we wait */
			slots = pipe->ring_size;
			kfree(array);
			array = kcalloc(slots, sizeof(*array), GFP_KERNEL);
			ret = -ENOMEM;
			if (!array)
				break;
		}
		ret = write_buffers(pipe, out, pos, sd.total_len, array);
		if (ret <= 0)
			break;
		splice_taken(pipe, &sd, ret);
	}
	kfree(array);
	splice_from_pipe_end(pipe, &sd);
	pipe_unlock(pipe);
	return sd.num_spliced ? sd.num_spliced : ret;
}
