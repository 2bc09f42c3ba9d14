/* SPDX-License-Identifier: GPL-2.0-only */
/* Completions. */
#include <linux/completion.h>
#include <linux/kernel.h>
#include <linux/sched.h>

void complete(struct completion *x)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&x->wait.lock, flags);
	x->done++;
	swake_up_locked(&x->wait);
	raw_spin_unlock_irqrestore(&x->wait.lock, flags);
}

/* With the queue locked. */
static int __sched do_wait_for_common(struct completion *x, int state)
{
	DECLARE_SWAITQUEUE(wait);
	int ret = 0;

	while (!x->done) {
		if (signal_pending_state(state, current)) {
			ret = -ERESTARTSYS;
			break;
		}
		__prepare_to_swait(&x->wait, &wait);
		__set_current_state(state);
		raw_spin_unlock_irq(&x->wait.lock);
		schedule_timeout(MAX_SCHEDULE_TIMEOUT);
		raw_spin_lock_irq(&x->wait.lock);
	}
	__finish_swait(&x->wait, &wait);
	return ret;
}

static int __sched wait_for_common(struct completion *x, int state)
{
	int ret = 0;

	might_sleep();
	raw_spin_lock_irq(&x->wait.lock);
	if (!x->done)
		ret = do_wait_for_common(x, state);
	if (!ret)
		x->done--;
	raw_spin_unlock_irq(&x->wait.lock);
	return ret;
}

void __sched wait_for_completion(struct completion *x)
{
	wait_for_common(x, TASK_UNINTERRUPTIBLE);
}

int __sched wait_for_completion_killable(struct completion *x)
{
	return wait_for_common(x, TASK_KILLABLE);
}
