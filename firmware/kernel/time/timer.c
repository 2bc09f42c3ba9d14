/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Timers in jiffies: a wheel per CPU, turned by TIMER_SOFTIRQ. Each level of
 * the wheel is eight times as coarse as the one below, and a timer stays in the
 * bucket it was put in: the further away, the later it may be, by an eighth.
 * A second wheel has the timers for which no idle CPU wakes.
 */
#include <linux/bitops.h>
#include <linux/init.h>
#include <linux/interrupt.h>
#include <linux/kernel.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/sched/nohz.h>
#include <linux/spinlock.h>
#include <linux/timer.h>
#include <asm/processor.h>

#define CREATE_TRACE_POINTS
#include <trace/events/timer.h>

#define LVL_CLK_SHIFT	3
#define LVL_CLK_DIV	(1UL << LVL_CLK_SHIFT)
#define LVL_CLK_MASK	(LVL_CLK_DIV - 1)
#define LVL_BITS	6
#define LVL_SIZE	(1UL << LVL_BITS)
#define LVL_MASK	(LVL_SIZE - 1)
#define LVL_DEPTH	9
#define LVL_SHIFT(n)	((n) * LVL_CLK_SHIFT)
#define LVL_GRAN(n)	(1UL << LVL_SHIFT(n))
/* From this distance on a timer lies in level @n. */
#define LVL_START(n)	((LVL_SIZE - 1) << (((n) - 1) * LVL_CLK_SHIFT))

#define WHEEL_SIZE		(LVL_SIZE * LVL_DEPTH)
#define WHEEL_TIMEOUT_CUTOFF	LVL_START(LVL_DEPTH)
#define WHEEL_TIMEOUT_MAX	(WHEEL_TIMEOUT_CUTOFF - LVL_GRAN(LVL_DEPTH - 1))

#define NEXT_TIMER_MAX_DELTA	((1UL << 30) - 1)

enum { BASE_STD, BASE_DEF, NR_BASES };

struct timer_base {
	raw_spinlock_t lock;
	struct timer_list *running_timer;
	unsigned long clk;		/* the next jiffy to be served */
	unsigned long next_expiry;	/* nothing to do before */
	unsigned int cpu;
	bool next_expiry_recalc;	/* may be too early */
	bool is_idle;			/* its CPU has stopped its tick */
	bool timers_pending;
	DECLARE_BITMAP(pending_map, WHEEL_SIZE);
	struct hlist_head vectors[WHEEL_SIZE];
};

static DEFINE_PER_CPU(struct timer_base[NR_BASES], timer_bases);

void init_timer_key(struct timer_list *timer,
		    void (*function)(struct timer_list *), unsigned int flags)
{
	INIT_HLIST_NODE(&timer->entry);
	timer->function = function;
	timer->flags = flags | raw_smp_processor_id();
	trace_timer_init(timer);
}

static inline struct timer_base *get_timer_cpu_base(u32 flags, u32 cpu)
{
	return *per_cpu_ptr(&timer_bases, cpu) +
	       (flags & TIMER_DEFERRABLE ? BASE_DEF : BASE_STD);
}

static inline struct timer_base *get_timer_base(u32 flags)
{
	return get_timer_cpu_base(flags, flags & TIMER_CPUMASK);
}

static inline struct timer_base *get_timer_this_cpu_base(u32 flags)
{
	return get_timer_cpu_base(flags, smp_processor_id());
}

/* Rounded up: no timer is early. */
static inline unsigned int calc_index(unsigned long expires, unsigned int lvl,
				      unsigned long *bucket_expiry)
{
	expires = (expires >> LVL_SHIFT(lvl)) + 1;
	*bucket_expiry = expires << LVL_SHIFT(lvl);
	return lvl * LVL_SIZE + (expires & LVL_MASK);
}

static int calc_wheel_index(unsigned long expires, unsigned long clk,
			    unsigned long *bucket_expiry)
{
	unsigned long delta = expires - clk;
	unsigned int lvl;

	if ((long)delta < 0) {
		*bucket_expiry = clk;
		return clk & LVL_MASK;
	}
	if (delta >= WHEEL_TIMEOUT_CUTOFF) {
		expires = clk + WHEEL_TIMEOUT_MAX;
		return calc_index(expires, LVL_DEPTH - 1, bucket_expiry);
	}
	for (lvl = 0; delta >= LVL_START(lvl + 1); lvl++)
		;
	return calc_index(expires, lvl, bucket_expiry);
}

/* The CPU of a wheel that is idle has to look again when to wake. */
static void trigger_dyntick_cpu(struct timer_base *base,
				struct timer_list *timer)
{
	if (!(timer->flags & TIMER_DEFERRABLE) && base->is_idle)
		wake_up_nohz_cpu(base->cpu);
}

static void enqueue_timer(struct timer_base *base, struct timer_list *timer,
			  unsigned int idx, unsigned long bucket_expiry)
{
	hlist_add_head(&timer->entry, &base->vectors[idx]);
	__set_bit(idx, base->pending_map);
	trace_timer_start(timer, timer->expires,
			  timer->flags | idx << TIMER_ARRAYSHIFT);
	if (time_before(bucket_expiry, base->next_expiry)) {
		base->next_expiry = bucket_expiry;
		base->timers_pending = true;
		base->next_expiry_recalc = false;
		trigger_dyntick_cpu(base, timer);
	}
}

static void internal_add_timer(struct timer_base *base,
			       struct timer_list *timer)
{
	unsigned long bucket_expiry;
	unsigned int idx;

	idx = calc_wheel_index(timer->expires, base->clk, &bucket_expiry);
	enqueue_timer(base, timer, idx, bucket_expiry);
}

static inline void detach_timer(struct timer_list *timer)
{
	trace_timer_cancel(timer);
	hlist_del_init(&timer->entry);
}

static inline bool detach_if_pending(struct timer_list *timer,
				     struct timer_base *base)
{
	struct hlist_node *entry = &timer->entry;
	unsigned long idx;

	if (!timer_pending(timer))
		return false;
	/* The last of its bucket, unless that is being served. */
	idx = (struct hlist_head *)entry->pprev - base->vectors;
	if (idx < WHEEL_SIZE && !entry->next) {
		__clear_bit(idx, base->pending_map);
		base->next_expiry_recalc = true;
	}
	detach_timer(timer);
	return true;
}

/*
 * Returns with the lock held of the wheel that the timer belongs to, and
 * interrupts off.
 */
static struct timer_base *lock_timer_base(struct timer_list *timer,
					  unsigned long *flags)
{
	struct timer_base *base;
	u32 tf;

	for (;;) {
		tf = READ_ONCE(timer->flags);
		if (!(tf & TIMER_MIGRATING)) {
			base = get_timer_base(tf);
			raw_spin_lock_irqsave(&base->lock, *flags);
			if (likely(timer->flags == tf))
				return base;
			raw_spin_unlock_irqrestore(&base->lock, *flags);
		}
		cpu_relax();
	}
}

/* A wheel nobody has turned while nothing was due catches up. */
static inline void forward_timer_base(struct timer_base *base)
{
	unsigned long now = READ_ONCE(jiffies);

	if (!time_after(now, base->clk))
		return;
	if (time_after(base->next_expiry, now))
		base->clk = now;
	else if (time_after(base->next_expiry, base->clk))
		base->clk = base->next_expiry;
}

/*
 * Called with @base locked; the lock that is held afterwards is the result's. A
 * timer whose function is running stays, so that the two cannot meet.
 */
static inline struct timer_base *switch_timer_base(struct timer_list *timer,
						   struct timer_base *base,
						   struct timer_base *new_base)
{
	if (base == new_base || base->running_timer == timer)
		return base;
	timer->flags |= TIMER_MIGRATING;
	raw_spin_unlock(&base->lock);
	raw_spin_lock(&new_base->lock);
	WRITE_ONCE(timer->flags,
		   (timer->flags & ~TIMER_BASEMASK) | new_base->cpu);
	return new_base;
}

#define MOD_TIMER_REDUCE	0x01

/* In any context but NMI. The function is called in a softirq. */
static __noclone int __mod_timer(struct timer_list *timer,
				 unsigned long expires, unsigned int options)
{
	struct timer_base *base;
	unsigned long flags;
	int ret;

	base = lock_timer_base(timer, &flags);
	if (timer_pending(timer) &&
	    (timer->expires == expires ||
	     (options & MOD_TIMER_REDUCE &&
	      time_before_eq(timer->expires, expires)))) {
		ret = 1;
		goto out;
	}
	ret = detach_if_pending(timer, base);
	base = switch_timer_base(timer, base,
				 get_timer_this_cpu_base(timer->flags));
	forward_timer_base(base);
	timer->expires = expires;
	internal_add_timer(base, timer);
out:
	raw_spin_unlock_irqrestore(&base->lock, flags);
	return ret;
}

int mod_timer(struct timer_list *timer, unsigned long expires)
{
	return __mod_timer(timer, expires, 0);
}

void add_timer(struct timer_list *timer)
{
	BUG_ON(timer_pending(timer));
	__mod_timer(timer, timer->expires, 0);
}

void add_timer_on(struct timer_list *timer, int cpu)
{
	struct timer_base *base;
	unsigned long flags;

	BUG_ON(timer_pending(timer) || !timer->function);
	base = lock_timer_base(timer, &flags);
	base = switch_timer_base(timer, base,
				 get_timer_cpu_base(timer->flags, cpu));
	forward_timer_base(base);
	internal_add_timer(base, timer);
	raw_spin_unlock_irqrestore(&base->lock, flags);
}

/* Its function may still be running when this returns. */
int timer_delete(struct timer_list *timer)
{
	struct timer_base *base;
	unsigned long flags;
	int ret = 0;

	if (timer_pending(timer)) {
		base = lock_timer_base(timer, &flags);
		ret = detach_if_pending(timer, base);
		raw_spin_unlock_irqrestore(&base->lock, flags);
	}
	return ret;
}

int try_to_del_timer_sync(struct timer_list *timer)
{
	struct timer_base *base;
	unsigned long flags;
	int ret = -1;

	base = lock_timer_base(timer, &flags);
	if (base->running_timer != timer)
		ret = detach_if_pending(timer, base);
	raw_spin_unlock_irqrestore(&base->lock, flags);
	return ret;
}

/*
 * Waits, spinning, until its function has returned: not from that, nor with a
 * lock that it takes.
 */
int del_timer_sync(struct timer_list *timer)
{
	int ret;

	while ((ret = try_to_del_timer_sync(timer)) < 0)
		cpu_relax();
	return ret;
}

static void call_timer_fn(struct timer_list *timer,
			  void (*fn)(struct timer_list *),
			  unsigned long baseclk)
{
	u32 count = preempt_count();

	trace_timer_expire_entry(timer, baseclk);
	fn(timer);
	trace_timer_expire_exit(timer);
	WARN_ON_ONCE(count != preempt_count());
}

/*
 * Called with base->lock held and interrupts off. Each function is called
 * without the lock and, but for TIMER_IRQSAFE, with interrupts on; it may free
 * its timer.
 */
static void expire_timers(struct timer_base *base, struct hlist_head *head)
{
	unsigned long baseclk = base->clk - 1;	/* what is served */
	struct timer_list *timer;

	while (!hlist_empty(head)) {
		timer = hlist_entry_safe(head->first, struct timer_list, entry);
		base->running_timer = timer;
		detach_timer(timer);
		if (timer->flags & TIMER_IRQSAFE) {
			raw_spin_unlock(&base->lock);
			call_timer_fn(timer, timer->function, baseclk);
			raw_spin_lock(&base->lock);
		} else {
			raw_spin_unlock_irq(&base->lock);
			call_timer_fn(timer, timer->function, baseclk);
			raw_spin_lock_irq(&base->lock);
		}
		base->running_timer = NULL;
	}
}

/* What is due at next_expiry: one bucket of each level that turns then. */
static int collect_expired_timers(struct timer_base *base,
				  struct hlist_head *heads)
{
	unsigned long clk = base->clk = base->next_expiry;
	unsigned int lvl, idx;
	int levels = 0;

	for (lvl = 0; lvl < LVL_DEPTH; lvl++) {
		idx = (clk & LVL_MASK) + lvl * LVL_SIZE;
		if (test_bit(idx, base->pending_map)) {
			__clear_bit(idx, base->pending_map);
			hlist_move_list(&base->vectors[idx], &heads[levels++]);
		}
		if (clk & LVL_CLK_MASK)
			break;
		clk >>= LVL_CLK_SHIFT;
	}
	return levels;
}

/* How many buckets after @clk the first one with timers is; -1: none has. */
static int next_pending_bucket(struct timer_base *base, unsigned int offset,
			       unsigned int clk)
{
	unsigned int start = offset + clk, end = offset + LVL_SIZE, pos;

	pos = find_next_bit(base->pending_map, end, start);
	if (pos < end)
		return pos - start;
	pos = find_next_bit(base->pending_map, start, offset);
	return pos < start ? (int)(pos + LVL_SIZE - start) : -1;
}

/* The first jiffy at which a bucket is due. */
static unsigned long __next_timer_interrupt(struct timer_base *base)
{
	unsigned long clk = base->clk;
	unsigned long expiry, next = clk + NEXT_TIMER_MAX_DELTA;
	unsigned int lvl;
	int pos;

	base->timers_pending = false;
	for (lvl = 0; lvl < LVL_DEPTH; lvl++) {
		pos = next_pending_bucket(base, lvl * LVL_SIZE, clk & LVL_MASK);
		if (pos >= 0) {
			base->timers_pending = true;
			expiry = (clk + pos) << LVL_SHIFT(lvl);
			if (time_before(expiry, next))
				next = expiry;
		}
		/* A level's bucket of now is served when the next begins. */
		clk = (clk >> LVL_CLK_SHIFT) + (clk & LVL_CLK_MASK ? 1 : 0);
	}
	base->next_expiry_recalc = false;
	return next;
}

/* With interrupts off, in the idle task: no more ticks until then. */
ktime_t get_next_timer_interrupt(unsigned long basej, ktime_t basem)
{
	struct timer_base *base = get_timer_this_cpu_base(0);
	ktime_t expires = KTIME_MAX;
	unsigned long next;

	raw_spin_lock(&base->lock);
	if (base->next_expiry_recalc)
		base->next_expiry = __next_timer_interrupt(base);
	next = base->next_expiry;
	forward_timer_base(base);
	if (time_before_eq(next, basej)) {
		expires = basem;
		base->is_idle = false;
	} else {
		if (base->timers_pending)
			expires = basem + (u64)(next - basej) * TICK_NSEC;
		/* Somebody who adds an earlier timer has to say so. */
		if (next - basej > 1)
			base->is_idle = true;
	}
	raw_spin_unlock(&base->lock);
	return expires;
}

void timer_clear_idle(void)
{
	get_timer_this_cpu_base(0)->is_idle = false;
}

/* In TIMER_SOFTIRQ, with interrupts on, on the wheel's CPU. */
static inline void __run_timers(struct timer_base *base)
{
	struct hlist_head heads[LVL_DEPTH];
	int levels;

	raw_spin_lock_irq(&base->lock);
	while (time_after_eq(jiffies, base->clk) &&
	       time_after_eq(jiffies, base->next_expiry)) {
		levels = collect_expired_timers(base, heads);
		base->clk++;
		base->next_expiry = __next_timer_interrupt(base);
		while (levels--)
			expire_timers(base, heads + levels);
	}
	raw_spin_unlock_irq(&base->lock);
}

static void run_timer_softirq(struct softirq_action *h)
{
	struct timer_base *base = *this_cpu_ptr(&timer_bases);
	unsigned int i;

	for (i = 0; i < NR_BASES; i++)
		if (time_after_eq(jiffies, base[i].next_expiry))
			__run_timers(&base[i]);
}

static void init_timer_cpu(unsigned int cpu)
{
	struct timer_base *base = *per_cpu_ptr(&timer_bases, cpu);
	unsigned int i;

	for (i = 0; i < NR_BASES; i++) {
		raw_spin_lock_init(&base[i].lock);
		base[i].cpu = cpu;
		base[i].clk = jiffies;
		base[i].next_expiry = base[i].clk + NEXT_TIMER_MAX_DELTA;
	}
}

void __init init_timers(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		init_timer_cpu(cpu);
	open_softirq(TIMER_SOFTIRQ, run_timer_softirq);
}
