/* SPDX-License-Identifier: GPL-2.0-only */
/* What threads, processes and their children have used: times, getrusage. */
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/resource.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/syscalls.h>
#include <linux/uaccess.h>

/* In which times(2) counts. */
#define USER_HZ		100

void add_usage(struct task_usage *sum, const struct task_usage *usage)
{
	sum->utime += usage->utime;
	sum->stime += usage->stime;
	sum->sum_exec_runtime += usage->sum_exec_runtime;
	sum->nvcsw += usage->nvcsw;
	sum->nivcsw += usage->nivcsw;
	sum->min_flt += usage->min_flt;
	sum->maj_flt += usage->maj_flt;
	sum->maxrss = max(sum->maxrss, usage->maxrss);
}

void add_task_usage(struct task_usage *sum, struct task_struct *t)
{
	const struct task_usage usage = {
		.utime = t->utime,
		.stime = t->stime,
		.sum_exec_runtime = task_sched_runtime(t),
		.nvcsw = t->nvcsw,
		.nivcsw = t->nivcsw,
		.min_flt = t->min_flt,
		.maj_flt = t->maj_flt,
	};

	add_usage(sum, &usage);
}

void thread_group_usage(struct task_struct *p, struct task_usage *usage)
{
	struct task_struct *t;

	*usage = p->signal->usage;
	for_each_thread(p, t)
		add_task_usage(usage, t);
}

static void ticks_to_timeval(struct __kernel_old_timeval *tv, u64 ticks)
{
	tv->tv_sec = ticks / HZ;
	tv->tv_usec = ticks % HZ * (USEC_PER_SEC / HZ);
}

void fill_rusage(struct rusage *r, const struct task_usage *usage)
{
	memset(r, 0, sizeof(*r));
	ticks_to_timeval(&r->ru_utime, usage->utime);
	ticks_to_timeval(&r->ru_stime, usage->stime);
	r->ru_maxrss = usage->maxrss << (PAGE_SHIFT - 10);
	r->ru_minflt = usage->min_flt;
	r->ru_majflt = usage->maj_flt;
	r->ru_nvcsw = usage->nvcsw;
	r->ru_nivcsw = usage->nivcsw;
}

/* The most the process ever had, in this program or one before. */
static unsigned long own_maxrss(void)
{
	unsigned long maxrss = READ_ONCE(current->mm->hiwater_rss);

	return max(maxrss, current->signal->usage.maxrss);
}

SYSCALL_DEFINE2(getrusage, int, who, struct rusage __user *, ru)
{
	struct task_usage usage = {};
	struct rusage r;

	if (who < RUSAGE_CHILDREN || who > RUSAGE_THREAD)
		return -EINVAL;
	spin_lock_irq(&current->sighand->siglock);
	if (who == RUSAGE_THREAD)
		add_task_usage(&usage, current);
	else if (who == RUSAGE_SELF)
		thread_group_usage(current, &usage);
	else
		usage = current->signal->cusage;
	if (who != RUSAGE_CHILDREN)
		usage.maxrss = own_maxrss();
	spin_unlock_irq(&current->sighand->siglock);
	fill_rusage(&r, &usage);
	return copy_to_user(ru, &r, sizeof(r)) ? -EFAULT : 0;
}

struct tms {
	long tms_utime;
	long tms_stime;
	long tms_cutime;
	long tms_cstime;
};

static long to_clock_t(u64 ticks)
{
	return ticks / (HZ / USER_HZ);
}

SYSCALL_DEFINE1(times, struct tms __user *, tbuf)
{
	struct task_usage usage, children;
	struct tms tms;

	if (tbuf) {
		spin_lock_irq(&current->sighand->siglock);
		thread_group_usage(current, &usage);
		children = current->signal->cusage;
		spin_unlock_irq(&current->sighand->siglock);
		tms.tms_utime = to_clock_t(usage.utime);
		tms.tms_stime = to_clock_t(usage.stime);
		tms.tms_cutime = to_clock_t(children.utime);
		tms.tms_cstime = to_clock_t(children.stime);
		if (copy_to_user(tbuf, &tms, sizeof(tms)))
			return -EFAULT;
	}
	return to_clock_t(jiffies);
}
