/* SPDX-License-Identifier: GPL-2.0-only */
/* A task in numbers: stat, status, statm and limits. */
#include <linux/fdtable.h>
#include <linux/fs.h>
#include <linux/fs_struct.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/resource.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/seq_file.h>

#include "base.h"
#include "internal.h"

/* The unit of times in stat: a hundredth of a second. */
#define USER_HZ		100
#define TICKS_TO_USER(t)	((t) * USER_HZ / HZ)


#define KB(pages)	((pages) << (PAGE_SHIFT - 10))

/* What must be read of a task at one time. */
struct task_snapshot {
	pid_t	ppid, pgrp, session, tgid;
	int	nr_threads;
	u64	utime, stime, cutime, cstime;
	unsigned long min_flt, maj_flt, cmin_flt, cmaj_flt;
	sigset_t pending, shared_pending, blocked, ignored, caught;
};

static const char *get_task_state(struct task_struct *tsk)
{
	unsigned int state = READ_ONCE(tsk->__state);

	if (tsk->exit_state == EXIT_ZOMBIE)
		return "Z (zombie)";
	if (tsk->exit_state)
		return "X (dead)";
	if (task_is_stopped(tsk))
		return "T (stopped)";
	if (state & TASK_INTERRUPTIBLE)
		return "S (sleeping)";
	if (state & TASK_NOLOAD)
		return "I (idle)";
	if (state & TASK_UNINTERRUPTIBLE)
		return "D (disk sleep)";
	return "R (running)";
}

static void collect_sigign_sigcatch(struct task_struct *p,
				    struct task_snapshot *s)
{
	for (int i = 0; i < _NSIG; i++) {
		const struct k_sigaction *ka = &p->sighand->action[i];

		if (ka->sa.sa_handler == SIG_IGN)
			s->ignored |= 1UL << i;
		else if (ka->sa.sa_handler != SIG_DFL)
			s->caught |= 1UL << i;
	}
}

/* @whole: of the process, not of one thread. */
static void take_snapshot(struct task_struct *task, struct task_snapshot *s,
			  bool whole)
{
	struct signal_struct *sig = task->signal;
	struct task_usage usage;
	unsigned long flags;

	memset(s, 0, sizeof(*s));
	s->tgid = task->tgid;
	s->utime = task->utime;
	s->stime = task->stime;
	spin_lock_irq(&tasklist_lock);
	if (lock_task_sighand(task, &flags)) {
		s->ppid = task_tgid_nr(task->real_parent);
		s->pgrp = task_pgrp_nr(task);
		s->session = task_session_nr(task);
		s->nr_threads = sig->nr_threads;
		s->cutime = sig->cusage.utime;
		s->cstime = sig->cusage.stime;
		s->cmin_flt = sig->cusage.min_flt;
		s->cmaj_flt = sig->cusage.maj_flt;
		s->min_flt = task->min_flt;
		s->maj_flt = task->maj_flt;
		s->pending = task->pending.signal;
		s->shared_pending = sig->shared_pending.signal;
		s->blocked = task->blocked;
		collect_sigign_sigcatch(task, s);
		if (whole) {
			thread_group_usage(task, &usage);
			s->utime = usage.utime;
			s->stime = usage.stime;
			s->min_flt = usage.min_flt;
			s->maj_flt = usage.maj_flt;
		}
		unlock_task_sighand(task, &flags);
	}
	spin_unlock_irq(&tasklist_lock);
}

static int do_task_stat(struct seq_file *m, struct task_struct *task,
			bool whole)
{
	struct proc_mm_usage usage = {};
	struct task_snapshot s;
	struct mm_struct *mm = get_task_mm(task);

	take_snapshot(task, &s, whole);
	if (mm)
		proc_mm_usage(mm, &usage);
	seq_printf(m, "%d (%s) %c %d %d %d", task->pid, task->comm,
		   *get_task_state(task), s.ppid, s.pgrp, s.session);
	/* No terminal is anybody's. */
	seq_printf(m, " 0 -1 %u %lu %lu %lu %lu", task->flags, s.min_flt,
		   s.cmin_flt, s.maj_flt, s.cmaj_flt);
	seq_printf(m, " %lu %lu %ld %ld",
		   (unsigned long)TICKS_TO_USER(s.utime),
		   (unsigned long)TICKS_TO_USER(s.stime),
		   (long)TICKS_TO_USER(s.cutime),
		   (long)TICKS_TO_USER(s.cstime));
	seq_printf(m, " %d %d %d 0 %lu", task_prio(task), task_nice(task),
		   s.nr_threads,
		   (unsigned long)(task->start_time /
				   (NSEC_PER_SEC / USER_HZ)));
	seq_printf(m, " %lu %lu %lu", mm ? mm->total_vm << PAGE_SHIFT : 0,
		   usage.rss, RLIM_INFINITY);
	seq_printf(m, " %lu %lu %lu 0 0", mm ? mm->start_code : 0,
		   mm ? mm->end_code : 0, mm ? mm->start_stack : 0);
	seq_printf(m, " %lu %lu %lu %lu", s.pending | s.shared_pending,
		   s.blocked, s.ignored, s.caught);
	/* wchan, nswap, cnswap; exit_signal, processor, rt_priority, policy */
	seq_printf(m, " 0 0 0 %d %d %u %u", task->exit_signal,
		   task_cpu(task), task->rt_priority, task->policy);
	/* delayacct_blkio_ticks, guest_time, cguest_time */
	seq_printf(m, " 0 0 0 %lu %lu %lu %lu %lu %lu %lu %d\n",
		   mm ? mm->start_data : 0, mm ? mm->end_data : 0,
		   mm ? mm->start_brk : 0, mm ? mm->arg_start : 0,
		   mm ? mm->arg_end : 0, mm ? mm->env_start : 0,
		   mm ? mm->env_end : 0, task->exit_code);
	if (mm)
		mmput(mm);
	return 0;
}

int proc_tgid_stat(struct seq_file *m, struct pid *pid,
		   struct task_struct *task)
{
	return do_task_stat(m, task, true);
}

int proc_tid_stat(struct seq_file *m, struct pid *pid, struct task_struct *task)
{
	return do_task_stat(m, task, false);
}

static void task_state(struct seq_file *m, struct task_struct *p,
		       const struct task_snapshot *s)
{
	unsigned int umask = ~0U, max_fds = 0;

	task_lock(p);
	if (p->fs)
		umask = p->fs->umask;
	if (p->files)
		max_fds = p->files->fdt.max_fds;
	task_unlock(p);

	seq_printf(m, "Name:\t%s\n", p->comm);
	if (umask != ~0U)
		seq_printf(m, "Umask:\t%#04o\n", umask);
	seq_printf(m, "State:\t%s\n", get_task_state(p));
	seq_printf(m, "Tgid:\t%d\nNgid:\t0\nPid:\t%d\nPPid:\t%d\n", s->tgid,
		   p->pid, s->ppid);
	seq_puts(m, "TracerPid:\t0\nUid:\t0\t0\t0\t0\nGid:\t0\t0\t0\t0\n");
	seq_printf(m, "FDSize:\t%u\nGroups:\t \n", max_fds);
	seq_printf(m, "NStgid:\t%d\nNSpid:\t%d\nNSpgid:\t%d\nNSsid:\t%d\n",
		   s->tgid, p->pid, s->pgrp, s->session);
}

static void task_mem(struct seq_file *m, struct mm_struct *mm)
{
	struct proc_mm_usage usage;

	proc_mm_usage(mm, &usage);
	seq_printf(m, "VmPeak:\t%8lu kB\nVmSize:\t%8lu kB\n",
		   KB(mm->hiwater_vm), KB(mm->total_vm));
	seq_printf(m, "VmLck:\t%8lu kB\nVmPin:\t%8lu kB\n", 0UL, 0UL);
	seq_printf(m, "VmHWM:\t%8lu kB\nVmRSS:\t%8lu kB\n",
		   KB(mm->hiwater_rss), KB(get_mm_rss(mm)));
	seq_printf(m, "RssAnon:\t%8lu kB\nRssFile:\t%8lu kB\nRssShmem:\t%8lu kB\n",
		   KB(mm->rss_anon), KB(mm->rss_file), 0UL);
	seq_printf(m, "VmData:\t%8lu kB\n", KB(usage.data));
	seq_printf(m, "VmStk:\t%8lu kB\n", KB(usage.stack));
	seq_printf(m, "VmExe:\t%8lu kB\nVmLib:\t%8lu kB\n", KB(usage.text), 0UL);
	seq_printf(m, "VmPTE:\t%8lu kB\nVmSwap:\t%8lu kB\n", KB(mm->nr_ptes), 0UL);
}

/* As "0-3,5", and as a mask of hexadecimal words. */
static void task_cpus_allowed(struct seq_file *m, struct task_struct *task)
{
	seq_puts(m, "Cpus_allowed:\t");
	seq_cpumask(m, &task->cpus_mask);
	seq_puts(m, "\nCpus_allowed_list:\t");
	seq_cpumask_list(m, &task->cpus_mask);
	seq_putc(m, '\n');
}

int proc_pid_status(struct seq_file *m, struct pid *pid,
		    struct task_struct *task)
{
	struct mm_struct *mm = get_task_mm(task);
	struct task_snapshot s;

	take_snapshot(task, &s, true);
	task_state(m, task, &s);
	if (mm) {
		task_mem(m, mm);
		mmput(mm);
	}
	seq_printf(m, "Threads:\t%d\n", s.nr_threads);
	seq_printf(m, "SigPnd:\t%016lx\nShdPnd:\t%016lx\nSigBlk:\t%016lx\n",
		   s.pending, s.shared_pending, s.blocked);
	seq_printf(m, "SigIgn:\t%016lx\nSigCgt:\t%016lx\n", s.ignored,
		   s.caught);
	task_cpus_allowed(m, task);
	seq_printf(m, "voluntary_ctxt_switches:\t%lu\n"
		   "nonvoluntary_ctxt_switches:\t%lu\n", task->nvcsw,
		   task->nivcsw);
	return 0;
}

int proc_pid_statm(struct seq_file *m, struct pid *pid,
		   struct task_struct *task)
{
	struct mm_struct *mm = get_task_mm(task);
	struct proc_mm_usage usage = {};

	if (mm)
		proc_mm_usage(mm, &usage);
	seq_printf(m, "%lu %lu %lu %lu 0 %lu 0\n", mm ? mm->total_vm : 0,
		   usage.rss, usage.rss_file, usage.text,
		   usage.data + usage.stack);
	if (mm)
		mmput(mm);
	return 0;
}

struct limit_name {
	const char *name;
	const char *unit;
};

static void show_limit(struct seq_file *m, unsigned long value)
{
	if (value == RLIM_INFINITY)
		seq_printf(m, "%-20s ", "unlimited");
	else
		seq_printf(m, "%-20lu ", value);
}

int proc_pid_limits(struct seq_file *m, struct pid *pid,
		    struct task_struct *task)
{
	static const struct limit_name names[RLIM_NLIMITS] = {
		[RLIMIT_CPU] = { "Max cpu time", "seconds" },
		[RLIMIT_FSIZE] = { "Max file size", "bytes" },
		[RLIMIT_DATA] = { "Max data size", "bytes" },
		[RLIMIT_STACK] = { "Max stack size", "bytes" },
		[RLIMIT_CORE] = { "Max core file size", "bytes" },
		[RLIMIT_RSS] = { "Max resident set", "bytes" },
		[RLIMIT_NPROC] = { "Max processes", "processes" },
		[RLIMIT_NOFILE] = { "Max open files", "files" },
		[RLIMIT_MEMLOCK] = { "Max locked memory", "bytes" },
		[RLIMIT_AS] = { "Max address space", "bytes" },
		[RLIMIT_LOCKS] = { "Max file locks", "locks" },
		[RLIMIT_SIGPENDING] = { "Max pending signals", "signals" },
		[RLIMIT_MSGQUEUE] = { "Max msgqueue size", "bytes" },
		[RLIMIT_NICE] = { "Max nice priority", "" },
		[RLIMIT_RTPRIO] = { "Max realtime priority", "" },
		[RLIMIT_RTTIME] = { "Max realtime timeout", "us" },
	};

	seq_puts(m, "Limit                     Soft Limit           "
		    "Hard Limit           Units     \n");
	for (int i = 0; i < RLIM_NLIMITS; i++) {
		const struct rlimit *limit = &task->signal->rlim[i];

		seq_printf(m, "%-25s ", names[i].name);
		show_limit(m, limit->rlim_cur);
		show_limit(m, limit->rlim_max);
		seq_printf(m, "%-10s\n", names[i].unit);
	}
	return 0;
}
