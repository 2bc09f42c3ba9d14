/* SPDX-License-Identifier: GPL-2.0-only */
/* Completions. */
#include <linux/completion.h>
#include <linux/kernel.h>
#include <linux/sched.h>

void complete(struct completion *x)
{
	unsigned long flags;

	spin_lock_irqsave(&x->wait.lock, flags);
	x->done++;
	__wake_up_locked(&x->wait, TASK_NORMAL, 1);
	spin_unlock_irqrestore(&x->wait.lock, flags);
}

/* With the queue locked. */
static int __sched do_wait_for_common(struct completion *x, int state)
{
	DEFINE_WAIT_FUNC(wait, default_wake_function);
	int ret = 0;

	wait.flags = WQ_FLAG_EXCLUSIVE;
	list_add_tail(&wait.entry, &x->wait.head);
	while (!x->done) {
		if (signal_pending_state(state, current)) {
			ret = -ERESTARTSYS;
			break;
		}
		set_current_state(state);
		spin_unlock_irq(&x->wait.lock);
		schedule_timeout(MAX_SCHEDULE_TIMEOUT);
		spin_lock_irq(&x->wait.lock);
	}
	__set_current_state(TASK_RUNNING);
	list_del(&wait.entry);
	return ret;
}

static int __sched wait_for_common(struct completion *x, int state)
{
	int ret = 0;

	might_sleep();
	spin_lock_irq(&x->wait.lock);
	if (!x->done)
		ret = do_wait_for_common(x, state);
	if (!ret)
		x->done--;
	spin_unlock_irq(&x->wait.lock);
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
