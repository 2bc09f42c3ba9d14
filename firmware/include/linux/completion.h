/* SPDX-License-Identifier: GPL-2.0-only */
/* Waiting for something to have happened. */
#ifndef _LINUX_COMPLETION_H
#define _LINUX_COMPLETION_H

#include <linux/wait.h>

struct completion {
	unsigned int done;
	wait_queue_head_t wait;
};

#define COMPLETION_INITIALIZER(name) \
	{ .wait = __WAIT_QUEUE_HEAD_INITIALIZER((name).wait) }
#define DECLARE_COMPLETION(name) \
	struct completion name = COMPLETION_INITIALIZER(name)
#define DECLARE_COMPLETION_ONSTACK(name)	DECLARE_COMPLETION(name)

static inline void init_completion(struct completion *x)
{
	x->done = 0;
	init_waitqueue_head(&x->wait);
}

static inline void reinit_completion(struct completion *x)
{
	x->done = 0;
}

void complete(struct completion *x);
void complete_all(struct completion *x);
void wait_for_completion(struct completion *x);
/* The jiffies left, at least 1; 0 if it did not come in time. */
unsigned long wait_for_completion_timeout(struct completion *x,
					  unsigned long timeout);
/* 0, or -ERESTARTSYS. */
int wait_for_completion_interruptible(struct completion *x);
bool try_wait_for_completion(struct completion *x);
bool completion_done(struct completion *x);
/* -ERESTARTSYS if the caller is to end first. */
int wait_for_completion_killable(struct completion *x);

#endif
