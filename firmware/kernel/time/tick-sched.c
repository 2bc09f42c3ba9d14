/* SPDX-License-Identifier: GPL-2.0-only */
/* The tick: a timer of each CPU that idle CPUs do without. */
#include <linux/hrtimer.h>
#include <linux/init.h>
#include <linux/interrupt.h>
#include <linux/irq_regs.h>
#include <linux/kernel.h>
#include <linux/nmi.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/loadavg.h>
#include <linux/tick.h>
#include <linux/timer.h>
#include <linux/watchdog.h>
#include <trace/events/timer.h>

struct tick_sched {
	struct hrtimer sched_timer;
	bool inidle;
	bool tick_stopped;
	bool idle_active;
	ktime_t last_tick;	/* the one that came not: sets the phase */
	ktime_t next_tick;	/* what sched_timer is set to meanwhile */
	ktime_t timer_expires;	/* when the wheels need this CPU; 0: at once */
	ktime_t idle_entrytime;
	ktime_t idle_sleeptime;
	unsigned long idle_calls;
	unsigned long idle_sleeps;
};

static DEFINE_PER_CPU(struct tick_sched, tick_cpu_sched);

volatile unsigned long jiffies;

static DEFINE_RAW_SPINLOCK(jiffies_lock);
static ktime_t last_jiffies_update;

/*
 * With interrupts off. Whoever comes first after a period's end counts it, or
 * all that passed.
 */
static void tick_do_update_jiffies64(ktime_t now)
{
	u64 ticks;

	if (now < READ_ONCE(last_jiffies_update) + TICK_NSEC)
		return;
	raw_spin_lock(&jiffies_lock);
	if (now >= last_jiffies_update + TICK_NSEC) {
		ticks = (u64)(now - last_jiffies_update) / TICK_NSEC;
		WRITE_ONCE(last_jiffies_update,
			   last_jiffies_update + ticks * TICK_NSEC);
		jiffies += ticks;
		calc_global_load();
	}
	raw_spin_unlock(&jiffies_lock);
}

/* The last jiffy that was counted, and when it began. */
static ktime_t get_jiffies_update(unsigned long *basej)
{
	ktime_t basem;

	raw_spin_lock(&jiffies_lock);
	basem = last_jiffies_update;
	*basej = jiffies;
	raw_spin_unlock(&jiffies_lock);
	return basem;
}

static __noclone void tick_sched_do_timer(struct tick_sched *ts, ktime_t now)
{
	tick_do_update_jiffies64(now);
}

static __noclone void tick_sched_handle(struct tick_sched *ts,
					struct pt_regs *regs)
{
	update_process_times(user_mode(regs));
}

/* The tick, in the timer's interrupt, with interrupts off and no lock held. */
static enum hrtimer_restart tick_sched_timer(struct hrtimer *timer)
{
	struct tick_sched *ts =
		container_of(timer, struct tick_sched, sched_timer);
	ktime_t now = ktime_get();

	tick_sched_do_timer(ts, now);
	tick_sched_handle(ts, get_irq_regs());
	ts->next_tick = 0;
	if (ts->tick_stopped)
		return HRTIMER_NORESTART;
	hrtimer_forward(timer, now, TICK_NSEC);
	return HRTIMER_RESTART;
}

/* CPUs tick at different phases, so that they do not meet at every lock. */
void tick_setup_sched_timer(void)
{
	struct tick_sched *ts = this_cpu_ptr(&tick_cpu_sched);
	ktime_t first = ktime_get() / TICK_NSEC * TICK_NSEC + TICK_NSEC;

	first += TICK_NSEC / 2 / nr_cpu_ids * smp_processor_id();
	hrtimer_init(&ts->sched_timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_HARD);
	ts->sched_timer.function = tick_sched_timer;
	hrtimer_start(&ts->sched_timer, first, HRTIMER_MODE_ABS_PINNED_HARD);
}

static __noclone void tick_nohz_restart(struct tick_sched *ts, ktime_t now)
{
	hrtimer_cancel(&ts->sched_timer);
	ts->sched_timer.expires = ts->last_tick;
	hrtimer_forward(&ts->sched_timer, now, TICK_NSEC);
	hrtimer_start(&ts->sched_timer, ts->sched_timer.expires,
		      HRTIMER_MODE_ABS_PINNED_HARD);
	ts->next_tick = 0;
}

/*
 * When this CPU is needed again; 0: before the tick after the next one. With
 * interrupts off.
 */
static __noclone ktime_t tick_nohz_next_event(struct tick_sched *ts, int cpu)
{
	unsigned long basejiff;
	ktime_t basemono = get_jiffies_update(&basejiff);
	ktime_t next_tick;

	if (rcu_needs_cpu() || local_softirq_pending())
		next_tick = basemono + TICK_NSEC;
	else
		next_tick = get_next_timer_interrupt(basejiff, basemono);
	ts->timer_expires = next_tick;
	if (next_tick <= basemono + (ktime_t)TICK_NSEC) {
		timer_clear_idle();
		if (!ts->tick_stopped)
			ts->timer_expires = 0;
	}
	return ts->timer_expires;
}

static __noclone void tick_nohz_stop_tick(struct tick_sched *ts, int cpu)
{
	ktime_t expires = ts->timer_expires;

	if (ts->tick_stopped && expires == ts->next_tick)
		return;
	if (!ts->tick_stopped) {
		ts->last_tick = ts->sched_timer.expires;
		ts->tick_stopped = true;
		ts->idle_sleeps++;
		trace_tick_stop(1, TICK_DEP_MASK_NONE);
	}
	ts->next_tick = expires;
	if (expires == KTIME_MAX)
		hrtimer_cancel(&ts->sched_timer);
	else
		hrtimer_start(&ts->sched_timer, expires,
			      HRTIMER_MODE_ABS_PINNED_HARD);
}

/* In the idle loop, with interrupts off: before each sleep. */
void tick_nohz_idle_stop_tick(void)
{
	struct tick_sched *ts = this_cpu_ptr(&tick_cpu_sched);
	int cpu = smp_processor_id();

	ts->idle_calls++;
	if (tick_nohz_next_event(ts, cpu))
		tick_nohz_stop_tick(ts, cpu);
}

static void tick_nohz_start_idle(struct tick_sched *ts)
{
	ts->idle_entrytime = ktime_get();
	ts->idle_active = true;
}

static void tick_nohz_stop_idle(struct tick_sched *ts, ktime_t now)
{
	if (ts->idle_active)
		ts->idle_sleeptime += now - ts->idle_entrytime;
	ts->idle_active = false;
	touch_nmi_watchdog();
}

/* By the idle task, with interrupts on, which are on again when it returns. */
void tick_nohz_idle_enter(void)
{
	struct tick_sched *ts = this_cpu_ptr(&tick_cpu_sched);

	local_irq_disable();
	ts->inidle = true;
	tick_nohz_start_idle(ts);
	local_irq_enable();
}

/*
 * At an interrupt's end, with interrupts off. The idle loop will look again
 * what there is to wait for.
 */
void tick_nohz_irq_exit(void)
{
	struct tick_sched *ts = this_cpu_ptr(&tick_cpu_sched);

	if (ts->inidle)
		tick_nohz_start_idle(ts);
}

/* Nobody has counted while all were idle. */
static void tick_nohz_update_jiffies(ktime_t now)
{
	tick_do_update_jiffies64(now);
	touch_softlockup_watchdog_sched();
}

static inline void tick_nohz_irq_enter(void)
{
	struct tick_sched *ts = this_cpu_ptr(&tick_cpu_sched);
	ktime_t now;

	if (!ts->idle_active && !ts->tick_stopped)
		return;
	now = ktime_get();
	tick_nohz_stop_idle(ts, now);
	if (ts->tick_stopped)
		tick_nohz_update_jiffies(now);
}

/*
 * At the start of an interrupt that came while the CPU was idle, with
 * interrupts off.
 */
void tick_irq_enter(void)
{
	tick_nohz_irq_enter();
}

static void tick_nohz_restart_sched_tick(struct tick_sched *ts, ktime_t now)
{
	tick_do_update_jiffies64(now);
	timer_clear_idle();
	touch_softlockup_watchdog_sched();
	ts->tick_stopped = false;
	tick_nohz_restart(ts, now);
}

/*
 * By the idle task, with interrupts on, which are on again when it returns:
 * before anybody else runs, the tick is back.
 */
void tick_nohz_idle_exit(void)
{
	struct tick_sched *ts = this_cpu_ptr(&tick_cpu_sched);
	ktime_t now;

	local_irq_disable();
	ts->inidle = false;
	if (ts->idle_active || ts->tick_stopped) {
		now = ktime_get();
		tick_nohz_stop_idle(ts, now);
		if (ts->tick_stopped)
			tick_nohz_restart_sched_tick(ts, now);
	}
	local_irq_enable();
}

/* How long a CPU has been idle so far, in microseconds. */
u64 get_cpu_idle_time_us(int cpu)
{
	struct tick_sched *ts = per_cpu_ptr(&tick_cpu_sched, cpu);
	ktime_t idle = READ_ONCE(ts->idle_sleeptime);
	ktime_t now = ktime_get();

	if (READ_ONCE(ts->idle_active) && now > ts->idle_entrytime)
		idle += now - ts->idle_entrytime;
	return idle / NSEC_PER_USEC;
}
