/* SPDX-License-Identifier: GPL-2.0-only */
/* Completions. */
#include <linux/completion.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/sched.h>

/* completion.done after complete_all(): however many wait, it is enough. */
#define DONE_FOR_ALL	UINT_MAX

static __always_inline void complete_with(struct completion *x, bool all)
{
	unsigned long flags;

	spin_lock_irqsave(&x->wait.lock, flags);
	if (all)
		x->done = DONE_FOR_ALL;
	else if (x->done != DONE_FOR_ALL)
		x->done++;
	__wake_up_locked(&x->wait, TASK_NORMAL, all ? 0 : 1);
	spin_unlock_irqrestore(&x->wait.lock, flags);
}

void complete(struct completion *x)
{
	complete_with(x, false);
}

void complete_all(struct completion *x)
{
	complete_with(x, true);
}

/* With the queue locked. The timeout left, or -ERESTARTSYS. */
static long __sched
do_wait_for_common(struct completion *x, long timeout, int state)
{
	DEFINE_WAIT_FUNC(wait, default_wake_function);

	wait.flags = WQ_FLAG_EXCLUSIVE;
	list_add_tail(&wait.entry, &x->wait.head);
	while (!x->done && timeout > 0) {
		if (signal_pending_state(state, current)) {
			timeout = -ERESTARTSYS;
			break;
		}
		set_current_state(state);
		spin_unlock_irq(&x->wait.lock);
		timeout = schedule_timeout(timeout);
		spin_lock_irq(&x->wait.lock);
	}
	__set_current_state(TASK_RUNNING);
	list_del(&wait.entry);
	return timeout;
}

static long __sched
wait_for_common(struct completion *x, long timeout, int state)
{
	might_sleep();
	spin_lock_irq(&x->wait.lock);
	if (!x->done)
		timeout = do_wait_for_common(x, timeout, state);
	if (x->done) {
		if (x->done != DONE_FOR_ALL)
			x->done--;
		timeout = max(timeout, 1L);
	}
	spin_unlock_irq(&x->wait.lock);
	return timeout;
}

void __sched wait_for_completion(struct completion *x)
{
	wait_for_common(x, MAX_SCHEDULE_TIMEOUT, TASK_UNINTERRUPTIBLE);
}

unsigned long __sched wait_for_completion_timeout(struct completion *x,
					  unsigned long timeout)
{
	return wait_for_common(x, timeout, TASK_UNINTERRUPTIBLE);
}

int __sched wait_for_completion_interruptible(struct completion *x)
{
	long ret = wait_for_common(x, MAX_SCHEDULE_TIMEOUT, TASK_INTERRUPTIBLE);

	return ret < 0 ? ret : 0;
}

int __sched wait_for_completion_killable(struct completion *x)
{
	long ret = wait_for_common(x, MAX_SCHEDULE_TIMEOUT, TASK_KILLABLE);

	return ret < 0 ? ret : 0;
}

bool try_wait_for_completion(struct completion *x)
{
	unsigned long flags;
	bool done;

	spin_lock_irqsave(&x->wait.lock, flags);
	done = x->done;
	if (done && x->done != DONE_FOR_ALL)
		x->done--;
	spin_unlock_irqrestore(&x->wait.lock, flags);
	return done;
}

bool completion_done(struct completion *x)
{
	return READ_ONCE(x->done);
}
