/* SPDX-License-Identifier: GPL-2.0-only */
/* High-resolution timers: a list per CPU in order of expiry. */
#include <linux/clockchips.h>
#include <linux/hrtimer.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/percpu.h>
#include <linux/smp.h>
#include <trace/events/timer.h>
#include <asm/processor.h>

DEFINE_PER_CPU(struct hrtimer_cpu_base, hrtimer_bases);

void hrtimers_init(void)
{
	struct hrtimer_cpu_base *base;
	int cpu;

	for_each_possible_cpu(cpu) {
		base = per_cpu_ptr(&hrtimer_bases, cpu);
		raw_spin_lock_init(&base->lock);
		INIT_LIST_HEAD(&base->queue);
		base->expires_next = KTIME_MAX;
	}
}

static ktime_t ktime_get_update_offsets_now(void)
{
	return ktime_get();
}

void hrtimer_init(struct hrtimer *timer, clockid_t clock,
		  enum hrtimer_mode mode)
{
	INIT_LIST_HEAD(&timer->node);
	timer->base = this_cpu_ptr(&hrtimer_bases);
	trace_hrtimer_init(timer, clock, mode);
}

/*
 * Returns with the lock held of the CPU that the timer belongs to, and
 * interrupts off.
 */
static struct hrtimer_cpu_base *
lock_hrtimer_base(const struct hrtimer *timer, unsigned long *flags)
{
	struct hrtimer_cpu_base *base;

	for (;;) {
		base = READ_ONCE(timer->base);
		raw_spin_lock_irqsave(&base->lock, *flags);
		if (likely(base == timer->base))
			return base;
		raw_spin_unlock_irqrestore(&base->lock, *flags);
	}
}

static ktime_t __hrtimer_next_event_base(struct hrtimer_cpu_base *base)
{
	struct hrtimer *first;

	first = list_first_entry_or_null(&base->queue, struct hrtimer, node);
	return first ? first->expires : KTIME_MAX;
}

static ktime_t hrtimer_update_next_event(struct hrtimer_cpu_base *base)
{
	base->expires_next = __hrtimer_next_event_base(base);
	return base->expires_next;
}

/* Inside the interrupt its end does this; remote bases are never changed. */
static void hrtimer_reprogram(struct hrtimer_cpu_base *base)
{
	ktime_t next = __hrtimer_next_event_base(base);

	if (base != this_cpu_ptr(&hrtimer_bases) || base->in_hrtirq ||
	    next == base->expires_next)
		return;
	base->expires_next = next;
	tick_program_event(next);
}

static void enqueue_hrtimer(struct hrtimer *timer,
			    struct hrtimer_cpu_base *base,
			    enum hrtimer_mode mode, bool was_armed)
{
	struct hrtimer *other;

	trace_hrtimer_start(timer, mode, was_armed);
	list_for_each_entry(other, &base->queue, node)
		if (timer->expires < other->expires)
			break;
	list_add_tail(&timer->node, &other->node);
}

/*
 * Called with @base locked; the lock that is held afterwards is the result's.
 * Only a base of this CPU may be given a timer: it alone sets the device.
 */
static struct hrtimer_cpu_base *
switch_hrtimer_base(struct hrtimer *timer, struct hrtimer_cpu_base *base)
{
	struct hrtimer_cpu_base *new = this_cpu_ptr(&hrtimer_bases);

	if (base == new || base->running == timer)
		return base;
	raw_spin_unlock(&base->lock);
	raw_spin_lock(&new->lock);
	WRITE_ONCE(timer->base, new);
	return new;
}

/* A timer belongs to one user, who does not start it twice at a time. */
void hrtimer_start_range_ns(struct hrtimer *timer, ktime_t time, u64 delta,
			    enum hrtimer_mode mode)
{
	struct hrtimer_cpu_base *base;
	unsigned long flags;
	bool was_armed;

	base = lock_hrtimer_base(timer, &flags);
	was_armed = hrtimer_is_queued(timer);
	if (was_armed)
		list_del_init(&timer->node);
	if (mode & HRTIMER_MODE_REL)
		time = ktime_add_safe(ktime_get(), time);
	base = switch_hrtimer_base(timer, base);
	timer->expires = time;
	enqueue_hrtimer(timer, base, mode, was_armed);
	hrtimer_reprogram(base);
	raw_spin_unlock_irqrestore(&base->lock, flags);
}

/* 1: it was queued; 0: it was not; -1: its function is running. */
int hrtimer_try_to_cancel(struct hrtimer *timer)
{
	struct hrtimer_cpu_base *base;
	unsigned long flags;
	int ret = 0;

	base = lock_hrtimer_base(timer, &flags);
	if (base->running == timer) {
		ret = -1;
	} else if (hrtimer_is_queued(timer)) {
		trace_hrtimer_cancel(timer);
		list_del_init(&timer->node);
		hrtimer_reprogram(base);
		ret = 1;
	}
	raw_spin_unlock_irqrestore(&base->lock, flags);
	return ret;
}

/*
 * Waits, spinning, until its function has returned: not from that, nor with a
 * lock that it takes.
 */
int hrtimer_cancel(struct hrtimer *timer)
{
	int ret;

	while ((ret = hrtimer_try_to_cancel(timer)) < 0)
		cpu_relax();
	return ret;
}

/* Moves the expiry past @now by whole intervals; returns how many. */
u64 hrtimer_forward(struct hrtimer *timer, ktime_t now, ktime_t interval)
{
	u64 overruns;

	if (now < timer->expires)
		return 0;
	overruns = (u64)(now - timer->expires) / interval + 1;
	timer->expires += overruns * interval;
	return overruns;
}

/*
 * In the timer's interrupt, with base->lock held, which is let go around the
 * function; interrupts stay off.
 */
static __always_inline void __run_hrtimer(struct hrtimer_cpu_base *base,
					  struct hrtimer *timer, ktime_t now,
					  unsigned long flags)
{
	enum hrtimer_restart restart;

	base->running = timer;
	list_del_init(&timer->node);
	raw_spin_unlock_irqrestore(&base->lock, flags);
	trace_hrtimer_expire_entry(timer, now);
	restart = timer->function(timer);
	trace_hrtimer_expire_exit(timer);
	raw_spin_lock_irq(&base->lock);
	if (restart == HRTIMER_RESTART && !hrtimer_is_queued(timer))
		enqueue_hrtimer(timer, base, HRTIMER_MODE_ABS, false);
	base->running = NULL;
}

static void __hrtimer_run_queues(struct hrtimer_cpu_base *base, ktime_t now,
				 unsigned long flags)
{
	struct hrtimer *timer;

	while (!list_empty(&base->queue)) {
		timer = list_first_entry(&base->queue, struct hrtimer, node);
		if (timer->expires > now)
			break;
		__run_hrtimer(base, timer, now, flags);
	}
}

/*
 * The local timer's interrupt, with interrupts off: runs what is due, sets the
 * next one.
 */
void hrtimer_interrupt(void)
{
	struct hrtimer_cpu_base *base = this_cpu_ptr(&hrtimer_bases);
	unsigned long flags;
	ktime_t next;

	raw_spin_lock_irqsave(&base->lock, flags);
	base->in_hrtirq = true;
	__hrtimer_run_queues(base, ktime_get_update_offsets_now(), flags);
	next = hrtimer_update_next_event(base);
	base->in_hrtirq = false;
	raw_spin_unlock_irqrestore(&base->lock, flags);
	tick_program_event(next);
}

/* For ticks that are not timers themselves; ours always is one. */
void hrtimer_run_queues(void)
{
	WARN_ON_ONCE(!this_cpu_ptr(&hrtimer_bases)->in_hrtirq);
}
