/* SPDX-License-Identifier: GPL-2.0-only */
/* Timers that run in softirq context at a given jiffy. */
#ifndef _LINUX_TIMER_H
#define _LINUX_TIMER_H

#include <linux/list.h>
#include <linux/jiffies.h>

struct timer_list {
	struct hlist_node entry;
	unsigned long expires;
	void (*function)(struct timer_list *timer);
	int cpu;		/* whose wheel it is on */
};

/* No timer is that far away. */
#define NEXT_TIMER_NONE		(~0UL)

#define from_timer(var, timer, member) \
	container_of(timer, typeof(*var), member)

void timer_setup(struct timer_list *timer,
		 void (*function)(struct timer_list *), unsigned int flags);
int mod_timer(struct timer_list *timer, unsigned long expires);
int del_timer_sync(struct timer_list *timer);
unsigned long get_next_timer_interrupt(void);
void run_local_timers(void);
void update_process_times(int user_tick);

static inline bool timer_pending(const struct timer_list *timer)
{
	return !hlist_unhashed(&timer->entry);
}

#endif
