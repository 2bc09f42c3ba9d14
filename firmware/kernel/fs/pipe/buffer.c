/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Buffers of pipes, as splice() and its kin move them: pages by reference, the
 * lock of one pipe or of two, and waiting with it.
 */
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/pipe_fs_i.h>
#include <linux/sched.h>

static void generic_pipe_buf_get(struct pipe_inode_info *pipe,
				 struct pipe_buffer *buf)
{
	get_page(buf->page);
}

/* A page that nobody else has is kept for the next writer. */
static void anon_pipe_buf_release(struct pipe_inode_info *pipe,
				  struct pipe_buffer *buf)
{
	if (page_count(buf->page) == 1 && !pipe->tmp_page)
		pipe->tmp_page = buf->page;
	else
		put_page(buf->page);
}

const struct pipe_buf_operations anon_pipe_buf_ops = {
	.release	= anon_pipe_buf_release,
	.get		= generic_pipe_buf_get,
};

static void page_cache_pipe_buf_release(struct pipe_inode_info *pipe,
					struct pipe_buffer *buf)
{
	put_page(buf->page);
}

const struct pipe_buf_operations page_cache_pipe_buf_ops = {
	.release	= page_cache_pipe_buf_release,
	.get		= generic_pipe_buf_get,
};

struct pipe_inode_info *get_pipe_info(const struct file *file)
{
	return file->f_op == &pipefifo_fops ? file->private_data : NULL;
}

void pipe_lock(struct pipe_inode_info *pipe)
{
	mutex_lock(&pipe->mutex);
}

void pipe_unlock(struct pipe_inode_info *pipe)
{
	mutex_unlock(&pipe->mutex);
}

/* By address, so that two who have them the other way round do not wait. */
void pipe_double_lock(struct pipe_inode_info *pipe1,
		      struct pipe_inode_info *pipe2)
{
	pipe_lock(pipe1 < pipe2 ? pipe1 : pipe2);
	pipe_lock(pipe1 < pipe2 ? pipe2 : pipe1);
}

void pipe_wait_readable(struct pipe_inode_info *pipe)
{
	pipe_unlock(pipe);
	wait_event_interruptible(pipe->rd_wait, pipe_readable(pipe));
	pipe_lock(pipe);
}

void pipe_wait_writable(struct pipe_inode_info *pipe)
{
	pipe_unlock(pipe);
	wait_event_interruptible(pipe->wr_wait, pipe_writable(pipe));
	pipe_lock(pipe);
}

void wakeup_pipe_readers(struct pipe_inode_info *pipe)
{
	wake_up_interruptible(&pipe->rd_wait);
}

void wakeup_pipe_writers(struct pipe_inode_info *pipe)
{
	wake_up_interruptible(&pipe->wr_wait);
}

void pipe_push(struct pipe_inode_info *pipe, const struct pipe_buffer *buf)
{
	*pipe_buf(pipe, pipe->head) = *buf;
	WRITE_ONCE(pipe->head, pipe->head + 1);
}

void pipe_discard_from(struct pipe_inode_info *pipe, unsigned int head)
{
	while (pipe->head != head) {
		WRITE_ONCE(pipe->head, pipe->head - 1);
		pipe_buf_release(pipe, pipe_buf(pipe, pipe->head));
	}
}
