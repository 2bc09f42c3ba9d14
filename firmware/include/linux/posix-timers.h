/* SPDX-License-Identifier: GPL-2.0-only */
/* Clocks and timers of the time that threads and processes have used. */
#ifndef _LINUX_POSIX_TIMERS_H
#define _LINUX_POSIX_TIMERS_H

#include <linux/ktime.h>
#include <linux/types.h>

/*
 * A clock that is somebody's: below three bits, the process or thread, inverted;
 * 0 is the caller.
 */
#define CPUCLOCK_PROF		0
#define CPUCLOCK_VIRT		1
#define CPUCLOCK_SCHED		2
#define CPUCLOCK_MAX		3
#define CPUCLOCK_PERTHREAD_MASK	4

#define CPUCLOCK_PID(clock)	((pid_t)~((clock) >> 3))
#define CPUCLOCK_WHICH(clock)	((clock) & 3)
#define CPUCLOCK_PERTHREAD(clock) ((clock) & CPUCLOCK_PERTHREAD_MASK)

static inline clockid_t make_process_cpuclock(pid_t pid, clockid_t which)
{
	return ~(unsigned int)pid << 3 | which;
}

static inline clockid_t make_thread_cpuclock(pid_t tid, clockid_t which)
{
	return make_process_cpuclock(tid, which | CPUCLOCK_PERTHREAD_MASK);
}

/* kernel/time/posix-cpu-timers.c */
int posix_cpu_clock_get(clockid_t clock, ktime_t *now);
void set_cpu_itimer(unsigned int clock, ktime_t value, ktime_t interval,
		    ktime_t *old_value, ktime_t *old_interval);
void get_cpu_itimer(unsigned int clock, ktime_t *value, ktime_t *interval);
/* Every tick, with interrupts off. */
void run_posix_cpu_timers(void);

/* kernel/time/posix-timers.c: with siglock held; and at a process's end */
struct k_itimer;
struct kernel_siginfo;
struct task_struct;
void posixtimer_rearm(struct k_itimer *timr, struct kernel_siginfo *info);
void exit_itimers(struct task_struct *tsk);

#endif
