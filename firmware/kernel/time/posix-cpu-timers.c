/* SPDX-License-Identifier: GPL-2.0-only */
/* Clocks of the time that threads and processes use, and alarms by them. */
#include <linux/kernel.h>
#include <linux/posix-timers.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <trace/events/timer.h>

static u64 cpu_clock_sample(clockid_t which, const struct task_usage *usage)
{
	switch (which) {
	case CPUCLOCK_PROF:
		return (usage->utime + usage->stime) * TICK_NSEC;
	case CPUCLOCK_VIRT:
		return usage->utime * TICK_NSEC;
	default:
		return usage->sum_exec_runtime;
	}
}

/* Of the whole process. With siglock or tasklist_lock held. */
static u64 cpu_clock_sample_group(clockid_t which, struct task_struct *p)
{
	struct task_usage usage;

	thread_group_usage(p, &usage);
	return cpu_clock_sample(which, &usage);
}

/* Threads show each other their clocks, processes all of them. */
static struct task_struct *clock_task(clockid_t clock)
{
	pid_t pid = CPUCLOCK_PID(clock);
	struct task_struct *p = pid ? find_task_by_vpid(pid) : current;

	if (!p || p->exit_state)
		return NULL;
	if (CPUCLOCK_PERTHREAD(clock))
		return same_thread_group(p, current) ? p : NULL;
	return !pid || thread_group_leader(p) ? p : NULL;
}

int posix_cpu_clock_get(clockid_t clock, ktime_t *now)
{
	clockid_t which = CPUCLOCK_WHICH(clock);
	struct task_usage usage = {};
	struct task_struct *p;

	if (which >= CPUCLOCK_MAX)
		return -EINVAL;
	spin_lock_irq(&tasklist_lock);
	p = clock_task(clock);
	if (p && CPUCLOCK_PERTHREAD(clock)) {
		add_task_usage(&usage, p);
		*now = cpu_clock_sample(which, &usage);
	} else if (p) {
		*now = cpu_clock_sample_group(which, p);
	}
	spin_unlock_irq(&tasklist_lock);
	return p ? 0 : -EINVAL;
}

static inline int cpu_itimer_which(unsigned int clock)
{
	return clock == CPUCLOCK_VIRT ? ITIMER_VIRTUAL : ITIMER_PROF;
}

/* With siglock held: what is left of it, which is never nothing. */
static void read_cpu_itimer(unsigned int clock, ktime_t *value,
			    ktime_t *interval)
{
	const struct cpu_itimer *it = &current->signal->it[clock];
	u64 now;

	*interval = it->incr;
	*value = 0;
	if (!it->expires)
		return;
	now = cpu_clock_sample_group(clock, current);
	*value = it->expires > now ? it->expires - now : TICK_NSEC;
}

void get_cpu_itimer(unsigned int clock, ktime_t *value, ktime_t *interval)
{
	spin_lock_irq(&current->sighand->siglock);
	read_cpu_itimer(clock, value, interval);
	spin_unlock_irq(&current->sighand->siglock);
}

void set_cpu_itimer(unsigned int clock, ktime_t value, ktime_t interval,
		    ktime_t *old_value, ktime_t *old_interval)
{
	struct cpu_itimer *it = &current->signal->it[clock];

	spin_lock_irq(&current->sighand->siglock);
	read_cpu_itimer(clock, old_value, old_interval);
	it->incr = value ? interval : 0;
	it->expires = value ? ktime_add_safe(cpu_clock_sample_group(clock,
								    current),
					     value) : 0;
	trace_itimer_state(cpu_itimer_which(clock), value, interval,
			   it->expires);
	spin_unlock_irq(&current->sighand->siglock);
}

static void check_cpu_itimer(struct task_struct *tsk, unsigned int clock,
			     const struct task_usage *usage, int signo)
{
	struct cpu_itimer *it = &tsk->signal->it[clock];
	u64 now = cpu_clock_sample(clock, usage);

	if (!it->expires || now < it->expires)
		return;
	it->expires = it->incr ? it->expires + it->incr : 0;
	trace_itimer_expire(cpu_itimer_which(clock), tsk->tgid, now);
	send_signal_locked(signo, SEND_SIG_PRIV, tsk, PIDTYPE_TGID);
}

static void check_process_timers(struct task_struct *tsk)
{
	struct task_usage usage;

	thread_group_usage(tsk, &usage);
	check_cpu_itimer(tsk, CPUCLOCK_PROF, &usage, SIGPROF);
	check_cpu_itimer(tsk, CPUCLOCK_VIRT, &usage, SIGVTALRM);
}

static inline bool fastpath_timer_check(const struct task_struct *tsk)
{
	return READ_ONCE(tsk->signal->it[CPUCLOCK_PROF].expires) ||
	       READ_ONCE(tsk->signal->it[CPUCLOCK_VIRT].expires);
}

void run_posix_cpu_timers(void)
{
	struct task_struct *tsk = current;
	unsigned long flags;

	if (tsk->exit_state || !fastpath_timer_check(tsk) ||
	    !lock_task_sighand(tsk, &flags))
		return;
	check_process_timers(tsk);
	unlock_task_sighand(tsk, &flags);
}
