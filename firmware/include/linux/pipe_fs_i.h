/* SPDX-License-Identifier: GPL-2.0-only */
/* Pipes: a ring of pages between writers and readers. */
#ifndef _LINUX_PIPE_FS_I_H
#define _LINUX_PIPE_FS_I_H

#include <linux/mutex.h>
#include <linux/types.h>
#include <linux/wait.h>

#define PIPE_DEF_BUFFERS	16
#define PIPE_BUF		4096	/* written without interleaving */

struct file;
struct inode;
struct page;
struct pipe_inode_info;

/* Bytes of a page, of which others may have references, too. */
struct pipe_buffer {
	struct page	*page;
	unsigned int	offset;
	unsigned int	len;
	const struct pipe_buf_operations *ops;
	unsigned int	flags;
};

/* A write may go on behind it: nobody else uses the rest of its page. */
#define PIPE_BUF_FLAG_CAN_MERGE	0x10

struct pipe_buf_operations {
	/* The buffer is done with: so is its reference. */
	void (*release)(struct pipe_inode_info *pipe, struct pipe_buffer *buf);
	/* Takes a reference for another buffer of the same page. */
	void (*get)(struct pipe_inode_info *pipe, struct pipe_buffer *buf);
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
void put_pipe_info(struct inode *inode, struct pipe_inode_info *pipe);
extern const struct file_operations pipefifo_fops;

/* resize.c: F_SETPIPE_SZ and F_GETPIPE_SZ */
long pipe_fcntl(struct file *file, unsigned int cmd, unsigned long arg);

/* buffer.c. The pipe of a file; NULL if it is none. */
struct pipe_inode_info *get_pipe_info(const struct file *file);
void pipe_lock(struct pipe_inode_info *pipe);
void pipe_unlock(struct pipe_inode_info *pipe);
/* Two different ones. */
void pipe_double_lock(struct pipe_inode_info *pipe1,
		      struct pipe_inode_info *pipe2);
/* Sleep without the lock, until something has come, or there is room. */
void pipe_wait_readable(struct pipe_inode_info *pipe);
void pipe_wait_writable(struct pipe_inode_info *pipe);
void wakeup_pipe_readers(struct pipe_inode_info *pipe);
void wakeup_pipe_writers(struct pipe_inode_info *pipe);
/* Adds a buffer, for which there is a slot. */
void pipe_push(struct pipe_inode_info *pipe, const struct pipe_buffer *buf);
/* Drops the newest buffers, back to @head. */
void pipe_discard_from(struct pipe_inode_info *pipe, unsigned int head);
/* For pages that others use as well. */
extern const struct pipe_buf_operations page_cache_pipe_buf_ops;
/* For pages that are the pipe's: the next writer may have the last. */
extern const struct pipe_buf_operations anon_pipe_buf_ops;

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

static inline bool pipe_readable(const struct pipe_inode_info *pipe)
{
	return !pipe_empty(READ_ONCE(pipe->head), READ_ONCE(pipe->tail)) ||
	       !READ_ONCE(pipe->writers);
}

static inline bool pipe_writable(const struct pipe_inode_info *pipe)
{
	return !pipe_full(READ_ONCE(pipe->head), READ_ONCE(pipe->tail),
			  pipe->ring_size) || !READ_ONCE(pipe->readers);
}

static inline struct pipe_buffer *pipe_buf(const struct pipe_inode_info *pipe,
					   unsigned int slot)
{
	return &pipe->bufs[slot & (pipe->ring_size - 1)];
}

static inline void pipe_buf_release(struct pipe_inode_info *pipe,
				    struct pipe_buffer *buf)
{
	buf->ops->release(pipe, buf);
}

static inline void pipe_buf_get(struct pipe_inode_info *pipe,
				struct pipe_buffer *buf)
{
	buf->ops->get(pipe, buf);
}

/* The oldest buffer has been read. */
static inline void pipe_drop_tail(struct pipe_inode_info *pipe)
{
	pipe_buf_release(pipe, pipe_buf(pipe, pipe->tail));
	WRITE_ONCE(pipe->tail, pipe->tail + 1);
}

#endif
