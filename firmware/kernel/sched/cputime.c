/* SPDX-License-Identifier: GPL-2.0-only */
/* Who used how much time. */
#include <linux/kernel.h>
#include <linux/sched.h>
#include "sched.h"

static void account_user_time(struct task_struct *p)
{
	p->utime++;
}

static void account_system_time(struct task_struct *p)
{
	p->stime++;
}

void account_process_tick(struct task_struct *p, int user_tick)
{
	if (user_tick)
		account_user_time(p);
	else
		account_system_time(p);
}

/* In nanoseconds, up to now. */
u64 task_sched_runtime(struct task_struct *p)
{
	struct rq *rq = task_rq(p);
	unsigned long flags;
	u64 runtime;

	raw_spin_lock_irqsave(&rq->__lock, flags);
	if (rq->cfs.curr == &p->se) {
		update_rq_clock(rq);
		update_curr(&rq->cfs);
	}
	runtime = p->se.sum_exec_runtime;
	raw_spin_unlock_irqrestore(&rq->__lock, flags);
	return runtime;
}
