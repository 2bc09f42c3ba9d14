/* SPDX-License-Identifier: GPL-2.0-only */
/* Timers that run in softirq context at a given jiffy. */
#ifndef _LINUX_TIMER_H
#define _LINUX_TIMER_H

#include <linux/list.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>

struct timer_list {
	struct hlist_node entry;
	unsigned long expires;
	void (*function)(struct timer_list *timer);
	u32 flags;		/* the CPU whose wheel it is on, and these: */
};

#define TIMER_CPUMASK		0x0003FFFF
#define TIMER_MIGRATING		0x00040000	/* between two wheels */
#define TIMER_BASEMASK		(TIMER_CPUMASK | TIMER_MIGRATING)
#define TIMER_DEFERRABLE	0x00080000	/* an idle CPU sleeps on */
#define TIMER_PINNED		0x00100000	/* they all are */
#define TIMER_IRQSAFE		0x00200000	/* called with interrupts off */
/* In events only: the number of its bucket. */
#define TIMER_ARRAYSHIFT	22

#define from_timer(var, timer, member) \
	container_of(timer, typeof(*var), member)

#define __TIMER_INITIALIZER(fn, fl)	{ .function = (fn), .flags = (fl) }
#define DEFINE_TIMER(name, fn) \
	struct timer_list name = __TIMER_INITIALIZER(fn, 0)

void init_timer_key(struct timer_list *timer,
		    void (*function)(struct timer_list *), unsigned int flags);
#define timer_setup(timer, function, flags) \
	init_timer_key(timer, function, flags)

/* These two return whether it was pending. */
int mod_timer(struct timer_list *timer, unsigned long expires);
int timer_delete(struct timer_list *timer);
void add_timer(struct timer_list *timer);
void add_timer_on(struct timer_list *timer, int cpu);
/* -1: its function is running. */
int try_to_del_timer_sync(struct timer_list *timer);
int del_timer_sync(struct timer_list *timer);
#define del_timer(timer)		timer_delete(timer)

/* For a CPU about to idle: when the wheel needs it, or KTIME_MAX. */
ktime_t get_next_timer_interrupt(unsigned long basej, ktime_t basem);
void timer_clear_idle(void);

void run_local_timers(void);
void update_process_times(int user_tick);

static inline bool timer_pending(const struct timer_list *timer)
{
	return !hlist_unhashed(&timer->entry);
}

#endif
