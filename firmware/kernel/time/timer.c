/* SPDX-License-Identifier: GPL-2.0-only */
/* Timers in jiffies: a wheel per CPU, turned by TIMER_SOFTIRQ. */
#include <linux/init.h>
#include <linux/interrupt.h>
#include <linux/kernel.h>
#include <linux/hrtimer.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/timer.h>
#include <linux/watchdog.h>

/* A timer lies in the slot of its jiffy, in this round or a later one. */
#define WHEEL_SIZE	256

struct timer_base {
	raw_spinlock_t lock;
	unsigned long clk;		/* the next jiffy to be served */
	unsigned int pending;
	struct timer_list *running_timer;
	struct hlist_head vectors[WHEEL_SIZE];
};

static DEFINE_PER_CPU(struct timer_base, timer_bases);

void timer_setup(struct timer_list *timer,
		 void (*function)(struct timer_list *), unsigned int flags)
{
	INIT_HLIST_NODE(&timer->entry);
	timer->function = function;
	timer->cpu = raw_smp_processor_id();
}

static struct timer_base *lock_timer_base(struct timer_list *timer,
						   unsigned long *flags)
{
	struct timer_base *base;
	int cpu;

	for (;;) {
		cpu = READ_ONCE(timer->cpu);
		base = per_cpu_ptr(&timer_bases, cpu);
		raw_spin_lock_irqsave(&base->lock, *flags);
		if (likely(cpu == timer->cpu))
			return base;
		raw_spin_unlock_irqrestore(&base->lock, *flags);
	}
}

static inline bool detach_if_pending(struct timer_list *timer,
				     struct timer_base *base)
{
	if (!timer_pending(timer))
		return false;
	hlist_del_init(&timer->entry);
	base->pending--;
	return true;
}

static void enqueue_timer(struct timer_base *base,
				   struct timer_list *timer)
{
	unsigned long slot = timer->expires;

	/* Late already: the next jiffy that is served will do. */
	if (time_before(slot, base->clk))
		slot = base->clk;
	hlist_add_head(&timer->entry, &base->vectors[slot % WHEEL_SIZE]);
	base->pending++;
}

/* Returns whether it was pending before. */
int mod_timer(struct timer_list *timer, unsigned long expires)
{
	struct timer_base *base;
	unsigned long flags;
	int ret;

	base = lock_timer_base(timer, &flags);
	ret = detach_if_pending(timer, base);
	if (timer->cpu != smp_processor_id()) {
		raw_spin_unlock(&base->lock);
		base = this_cpu_ptr(&timer_bases);
		raw_spin_lock(&base->lock);
		WRITE_ONCE(timer->cpu, smp_processor_id());
	}
	/* With nothing pending nobody has turned the wheel. */
	if (!base->pending)
		base->clk = jiffies + 1;
	timer->expires = expires;
	enqueue_timer(base, timer);
	raw_spin_unlock_irqrestore(&base->lock, flags);
	return ret;
}

/* Returns whether it was pending; waits until its function has returned. */
int del_timer_sync(struct timer_list *timer)
{
	struct timer_base *base;
	unsigned long flags;
	bool running;
	int ret;

	do {
		base = lock_timer_base(timer, &flags);
		running = base->running_timer == timer;
		ret = detach_if_pending(timer, base);
		raw_spin_unlock_irqrestore(&base->lock, flags);
		if (running)
			cpu_relax();
	} while (running);
	return ret;
}

/* The first jiffy with something to do, or NEXT_TIMER_NONE. */
unsigned long get_next_timer_interrupt(void)
{
	struct timer_base *base = this_cpu_ptr(&timer_bases);
	unsigned long next = NEXT_TIMER_NONE;
	struct timer_list *timer;
	unsigned int i;

	if (!base->pending)
		return NEXT_TIMER_NONE;
	raw_spin_lock(&base->lock);
	for (i = 0; i < WHEEL_SIZE; i++)
		hlist_for_each_entry(timer, &base->vectors[i], entry)
			if (next == NEXT_TIMER_NONE ||
			    time_before(timer->expires, next))
				next = timer->expires;
	raw_spin_unlock(&base->lock);
	return next;
}

static void call_timer_fn(struct timer_list *timer,
				   void (*fn)(struct timer_list *))
{
	fn(timer);
}

/* Runs what the slot holds for this round; the lock is let go meanwhile. */
static void expire_timers(struct timer_base *base,
				   struct hlist_head *head)
{
	struct timer_list *timer;

again:
	hlist_for_each_entry(timer, head, entry) {
		if (time_after(timer->expires, base->clk))
			continue;
		detach_if_pending(timer, base);
		base->running_timer = timer;
		raw_spin_unlock_irq(&base->lock);
		call_timer_fn(timer, timer->function);
		raw_spin_lock_irq(&base->lock);
		base->running_timer = NULL;
		goto again;
	}
}

static void __run_timers(struct timer_base *base)
{
	raw_spin_lock_irq(&base->lock);
	while (base->pending && time_after_eq(jiffies, base->clk)) {
		expire_timers(base, &base->vectors[base->clk % WHEEL_SIZE]);
		base->clk++;
	}
	raw_spin_unlock_irq(&base->lock);
}

static void run_timer_softirq(struct softirq_action *h)
{
	struct timer_base *base = this_cpu_ptr(&timer_bases);

	if (base->pending && time_after_eq(jiffies, base->clk))
		__run_timers(base);
}

void run_local_timers(void)
{
	hrtimer_run_queues();
	raise_softirq(TIMER_SOFTIRQ);
	softlockup_tick();
}

/* What every tick does. */
void update_process_times(int user_tick)
{
	account_process_tick(current, user_tick);
	run_local_timers();
	scheduler_tick();
}

struct process_timer {
	struct timer_list timer;
	struct task_struct *task;
};

static void process_timeout(struct timer_list *timer)
{
	struct process_timer *t = from_timer(t, timer, timer);

	wake_up_process(t->task);
}

/* Sleeps in the state that the caller set; returns the jiffies left. */
long schedule_timeout(long timeout)
{
	struct process_timer t = { .task = current };
	unsigned long expires;

	if (timeout == MAX_SCHEDULE_TIMEOUT) {
		schedule();
		return timeout;
	}
	expires = jiffies + timeout;
	timer_setup(&t.timer, process_timeout, 0);
	mod_timer(&t.timer, expires);
	schedule();
	del_timer_sync(&t.timer);
	return max_t(long, expires - jiffies, 0);
}

long schedule_timeout_uninterruptible(long timeout)
{
	__set_current_state(TASK_UNINTERRUPTIBLE);
	return schedule_timeout(timeout);
}

void __init init_timers(void)
{
	open_softirq(TIMER_SOFTIRQ, run_timer_softirq);
}
