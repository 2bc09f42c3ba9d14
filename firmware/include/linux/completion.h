/* SPDX-License-Identifier: GPL-2.0-only */
/* Waiting for something to have happened. */
#ifndef _LINUX_COMPLETION_H
#define _LINUX_COMPLETION_H

#include <linux/swait.h>

struct completion {
	unsigned int done;
	struct swait_queue_head wait;
};

#define COMPLETION_INITIALIZER(name) \
	{ .wait = __SWAIT_QUEUE_HEAD_INITIALIZER((name).wait) }
#define DECLARE_COMPLETION(name) \
	struct completion name = COMPLETION_INITIALIZER(name)
#define DECLARE_COMPLETION_ONSTACK(name)	DECLARE_COMPLETION(name)

static inline void init_completion(struct completion *x)
{
	x->done = 0;
	init_swait_queue_head(&x->wait);
}

void complete(struct completion *x);
void wait_for_completion(struct completion *x);
/* -ERESTARTSYS if the caller is to end first. */
int wait_for_completion_killable(struct completion *x);

#endif
