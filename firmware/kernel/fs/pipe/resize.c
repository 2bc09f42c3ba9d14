/* SPDX-License-Identifier: GPL-2.0-only */
/* How much a pipe holds: fcntl's F_GETPIPE_SZ and F_SETPIPE_SZ. */
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/pipe_fs_i.h>
#include <linux/slab.h>

#define MOST_BYTES	(1UL << 31)

/* So many whole pages, a power of two; 0: no pipe is so large. */
static unsigned int round_pipe_size(unsigned long size)
{
	unsigned long rounded = PAGE_SIZE;

	if (size > MOST_BYTES)
		return 0;
	while (rounded < size)
		rounded *= 2;
	return rounded;
}

/* With the pipe locked; what it holds must find room. */
static int pipe_resize_ring(struct pipe_inode_info *pipe, unsigned int nr_slots)
{
	unsigned int n = pipe_occupancy(pipe->head, pipe->tail);
	struct pipe_buffer *bufs;

	if (nr_slots < n)
		return -EBUSY;
	bufs = kcalloc(nr_slots, sizeof(*bufs), GFP_KERNEL);
	if (!bufs)
		return -ENOMEM;
	for (unsigned int i = 0; i < n; i++)
		bufs[i] = *pipe_buf(pipe, pipe->tail + i);
	kfree(pipe->bufs);
	pipe->bufs = bufs;
	pipe->ring_size = nr_slots;
	pipe->tail = 0;
	WRITE_ONCE(pipe->head, n);
	return 0;
}

/* The size that it has then. */
static long pipe_set_size(struct pipe_inode_info *pipe, unsigned long arg)
{
	unsigned int size = round_pipe_size(arg);
	int err;

	if (!size)
		return -EINVAL;
	err = pipe_resize_ring(pipe, size / PAGE_SIZE);
	if (err)
		return err;
	wake_up_interruptible(&pipe->wr_wait);
	return pipe->ring_size * PAGE_SIZE;
}

long pipe_fcntl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct pipe_inode_info *pipe = get_pipe_info(file);
	long ret;

	if (!pipe)
		return -EBADF;
	pipe_lock(pipe);
	ret = cmd == F_SETPIPE_SZ ? pipe_set_size(pipe, arg) :
				    pipe->ring_size * PAGE_SIZE;
	pipe_unlock(pipe);
	return ret;
}
