/* SPDX-License-Identifier: GPL-2.0-only */
/* Completions. */
#include <linux/completion.h>
#include <linux/sched.h>

void complete(struct completion *x)
{
	unsigned long flags;

	spin_lock_irqsave(&x->wait.lock, flags);
	x->done++;
	__wake_up_locked(&x->wait, TASK_NORMAL, 1);
	spin_unlock_irqrestore(&x->wait.lock, flags);
}

static void do_wait_for_common(struct completion *x)
{
	DEFINE_WAIT_FUNC(wait, default_wake_function);

	wait.flags = WQ_FLAG_EXCLUSIVE;
	list_add_tail(&wait.entry, &x->wait.head);
	while (!x->done) {
		set_current_state(TASK_UNINTERRUPTIBLE);
		spin_unlock_irq(&x->wait.lock);
		schedule();
		spin_lock_irq(&x->wait.lock);
	}
	__set_current_state(TASK_RUNNING);
	list_del(&wait.entry);
}

void wait_for_completion(struct completion *x)
{
	spin_lock_irq(&x->wait.lock);
	if (!x->done)
		do_wait_for_common(x);
	x->done--;
	spin_unlock_irq(&x->wait.lock);
}
