/* SPDX-License-Identifier: GPL-2.0-only */
/* The tick: a timer of each CPU that idle CPUs do without. */
#include <linux/hrtimer.h>
#include <linux/irq_regs.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/tick.h>
#include <linux/timer.h>

struct tick_sched {
	struct hrtimer sched_timer;
	bool inidle;
	bool tick_stopped;
};

static DEFINE_PER_CPU(struct tick_sched, tick_cpu_sched);

volatile unsigned long jiffies;

static DEFINE_RAW_SPINLOCK(jiffies_lock);
static ktime_t last_jiffies_update;

/* Whoever comes first after a period's end counts it, or all that passed. */
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
	}
	raw_spin_unlock(&jiffies_lock);
}

static void tick_sched_do_timer(struct tick_sched *ts, ktime_t now)
{
	tick_do_update_jiffies64(now);
}

static void tick_sched_handle(struct tick_sched *ts,
				       struct pt_regs *regs)
{
	update_process_times(user_mode(regs));
}

static enum hrtimer_restart tick_sched_timer(struct hrtimer *timer)
{
	struct tick_sched *ts =
		container_of(timer, struct tick_sched, sched_timer);
	ktime_t now = ktime_get();

	tick_sched_do_timer(ts, now);
	tick_sched_handle(ts, get_irq_regs());
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
	hrtimer_init(&ts->sched_timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS);
	ts->sched_timer.function = tick_sched_timer;
	hrtimer_start(&ts->sched_timer, first, HRTIMER_MODE_ABS);
}

/* The tick comes back when the first timer of the wheel needs it, if any. */
static void tick_nohz_stop_tick(struct tick_sched *ts)
{
	unsigned long next = get_next_timer_interrupt();
	ktime_t expires;

	ts->tick_stopped = true;
	if (next == NEXT_TIMER_NONE) {
		hrtimer_cancel(&ts->sched_timer);
		return;
	}
	expires = READ_ONCE(last_jiffies_update) +
		  max_t(long, next - jiffies, 1) * TICK_NSEC;
	if (expires != ts->sched_timer.expires ||
	    !hrtimer_is_queued(&ts->sched_timer))
		hrtimer_start(&ts->sched_timer, expires, HRTIMER_MODE_ABS);
}

static void tick_nohz_restart(struct tick_sched *ts, ktime_t now)
{
	hrtimer_cancel(&ts->sched_timer);
	hrtimer_forward(&ts->sched_timer, now, TICK_NSEC);
	hrtimer_start(&ts->sched_timer, ts->sched_timer.expires,
		      HRTIMER_MODE_ABS);
}

void tick_nohz_idle_enter(void)
{
	struct tick_sched *ts = this_cpu_ptr(&tick_cpu_sched);

	local_irq_disable();
	ts->inidle = true;
	tick_nohz_stop_tick(ts);
	local_irq_enable();
}

/* An interrupt in idle may have added or removed timers. */
void tick_nohz_irq_exit(void)
{
	struct tick_sched *ts = this_cpu_ptr(&tick_cpu_sched);

	if (ts->inidle)
		tick_nohz_stop_tick(ts);
}

/* Nobody has counted while all were idle. */
void tick_irq_enter(void)
{
	if (this_cpu_ptr(&tick_cpu_sched)->tick_stopped)
		tick_do_update_jiffies64(ktime_get());
}

void tick_nohz_idle_exit(void)
{
	struct tick_sched *ts = this_cpu_ptr(&tick_cpu_sched);
	ktime_t now;

	local_irq_disable();
	ts->inidle = false;
	if (ts->tick_stopped) {
		now = ktime_get();
		tick_do_update_jiffies64(now);
		ts->tick_stopped = false;
		tick_nohz_restart(ts, now);
	}
	local_irq_enable();
}
