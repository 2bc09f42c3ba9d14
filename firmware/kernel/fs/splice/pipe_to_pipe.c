/* SPDX-License-Identifier: GPL-2.0-only */
/* From one pipe to another: splice, which moves, and tee, which shares. */
#include <linux/errno.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/signal.h>
#include <linux/syscalls.h>

#include "internal.h"

/* Until there is something, or no writer is left; or -errno. */
static int ipipe_prep(struct pipe_inode_info *pipe, unsigned int flags)
{
	int ret = 0;

	if (!pipe_empty(READ_ONCE(pipe->head), READ_ONCE(pipe->tail)))
		return 0;
	pipe_lock(pipe);
	while (pipe_empty(pipe->head, pipe->tail)) {
		ret = -ERESTARTSYS;
		if (signal_pending(current))
			break;
		ret = 0;
		if (!pipe->writers)
			break;
		ret = -EAGAIN;
		if (flags & SPLICE_F_NONBLOCK)
			break;
		ret = 0;
		pipe_wait_readable(pipe);
	}
	pipe_unlock(pipe);
	return ret;
}

/* Until there is room; or -errno. */
static int opipe_prep(struct pipe_inode_info *pipe, unsigned int flags)
{
	int ret;

	if (!pipe_full(READ_ONCE(pipe->head), READ_ONCE(pipe->tail),
		       READ_ONCE(pipe->ring_size)))
		return 0;
	pipe_lock(pipe);
	ret = wait_for_space(pipe, flags);
	pipe_unlock(pipe);
	return ret;
}

/* Another buffer of the same page, for @len bytes of it. */
static inline void share_buffer(struct pipe_inode_info *ipipe,
				struct pipe_buffer *ibuf,
				struct pipe_inode_info *opipe, size_t len)
{
	struct pipe_buffer obuf = *ibuf;

	pipe_buf_get(ipipe, ibuf);
	obuf.flags &= ~PIPE_BUF_FLAG_CAN_MERGE;
	obuf.len = len;
	pipe_push(opipe, &obuf);
}

/* The oldest buffer, if no more than @len bytes of it. Both are locked. */
static inline size_t move_buffer(struct pipe_inode_info *ipipe,
				 struct pipe_inode_info *opipe, size_t len)
{
	struct pipe_buffer *ibuf = pipe_buf(ipipe, ipipe->tail);

	if (len >= ibuf->len) {
		len = ibuf->len;
		pipe_push(opipe, ibuf);
		WRITE_ONCE(ipipe->tail, ipipe->tail + 1);
	} else {
		share_buffer(ipipe, ibuf, opipe, len);
		ibuf->offset += len;
		ibuf->len -= len;
	}
	return len;
}

/* What could be moved at once; -EAGAIN: nothing, but perhaps later. */
static ssize_t move_buffers(struct pipe_inode_info *ipipe,
			    struct pipe_inode_info *opipe, size_t len)
{
	ssize_t done = 0;

	while (done < len) {
		if (!opipe->readers) {
			send_sig(SIGPIPE, current, 0);
			return done ? done : -EPIPE;
		}
		if (pipe_empty(ipipe->head, ipipe->tail))
			return done || !ipipe->writers ? done : -EAGAIN;
		if (pipe_full(opipe->head, opipe->tail, opipe->ring_size))
			return done ? done : -EAGAIN;
		done += move_buffer(ipipe, opipe, len - done);
	}
	return done;
}

ssize_t splice_pipe_to_pipe(struct pipe_inode_info *ipipe,
			    struct pipe_inode_info *opipe, size_t len,
			    unsigned int flags)
{
	ssize_t ret;

	/* Others may have been faster than we since we looked. */
	do {
		ret = ipipe_prep(ipipe, flags);
		if (!ret)
			ret = opipe_prep(opipe, flags);
		if (ret)
			return ret;
		pipe_double_lock(ipipe, opipe);
		ret = move_buffers(ipipe, opipe, len);
		pipe_unlock(ipipe);
		pipe_unlock(opipe);
	} while (ret == -EAGAIN && !(flags & SPLICE_F_NONBLOCK));
	if (ret > 0) {
		wakeup_pipe_readers(opipe);
		wakeup_pipe_writers(ipipe);
	}
	return ret;
}

/* What is there becomes the other pipe's, too. */
static ssize_t link_pipe(struct pipe_inode_info *ipipe,
			 struct pipe_inode_info *opipe, size_t len)
{
	unsigned int tail;
	ssize_t done = 0;

	pipe_double_lock(ipipe, opipe);
	for (tail = ipipe->tail; done < len; tail++) {
		struct pipe_buffer *ibuf = pipe_buf(ipipe, tail);
		size_t n;

		if (!opipe->readers) {
			send_sig(SIGPIPE, current, 0);
			if (!done)
				done = -EPIPE;
			break;
		}
		if (pipe_empty(ipipe->head, tail) ||
		    pipe_full(opipe->head, opipe->tail, opipe->ring_size))
			break;
		n = min_t(size_t, ibuf->len, len - done);
		share_buffer(ipipe, ibuf, opipe, n);
		done += n;
	}
	pipe_unlock(ipipe);
	pipe_unlock(opipe);
	if (done > 0)
		wakeup_pipe_readers(opipe);
	return done;
}

static ssize_t do_tee(struct file *in, struct file *out, size_t len,
		      unsigned int flags)
{
	struct pipe_inode_info *ipipe = get_pipe_info(in);
	struct pipe_inode_info *opipe = get_pipe_info(out);
	int err;

	if (!(in->f_mode & FMODE_READ) || !(out->f_mode & FMODE_WRITE))
		return -EBADF;
	if (!ipipe || !opipe || ipipe == opipe)
		return -EINVAL;
	if ((in->f_flags | out->f_flags) & O_NONBLOCK)
		flags |= SPLICE_F_NONBLOCK;
	err = ipipe_prep(ipipe, flags);
	if (!err)
		err = opipe_prep(opipe, flags);
	return err ? err : link_pipe(ipipe, opipe, len);
}

SYSCALL_DEFINE4(tee, int, fdin, int, fdout, size_t, len, unsigned int, flags)
{
	struct fd in, out;
	ssize_t ret = -EBADF;

	if (flags & ~SPLICE_F_ALL)
		return -EINVAL;
	if (!len)
		return 0;
	in = fdget(fdin);
	if (!in.file)
		return -EBADF;
	out = fdget(fdout);
	if (out.file) {
		ret = do_tee(in.file, out.file, len, flags);
		fdput(out);
	}
	fdput(in);
	return ret;
}
