/* SPDX-License-Identifier: GPL-2.0-only */
/* What every tick does for its CPU. */
#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <linux/kernel.h>
#include <linux/posix-timers.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/timer.h>
#include <linux/watchdog.h>

void run_local_timers(void)
{
	hrtimer_run_queues();
	raise_softirq(TIMER_SOFTIRQ);
	softlockup_tick();
}

void update_process_times(int user_tick)
{
	account_process_tick(current, user_tick);
	run_local_timers();
	rcu_sched_clock_irq(user_tick);
	scheduler_tick();
	run_posix_cpu_timers();
}
