/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Timers of processes: a signal when the time has come. One that comes again
 * and again is started anew when its signal is taken, and counts what it missed;
 * so a process never has more than one signal of each timer. siglock protects
 * all of it.
 */
#include <linux/errno.h>
#include <linux/hrtimer.h>
#include <linux/init.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/posix-timers.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/syscalls.h>
#include <linux/uaccess.h>

/* Of one process. */
#define POSIX_TIMERS_MAX	1024

struct sigevent {
	union sigval sigev_value;
	int sigev_signo;
	int sigev_notify;
	int sigev_notify_thread_id;
	int __pad[11];
};

struct k_itimer {
	struct list_head list;		/* in signal->posix_timers */
	int it_id;
	clockid_t it_clock;
	int it_sigev_notify;
	struct signal_struct *it_signal;
	struct task_struct *it_task;	/* NULL: any thread */
	struct sigqueue *sigq;
	ktime_t it_interval;		/* 0: it comes once */
	s64 it_overrun;
	s64 it_overrun_last;		/* as of the signal taken last */
	struct hrtimer timer;
};

static struct kmem_cache *posix_timers_cache;

static int timer_overrun_to_int(const struct k_itimer *timr)
{
	return min_t(s64, timr->it_overrun_last, INT_MAX);
}

/* The one after the last, from now on. */
static void common_hrtimer_rearm(struct k_itimer *timr)
{
	timr->it_overrun += hrtimer_forward(&timr->timer, ktime_get(),
					    timr->it_interval);
	hrtimer_start(&timr->timer, timr->timer.expires, HRTIMER_MODE_ABS);
}

/* With siglock held: the signal is taken. */
void posixtimer_rearm(struct k_itimer *timr, struct kernel_siginfo *info)
{
	if (timr->it_interval && !hrtimer_is_queued(&timr->timer)) {
		common_hrtimer_rearm(timr);
		timr->it_overrun_last = timr->it_overrun;
		timr->it_overrun = -1;
	}
	info->si_overrun = timer_overrun_to_int(timr);
}

static enum hrtimer_restart posix_timer_fn(struct hrtimer *timer)
{
	struct k_itimer *timr = container_of(timer, struct k_itimer, timer);
	enum hrtimer_restart ret = HRTIMER_NORESTART;
	struct task_struct *target = timr->it_task;
	unsigned long flags;

	if (!target)
		target = timr->it_signal->real_timer_task;
	if (timr->it_sigev_notify == SIGEV_NONE ||
	    !lock_task_sighand(target, &flags))
		return ret;
	/* One that is ignored is never taken: a tick apart is enough then. */
	if (send_sigqueue(timr->sigq, target,
			  timr->it_task ? PIDTYPE_PID : PIDTYPE_TGID) &&
	    timr->it_interval) {
		timr->it_overrun += hrtimer_forward(timer,
						    ktime_get() + TICK_NSEC,
						    timr->it_interval);
		ret = HRTIMER_RESTART;
	}
	unlock_task_sighand(target, &flags);
	return ret;
}

/* With siglock held; its function, which wants it, does not run afterwards. */
static void cancel_timer(struct k_itimer *timr)
{
	while (hrtimer_try_to_cancel(&timr->timer) < 0) {
		spin_unlock_irq(&current->sighand->siglock);
		cpu_relax();
		spin_lock_irq(&current->sighand->siglock);
	}
}

static struct k_itimer *find_timer(int id)
{
	struct k_itimer *timr;

	list_for_each_entry(timr, &current->signal->posix_timers, list)
		if (timr->it_id == id)
			return timr;
	return NULL;
}

static void release_posix_timer(struct k_itimer *timr)
{
	if (timr->sigq)
		sigqueue_free(timr->sigq);
	if (timr->it_task)
		put_task_struct(timr->it_task);
	kmem_cache_free(posix_timers_cache, timr);
}

/* To whom the signal goes. */
static int good_sigevent(struct k_itimer *timr, const struct sigevent *event)
{
	struct task_struct *p;

	switch (event->sigev_notify) {
	case SIGEV_SIGNAL | SIGEV_THREAD_ID:
		p = find_get_task_by_vpid(event->sigev_notify_thread_id);
		timr->it_task = p;
		if (!p || !same_thread_group(p, current))
			return -EINVAL;
		fallthrough;
	case SIGEV_SIGNAL:
	case SIGEV_THREAD:
		return event->sigev_signo > 0 && valid_signal(event->sigev_signo) ?
		       0 : -EINVAL;
	case SIGEV_NONE:
		return 0;
	default:
		return -EINVAL;
	}
}

static int add_timer_to_process(struct k_itimer *timr)
{
	struct signal_struct *sig = current->signal;
	int err = -EAGAIN;

	spin_lock_irq(&current->sighand->siglock);
	if (sig->nr_posix_timers < POSIX_TIMERS_MAX) {
		do {
			timr->it_id = sig->posix_timer_id++ & INT_MAX;
		} while (find_timer(timr->it_id));
		sig->nr_posix_timers++;
		sig->real_timer_task = current->group_leader;
		err = 0;
	}
	spin_unlock_irq(&current->sighand->siglock);
	return err;
}

static int do_timer_create(struct k_itimer *timr, const struct sigevent *event,
			   int __user *created_timer_id)
{
	struct kernel_siginfo *info;
	int err = good_sigevent(timr, event);

	if (err)
		return err;
	timr->sigq = sigqueue_alloc(timr);
	if (!timr->sigq)
		return -EAGAIN;
	err = add_timer_to_process(timr);
	if (err)
		return err;
	info = &timr->sigq->info;
	info->si_signo = event->sigev_signo;
	info->si_code = SI_TIMER;
	info->si_tid = timr->it_id;
	info->si_sigval = event->sigev_value;
	timr->it_sigev_notify = event->sigev_notify;
	hrtimer_init(&timr->timer, timr->it_clock, HRTIMER_MODE_ABS);
	timr->timer.function = posix_timer_fn;
	err = put_user(timr->it_id, created_timer_id);
	/* From here on it is found. */
	spin_lock_irq(&current->sighand->siglock);
	if (err)
		current->signal->nr_posix_timers--;
	else
		list_add(&timr->list, &current->signal->posix_timers);
	spin_unlock_irq(&current->sighand->siglock);
	return err;
}

SYSCALL_DEFINE3(timer_create, const clockid_t, which_clock,
		struct sigevent __user *, timer_event_spec,
		timer_t __user *, created_timer_id)
{
	struct sigevent event = { .sigev_signo = SIGALRM };
	struct k_itimer *timr;
	int err;

	if (which_clock > CLOCK_BOOTTIME)
		return -EINVAL;
	if (which_clock != CLOCK_REALTIME && which_clock != CLOCK_MONOTONIC &&
	    which_clock != CLOCK_BOOTTIME)
		return -EOPNOTSUPP;
	if (timer_event_spec &&
	    copy_from_user(&event, timer_event_spec, sizeof(event)))
		return -EFAULT;
	timr = kmem_cache_zalloc(posix_timers_cache, GFP_KERNEL);
	if (!timr)
		return -EAGAIN;
	timr->it_clock = which_clock;
	timr->it_signal = current->signal;
	timr->it_overrun = -1;
	err = do_timer_create(timr, &event, created_timer_id);
	if (err)
		release_posix_timer(timr);
	return err;
}

/* What is left, and how often it comes, with siglock held. */
static void common_timer_get(struct k_itimer *timr, ktime_t *value,
			     ktime_t *interval)
{
	ktime_t now = ktime_get();

	*interval = timr->it_interval;
	*value = 0;
	if (!timr->timer.expires)
		return;
	/* Its signal waits to be taken, or it has none. */
	if (timr->it_interval && timr->timer.expires <= now)
		timr->it_overrun += hrtimer_forward(&timr->timer, now,
						    timr->it_interval);
	if (timr->timer.expires > now)
		*value = timr->timer.expires - now;
}

static void common_timer_set(struct k_itimer *timr, int flags, ktime_t value,
			     ktime_t interval)
{
	timr->it_interval = value ? interval : 0;
	timr->it_overrun = -1;
	timr->timer.expires = 0;
	if (value && flags & TIMER_ABSTIME)
		hrtimer_start(&timr->timer,
			      clock_to_monotonic(timr->it_clock, value),
			      HRTIMER_MODE_ABS);
	else if (value)
		hrtimer_start(&timr->timer, value, HRTIMER_MODE_REL);
}

SYSCALL_DEFINE4(timer_settime, timer_t, timer_id, int, flags,
		const struct __kernel_itimerspec __user *, new_setting,
		struct __kernel_itimerspec __user *, old_setting)
{
	ktime_t value, interval, old_value, old_interval;
	struct k_itimer *timr;
	int err;

	if (!new_setting)
		return -EINVAL;
	err = get_itimerspec(&value, &interval, new_setting);
	if (err)
		return err;
	spin_lock_irq(&current->sighand->siglock);
	/* Whenever the lock was let go, it may have been deleted. */
	while ((timr = find_timer(timer_id)) &&
	       hrtimer_try_to_cancel(&timr->timer) < 0) {
		spin_unlock_irq(&current->sighand->siglock);
		cpu_relax();
		spin_lock_irq(&current->sighand->siglock);
	}
	if (timr) {
		common_timer_get(timr, &old_value, &old_interval);
		common_timer_set(timr, flags, value, interval);
	}
	spin_unlock_irq(&current->sighand->siglock);
	if (!timr)
		return -EINVAL;
	return old_setting ?
	       put_itimerspec(old_value, old_interval, old_setting) : 0;
}

SYSCALL_DEFINE2(timer_gettime, timer_t, timer_id,
		struct __kernel_itimerspec __user *, setting)
{
	ktime_t value, interval;
	struct k_itimer *timr;

	spin_lock_irq(&current->sighand->siglock);
	timr = find_timer(timer_id);
	if (timr)
		common_timer_get(timr, &value, &interval);
	spin_unlock_irq(&current->sighand->siglock);
	return timr ? put_itimerspec(value, interval, setting) : -EINVAL;
}

SYSCALL_DEFINE1(timer_getoverrun, timer_t, timer_id)
{
	struct k_itimer *timr;
	int overrun = -EINVAL;

	spin_lock_irq(&current->sighand->siglock);
	timr = find_timer(timer_id);
	if (timr)
		overrun = timer_overrun_to_int(timr);
	spin_unlock_irq(&current->sighand->siglock);
	return overrun;
}

/* With siglock held: nobody finds it any more, and it does not run. */
static void remove_timer(struct k_itimer *timr)
{
	list_del(&timr->list);
	current->signal->nr_posix_timers--;
	cancel_timer(timr);
}

SYSCALL_DEFINE1(timer_delete, timer_t, timer_id)
{
	struct k_itimer *timr;

	spin_lock_irq(&current->sighand->siglock);
	timr = find_timer(timer_id);
	if (timr)
		remove_timer(timr);
	spin_unlock_irq(&current->sighand->siglock);
	if (!timr)
		return -EINVAL;
	release_posix_timer(timr);
	return 0;
}

/* The process ends, or becomes another program. */
void exit_itimers(struct task_struct *tsk)
{
	struct signal_struct *sig = tsk->signal;
	struct k_itimer *timr;

	while (!list_empty(&sig->posix_timers)) {
		spin_lock_irq(&tsk->sighand->siglock);
		timr = list_first_entry(&sig->posix_timers, struct k_itimer,
					list);
		remove_timer(timr);
		spin_unlock_irq(&tsk->sighand->siglock);
		release_posix_timer(timr);
	}
}

static int __init init_posix_timers(void)
{
	posix_timers_cache = kmem_cache_create("posix_timers_cache",
					       sizeof(struct k_itimer), 0,
					       SLAB_PANIC, NULL);
	return 0;
}
core_initcall(init_posix_timers);
