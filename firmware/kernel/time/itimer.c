/* SPDX-License-Identifier: GPL-2.0-only */
/* The process's alarm clocks: a signal after a time, once or again and again. */
#include <linux/hrtimer.h>
#include <linux/kernel.h>
#include <linux/posix-timers.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/syscalls.h>
#include <linux/uaccess.h>
#include <trace/events/timer.h>

static inline unsigned int itimer_clock(int which)
{
	return which == ITIMER_PROF ? CPUCLOCK_PROF : CPUCLOCK_VIRT;
}

struct __kernel_old_itimerval {
	struct __kernel_old_timeval it_interval;
	struct __kernel_old_timeval it_value;
};

/* The next one is set when this one's signal is taken. */
enum hrtimer_restart it_real_fn(struct hrtimer *timer)
{
	struct signal_struct *sig =
		container_of(timer, struct signal_struct, real_timer);

	trace_itimer_expire(ITIMER_REAL, sig->real_timer_task->pid, 0);
	do_send_sig_info(SIGALRM, SEND_SIG_PRIV, sig->real_timer_task,
			 PIDTYPE_TGID);
	return HRTIMER_NORESTART;
}

/* With siglock held: SIGALRM has been taken. */
void itimer_rearm(struct signal_struct *sig)
{
	if (!sig->it_real_incr || hrtimer_is_queued(&sig->real_timer))
		return;
	hrtimer_forward(&sig->real_timer, ktime_get(), sig->it_real_incr);
	hrtimer_start(&sig->real_timer, sig->real_timer.expires,
		      HRTIMER_MODE_ABS);
}

/* Sets the timer; returns what was left of it, and how often it came. */
static void set_real_itimer(ktime_t value, ktime_t interval,
			    ktime_t *old_value,
			    ktime_t *old_interval)
{
	struct signal_struct *sig = current->signal;
	spinlock_t *lock = &current->sighand->siglock;
	struct hrtimer *timer = &sig->real_timer;

	spin_lock_irq(lock);
	*old_interval = sig->it_real_incr;
	*old_value = hrtimer_is_queued(timer) ?
		     max_t(ktime_t, timer->expires - ktime_get(), 1) : 0;
	/* Its function wants the lock that is held here. */
	while (hrtimer_try_to_cancel(timer) < 0) {
		spin_unlock_irq(lock);
		cpu_relax();
		spin_lock_irq(lock);
	}
	sig->it_real_incr = value ? interval : 0;
	sig->real_timer_task = current->group_leader;
	if (value)
		hrtimer_start(timer, value, HRTIMER_MODE_REL);
	trace_itimer_state(ITIMER_REAL, value, interval, 0);
	spin_unlock_irq(lock);
}

static void do_setitimer(int which, ktime_t value, ktime_t interval,
			 ktime_t *old_value, ktime_t *old_interval)
{
	if (which == ITIMER_REAL)
		set_real_itimer(value, interval, old_value, old_interval);
	else
		set_cpu_itimer(itimer_clock(which), value, interval, old_value,
			       old_interval);
}

static void get_real_itimer(ktime_t *value, ktime_t *interval)
{
	struct signal_struct *sig = current->signal;

	spin_lock_irq(&current->sighand->siglock);
	*interval = sig->it_real_incr;
	*value = hrtimer_is_queued(&sig->real_timer) ?
		 max_t(ktime_t, sig->real_timer.expires - ktime_get(), 1) : 0;
	spin_unlock_irq(&current->sighand->siglock);
}

static bool get_timeval(ktime_t *t, const struct __kernel_old_timeval *tv)
{
	if (tv->tv_sec < 0 || tv->tv_usec < 0 || tv->tv_usec >= USEC_PER_SEC)
		return false;
	*t = timespec64_to_ktime((struct timespec64){
		.tv_sec = tv->tv_sec, .tv_nsec = tv->tv_usec * NSEC_PER_USEC });
	return true;
}

static int put_itimerval(struct __kernel_old_itimerval __user *to,
			 ktime_t value, ktime_t interval)
{
	struct __kernel_old_itimerval it = {
		.it_value.tv_sec = value / NSEC_PER_SEC,
		.it_value.tv_usec = value % NSEC_PER_SEC / NSEC_PER_USEC,
		.it_interval.tv_sec = interval / NSEC_PER_SEC,
		.it_interval.tv_usec = interval % NSEC_PER_SEC / NSEC_PER_USEC,
	};

	return copy_to_user(to, &it, sizeof(it)) ? -EFAULT : 0;
}

SYSCALL_DEFINE3(setitimer, int, which,
		struct __kernel_old_itimerval __user *, value,
		struct __kernel_old_itimerval __user *, ovalue)
{
	ktime_t left = 0, interval = 0, old_left, old_interval;
	struct __kernel_old_itimerval it;

	if (which < ITIMER_REAL || which > ITIMER_PROF)
		return -EINVAL;
	if (value) {
		if (copy_from_user(&it, value, sizeof(it)))
			return -EFAULT;
		if (!get_timeval(&left, &it.it_value) ||
		    !get_timeval(&interval, &it.it_interval))
			return -EINVAL;
	}
	do_setitimer(which, left, interval, &old_left, &old_interval);
	return ovalue ? put_itimerval(ovalue, old_left, old_interval) : 0;
}

SYSCALL_DEFINE2(getitimer, int, which,
		struct __kernel_old_itimerval __user *, value)
{
	ktime_t left, interval;

	if (which < ITIMER_REAL || which > ITIMER_PROF)
		return -EINVAL;
	if (which == ITIMER_REAL)
		get_real_itimer(&left, &interval);
	else
		get_cpu_itimer(itimer_clock(which), &left, &interval);
	return put_itimerval(value, left, interval);
}

/* In seconds, rounded; but what is left is never said to be nothing. */
SYSCALL_DEFINE1(alarm, unsigned int, seconds)
{
	ktime_t left, interval;

	set_real_itimer((ktime_t)seconds * NSEC_PER_SEC, 0, &left, &interval);
	if (left && left < NSEC_PER_SEC)
		return 1;
	return (left + NSEC_PER_SEC / 2) / NSEC_PER_SEC;
}
