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
	unsigned long flags;
	struct rq *rq = task_rq_lock(p, &flags);
	u64 runtime;

	if (task_current(rq, p) && task_on_rq_queued(p)) {
		update_rq_clock(rq);
		p->sched_class->update_curr(rq);
	}
	runtime = p->se.sum_exec_runtime;
	task_rq_unlock(rq, p, &flags);
	return runtime;
}
