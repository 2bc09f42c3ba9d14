/* SPDX-License-Identifier: GPL-2.0-only */
/* FIFOs: pipes that have a name. Opening one end waits for the other. */
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/magic.h>
#include <linux/pipe_fs_i.h>
#include <linux/sched.h>
#include <linux/wait.h>

#include "../internal.h"

/* The FIFO's pipe, kept until pipe_release(); NULL if there is no memory. */
static struct pipe_inode_info *get_fifo_pipe(struct inode *inode)
{
	struct pipe_inode_info *pipe, *new = NULL;

	for (;;) {
		spin_lock(&inode->i_lock);
		pipe = inode->i_pipe;
		if (!pipe && new) {
			inode->i_pipe = pipe = new;
			new = NULL;
		}
		if (pipe)
			pipe->files++;
		spin_unlock(&inode->i_lock);
		if (pipe)
			break;
		new = alloc_pipe_info();
		if (!new)
			return NULL;
	}
	if (new)
		free_pipe_info(new);
	return pipe;
}

/* Until somebody has opened the other end, though he may have closed it. */
static int wait_for_partner(struct pipe_inode_info *pipe, wait_queue_head_t *wq,
			    unsigned int *counter, unsigned int seen)
{
	int err;

	mutex_unlock(&pipe->mutex);
	err = wait_event_interruptible(*wq, READ_ONCE(*counter) != seen);
	mutex_lock(&pipe->mutex);
	return err;
}

/* With the mutex, this end counted. */
static int meet_partner(struct pipe_inode_info *pipe, struct file *file)
{
	switch (file->f_mode & (FMODE_READ | FMODE_WRITE)) {
	case FMODE_READ:
		if (pipe->writers)
			return 0;
		if (file->f_flags & O_NONBLOCK) {
			/* Nobody has hung up yet. */
			file->f_version = pipe->w_counter;
			return 0;
		}
		return wait_for_partner(pipe, &pipe->rd_wait, &pipe->w_counter,
					pipe->w_counter);
	case FMODE_WRITE:
		if (pipe->readers)
			return 0;
		return wait_for_partner(pipe, &pipe->wr_wait, &pipe->r_counter,
					pipe->r_counter);
	default:
		return 0;
	}
}

static int fifo_open(struct inode *inode, struct file *file)
{
	struct pipe_inode_info *pipe = get_fifo_pipe(inode);
	int err;

	if (!pipe)
		return -ENOMEM;
	file->private_data = pipe;
	file->f_op = &pipefifo_fops;
	stream_open(inode, file);
	mutex_lock(&pipe->mutex);
	if ((file->f_mode & (FMODE_READ | FMODE_WRITE)) == FMODE_WRITE &&
	    (file->f_flags & O_NONBLOCK) && !pipe->readers) {
		mutex_unlock(&pipe->mutex);
		put_pipe_info(inode, pipe);
		return -ENXIO;
	}
	if (file->f_mode & FMODE_READ) {
		pipe->readers++;
		pipe->r_counter++;
	}
	if (file->f_mode & FMODE_WRITE) {
		pipe->writers++;
		pipe->w_counter++;
	}
	wake_up_interruptible_all(&pipe->rd_wait);
	wake_up_interruptible_all(&pipe->wr_wait);
	err = inode->i_sb->s_magic == PIPEFS_MAGIC ? 0 :
						     meet_partner(pipe, file);
	mutex_unlock(&pipe->mutex);
	if (err)
		pipefifo_fops.release(inode, file);
	return err;
}

const struct file_operations def_fifo_fops = {
	.open	= fifo_open,
};
