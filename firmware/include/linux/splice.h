/* SPDX-License-Identifier: GPL-2.0-only */
/* Moving data between files and pipes without copying it. */
#ifndef _LINUX_SPLICE_H
#define _LINUX_SPLICE_H

#include <linux/pipe_fs_i.h>
#include <linux/types.h>

struct file;

#define SPLICE_F_MOVE		0x01	/* changes nothing */
#define SPLICE_F_NONBLOCK	0x02	/* do not wait for the pipe */
#define SPLICE_F_MORE		0x04	/* changes nothing */
#define SPLICE_F_GIFT		0x08	/* changes nothing */
#define SPLICE_F_ALL		0x0f

/* What is moved out of a pipe, and how far that has come. */
struct splice_desc {
	size_t		len;		/* the part that the actor gets */
	size_t		total_len;	/* left to be moved */
	unsigned int	flags;
	void		*data;		/* the actor's */
	size_t		num_spliced;
	bool		need_wakeup;	/* slots have become free */
};

/* How many of sd->len bytes it has taken, or -errno; with the pipe locked. */
typedef ssize_t (splice_actor)(struct pipe_inode_info *pipe,
			       struct pipe_buffer *buf, struct splice_desc *sd);

/* from_pipe.c. With the pipe locked, and then without. */
ssize_t __splice_from_pipe(struct pipe_inode_info *pipe, struct splice_desc *sd,
			   splice_actor *actor);
ssize_t splice_from_pipe(struct pipe_inode_info *pipe, size_t len,
			 unsigned int flags, splice_actor *actor);

#endif
