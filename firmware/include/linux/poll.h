/* SPDX-License-Identifier: GPL-2.0-only */
/* Waiting until one of several files can be read or written. */
#ifndef _LINUX_POLL_H
#define _LINUX_POLL_H

#include <linux/fs.h>
#include <linux/types.h>
#include <linux/wait.h>

/* The kernel's own; programs' may differ, see <asm/poll.h>. */
#define EPOLLIN		0x0001
#define EPOLLPRI	0x0002
#define EPOLLOUT	0x0004
#define EPOLLERR	0x0008
#define EPOLLHUP	0x0010
#define EPOLLNVAL	0x0020
#define EPOLLRDNORM	0x0040
#define EPOLLRDBAND	0x0080
#define EPOLLWRNORM	0x0100
#define EPOLLWRBAND	0x0200
#define EPOLLRDHUP	0x2000

#define DEFAULT_POLLMASK (EPOLLIN | EPOLLOUT | EPOLLRDNORM | EPOLLWRNORM)

struct pollfd {
	int	fd;
	short	events;
	short	revents;
};

struct poll_table_struct;

typedef void (*poll_queue_proc)(struct file *file, wait_queue_head_t *wq,
				struct poll_table_struct *pt);

typedef struct poll_table_struct {
	poll_queue_proc	_qproc;		/* NULL: only look */
	__poll_t	_key;		/* what is waited for */
} poll_table;

/* What a file's ->poll calls for each queue that it wakes. */
static inline void poll_wait(struct file *file, wait_queue_head_t *wq,
			     poll_table *pt)
{
	if (pt && pt->_qproc && wq)
		pt->_qproc(file, wq, pt);
}

/* What always can be read and written has no ->poll. */
static inline __poll_t vfs_poll(struct file *file, poll_table *pt)
{
	if (!file->f_op->poll)
		return DEFAULT_POLLMASK;
	return file->f_op->poll(file, pt);
}

#define N_INLINE_POLL_ENTRIES	8

struct poll_table_entry {
	struct file		*file;
	__poll_t		key;
	wait_queue_entry_t	wait;
	wait_queue_head_t	*wait_address;
};

struct poll_table_page;

/* A task's places in the queues of all the files that it waits for. */
struct poll_wqueues {
	poll_table		pt;
	struct poll_table_page	*table;
	struct task_struct	*polling_task;
	int			triggered;
	int			error;
	int			inline_index;
	struct poll_table_entry	inline_entries[N_INLINE_POLL_ENTRIES];
};

void poll_initwait(struct poll_wqueues *pwq);
void poll_freewait(struct poll_wqueues *pwq);
/* 0: the time has come; @expires is NULL for no end. */
int poll_schedule_timeout(struct poll_wqueues *pwq, int state,
			  const ktime_t *expires);

/* From a user's timeout to when that is; false: there is no end. */
bool poll_end_time(ktime_t *end, const struct timespec64 *timeout);

#endif
