/* SPDX-License-Identifier: GPL-2.0-only */
/* Pipes: a ring of pages between writers and readers. */
#ifndef _LINUX_PIPE_FS_I_H
#define _LINUX_PIPE_FS_I_H

#include <linux/mutex.h>
#include <linux/wait.h>

#define PIPE_DEF_BUFFERS	16
#define PIPE_BUF		4096	/* written without interleaving */

struct file;
struct inode;
struct page;

struct pipe_buffer {
	struct page	*page;
	unsigned int	offset;
	unsigned int	len;
};

/*
 * head and tail count up without bounds; a slot is their value modulo the
 * ring's size, a power of two. mutex protects everything.
 */
struct pipe_inode_info {
	struct mutex		mutex;
	wait_queue_head_t	rd_wait;
	wait_queue_head_t	wr_wait;
	unsigned int		head;		/* writers fill here */
	unsigned int		tail;		/* readers take from here */
	unsigned int		ring_size;
	unsigned int		readers;	/* open files */
	unsigned int		writers;
	unsigned int		files;		/* both, under i_lock */
	unsigned int		r_counter;	/* a FIFO's: readers so far */
	unsigned int		w_counter;
	struct page		*tmp_page;	/* the last one emptied */
	struct pipe_buffer	*bufs;
};

struct pipe_inode_info *alloc_pipe_info(void);
void free_pipe_info(struct pipe_inode_info *pipe);
/* How many bytes fit; -EBADF if @file is no pipe. */
long pipe_size(const struct file *file);
void put_pipe_info(struct inode *inode, struct pipe_inode_info *pipe);
extern const struct file_operations pipefifo_fops;

static inline unsigned int pipe_occupancy(unsigned int head, unsigned int tail)
{
	return head - tail;
}

static inline bool pipe_empty(unsigned int head, unsigned int tail)
{
	return head == tail;
}

static inline bool pipe_full(unsigned int head, unsigned int tail,
			     unsigned int limit)
{
	return pipe_occupancy(head, tail) >= limit;
}

#endif
