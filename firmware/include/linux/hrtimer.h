/* SPDX-License-Identifier: GPL-2.0-only */
/* Timers with nanosecond resolution, run from the timer interrupt. */
#ifndef _LINUX_HRTIMER_H
#define _LINUX_HRTIMER_H

#include <linux/list.h>
#include <linux/ktime.h>
#include <linux/spinlock.h>
#include <linux/percpu.h>

enum hrtimer_restart { HRTIMER_NORESTART, HRTIMER_RESTART };

/*
 * Every timer stays on its CPU and runs in the interrupt: PINNED and HARD say
 * so where Linux would do otherwise without.
 */
enum hrtimer_mode {
	HRTIMER_MODE_ABS		= 0x00,
	HRTIMER_MODE_REL		= 0x01,
	HRTIMER_MODE_PINNED		= 0x02,
	HRTIMER_MODE_SOFT		= 0x04,
	HRTIMER_MODE_HARD		= 0x08,

	HRTIMER_MODE_ABS_PINNED		= HRTIMER_MODE_PINNED,
	HRTIMER_MODE_REL_PINNED		= HRTIMER_MODE_REL | HRTIMER_MODE_PINNED,
	HRTIMER_MODE_ABS_SOFT		= HRTIMER_MODE_SOFT,
	HRTIMER_MODE_REL_SOFT		= HRTIMER_MODE_REL | HRTIMER_MODE_SOFT,
	HRTIMER_MODE_ABS_PINNED_SOFT	= HRTIMER_MODE_ABS_PINNED |
					  HRTIMER_MODE_SOFT,
	HRTIMER_MODE_REL_PINNED_SOFT	= HRTIMER_MODE_REL_PINNED |
					  HRTIMER_MODE_SOFT,
	HRTIMER_MODE_ABS_HARD		= HRTIMER_MODE_HARD,
	HRTIMER_MODE_REL_HARD		= HRTIMER_MODE_REL | HRTIMER_MODE_HARD,
	HRTIMER_MODE_ABS_PINNED_HARD	= HRTIMER_MODE_ABS_PINNED |
					  HRTIMER_MODE_HARD,
	HRTIMER_MODE_REL_PINNED_HARD	= HRTIMER_MODE_REL_PINNED |
					  HRTIMER_MODE_HARD,
};

struct hrtimer_cpu_base;

struct hrtimer {
	struct list_head node;		/* in order of expiry; empty: idle */
	ktime_t expires;
	enum hrtimer_restart (*function)(struct hrtimer *timer);
	struct hrtimer_cpu_base *base;
};

struct hrtimer_cpu_base {
	raw_spinlock_t lock;
	struct list_head queue;
	struct hrtimer *running;
	ktime_t expires_next;		/* what the clock event is set to */
	bool in_hrtirq;
};

/* A timer that wakes a task. */
struct hrtimer_sleeper {
	struct hrtimer timer;
	struct task_struct *task;	/* NULL once the time has come */
};

DECLARE_PER_CPU(struct hrtimer_cpu_base, hrtimer_bases);

void hrtimer_init(struct hrtimer *timer, clockid_t clock,
		  enum hrtimer_mode mode);
void hrtimer_start_range_ns(struct hrtimer *timer, ktime_t time, u64 delta,
			    enum hrtimer_mode mode);
int hrtimer_try_to_cancel(struct hrtimer *timer);
int hrtimer_cancel(struct hrtimer *timer);
u64 hrtimer_forward(struct hrtimer *timer, ktime_t now, ktime_t interval);
void hrtimer_interrupt(void);
void hrtimer_run_queues(void);
long hrtimer_nanosleep(ktime_t rqtp, enum hrtimer_mode mode, clockid_t clock,
		       struct __kernel_timespec *rmtp);

/* 0: the time has come; -EINTR: something else woke the caller. */
int schedule_hrtimeout(const ktime_t *expires, enum hrtimer_mode mode);

#define hrtimer_start(t, time, mode)	hrtimer_start_range_ns(t, time, 0, mode)

/* For the caller; its timer is then given the time, and started. */
void hrtimer_init_sleeper(struct hrtimer_sleeper *sl, clockid_t clock,
			  enum hrtimer_mode mode);
void hrtimer_sleeper_start_expires(struct hrtimer_sleeper *sl,
				   enum hrtimer_mode mode);

static inline void hrtimer_set_expires(struct hrtimer *timer, ktime_t time)
{
	timer->expires = time;
}

static inline ktime_t hrtimer_get_expires(const struct hrtimer *timer)
{
	return timer->expires;
}

/* What was set is from then on a point in time, whatever @mode says. */
static inline void hrtimer_start_expires(struct hrtimer *timer,
					 enum hrtimer_mode mode)
{
	hrtimer_start(timer, hrtimer_get_expires(timer), mode);
}

static inline bool hrtimer_is_queued(const struct hrtimer *timer)
{
	return !list_empty(&timer->node);
}

#endif
