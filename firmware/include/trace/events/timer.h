/* SPDX-License-Identifier: GPL-2.0-only */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM timer

#if !defined(_TRACE_TIMER_H) || defined(TRACE_HEADER_MULTI_READ)
#define _TRACE_TIMER_H

#include <linux/hrtimer.h>
#include <linux/timer.h>
#include <linux/tracepoint.h>

DECLARE_EVENT_CLASS(timer_class,
	TP_PROTO(struct timer_list *timer),
	TP_ARGS(timer),
	TP_STRUCT__entry(
		__field(void *, timer)
	),
	TP_fast_assign(
		__entry->timer = timer;
	),
	TP_printk("timer=%p", __entry->timer)
);

DEFINE_EVENT(timer_class, timer_init,
	TP_PROTO(struct timer_list *timer),
	TP_ARGS(timer)
);

/* @flags: the timer's, and where in the wheel it was put. */
TRACE_EVENT(timer_start,
	TP_PROTO(struct timer_list *timer, unsigned long expires,
		 unsigned int flags),
	TP_ARGS(timer, expires, flags),
	TP_STRUCT__entry(
		__field(void *, timer)
		__field(void *, function)
		__field(unsigned long, expires)
		__field(unsigned long, now)
		__field(unsigned int, flags)
	),
	TP_fast_assign(
		__entry->timer = timer;
		__entry->function = timer->function;
		__entry->expires = expires;
		__entry->now = jiffies;
		__entry->flags = flags;
	),
	TP_printk("timer=%p function=%ps expires=%lu [timeout=%ld] cpu=%u idx=%u flags=%s",
		__entry->timer, __entry->function, __entry->expires,
		(long)__entry->expires - __entry->now,
		__entry->flags & TIMER_CPUMASK,
		__entry->flags >> TIMER_ARRAYSHIFT,
		__print_flags(__entry->flags & (TIMER_MIGRATING |
						TIMER_DEFERRABLE |
						TIMER_PINNED | TIMER_IRQSAFE),
			"|",
			{ TIMER_MIGRATING, "M" },
			{ TIMER_DEFERRABLE, "D" },
			{ TIMER_PINNED, "P" },
			{ TIMER_IRQSAFE, "I" }))
);

TRACE_EVENT(timer_expire_entry,
	TP_PROTO(struct timer_list *timer, unsigned long baseclk),
	TP_ARGS(timer, baseclk),
	TP_STRUCT__entry(
		__field(void *, timer)
		__field(unsigned long, now)
		__field(void *, function)
		__field(unsigned long, baseclk)
	),
	TP_fast_assign(
		__entry->timer = timer;
		__entry->now = jiffies;
		__entry->function = timer->function;
		__entry->baseclk = baseclk;
	),
	TP_printk("timer=%p function=%ps now=%lu baseclk=%lu",
		__entry->timer, __entry->function, __entry->now,
		__entry->baseclk)
);

DEFINE_EVENT(timer_class, timer_expire_exit,
	TP_PROTO(struct timer_list *timer),
	TP_ARGS(timer)
);

DEFINE_EVENT(timer_class, timer_cancel,
	TP_PROTO(struct timer_list *timer),
	TP_ARGS(timer)
);

#define decode_clockid(type)						\
	__print_symbolic(type,						\
		{ CLOCK_REALTIME, "CLOCK_REALTIME" },			\
		{ CLOCK_MONOTONIC, "CLOCK_MONOTONIC" },			\
		{ CLOCK_BOOTTIME, "CLOCK_BOOTTIME" },			\
		{ 11, "CLOCK_TAI" })

#define decode_hrtimer_mode(mode)					\
	__print_symbolic(mode,						\
		{ HRTIMER_MODE_ABS, "ABS" },				\
		{ HRTIMER_MODE_REL, "REL" },				\
		{ HRTIMER_MODE_ABS_PINNED, "ABS|PINNED" },		\
		{ HRTIMER_MODE_REL_PINNED, "REL|PINNED" },		\
		{ HRTIMER_MODE_ABS_SOFT, "ABS|SOFT" },			\
		{ HRTIMER_MODE_REL_SOFT, "REL|SOFT" },			\
		{ HRTIMER_MODE_ABS_PINNED_SOFT, "ABS|PINNED|SOFT" },	\
		{ HRTIMER_MODE_REL_PINNED_SOFT, "REL|PINNED|SOFT" },	\
		{ HRTIMER_MODE_ABS_HARD, "ABS|HARD" },			\
		{ HRTIMER_MODE_REL_HARD, "REL|HARD" },			\
		{ HRTIMER_MODE_ABS_PINNED_HARD, "ABS|PINNED|HARD" },	\
		{ HRTIMER_MODE_REL_PINNED_HARD, "REL|PINNED|HARD" })

TRACE_EVENT(hrtimer_init,
	TP_PROTO(struct hrtimer *hrtimer, clockid_t clockid,
		 enum hrtimer_mode mode),
	TP_ARGS(hrtimer, clockid, mode),
	TP_STRUCT__entry(
		__field(void *, hrtimer)
		__field(clockid_t, clockid)
		__field(enum hrtimer_mode, mode)
	),
	TP_fast_assign(
		__entry->hrtimer = hrtimer;
		__entry->clockid = clockid;
		__entry->mode = mode;
	),
	TP_printk("hrtimer=%p clockid=%s mode=%s", __entry->hrtimer,
		decode_clockid(__entry->clockid),
		decode_hrtimer_mode(__entry->mode))
);

/* @was_armed: it was queued, for another time. */
TRACE_EVENT(hrtimer_start,
	TP_PROTO(struct hrtimer *hrtimer, enum hrtimer_mode mode,
		 bool was_armed),
	TP_ARGS(hrtimer, mode, was_armed),
	TP_STRUCT__entry(
		__field(void *, hrtimer)
		__field(void *, function)
		__field(s64, expires)
		__field(s64, softexpires)
		__field(enum hrtimer_mode, mode)
		__field(bool, was_armed)
	),
	TP_fast_assign(
		__entry->hrtimer = hrtimer;
		__entry->function = hrtimer->function;
		__entry->expires = hrtimer->expires;
		__entry->softexpires = hrtimer->expires;
		__entry->mode = mode;
		__entry->was_armed = was_armed;
	),
	TP_printk("hrtimer=%p function=%ps expires=%llu softexpires=%llu mode=%s was_armed=%d",
		__entry->hrtimer, __entry->function,
		(unsigned long long) __entry->expires,
		(unsigned long long) __entry->softexpires,
		decode_hrtimer_mode(__entry->mode), __entry->was_armed)
);

TRACE_EVENT(hrtimer_expire_entry,
	TP_PROTO(struct hrtimer *hrtimer, ktime_t now),
	TP_ARGS(hrtimer, now),
	TP_STRUCT__entry(
		__field(void *, hrtimer)
		__field(s64, now)
		__field(void *, function)
	),
	TP_fast_assign(
		__entry->hrtimer = hrtimer;
		__entry->now = now;
		__entry->function = hrtimer->function;
	),
	TP_printk("hrtimer=%p function=%ps now=%llu",
		__entry->hrtimer, __entry->function,
		(unsigned long long) __entry->now)
);

DECLARE_EVENT_CLASS(hrtimer_class,
	TP_PROTO(struct hrtimer *hrtimer),
	TP_ARGS(hrtimer),
	TP_STRUCT__entry(
		__field(void *, hrtimer)
	),
	TP_fast_assign(
		__entry->hrtimer = hrtimer;
	),
	TP_printk("hrtimer=%p", __entry->hrtimer)
);

DEFINE_EVENT(hrtimer_class, hrtimer_expire_exit,
	TP_PROTO(struct hrtimer *hrtimer),
	TP_ARGS(hrtimer)
);

DEFINE_EVENT(hrtimer_class, hrtimer_cancel,
	TP_PROTO(struct hrtimer *hrtimer),
	TP_ARGS(hrtimer)
);

/* @expires: by the process's clock, of ITIMER_REAL 0 */
TRACE_EVENT(itimer_state,
	TP_PROTO(int which, ktime_t value, ktime_t interval,
		 unsigned long long expires),
	TP_ARGS(which, value, interval, expires),
	TP_STRUCT__entry(
		__field(int, which)
		__field(unsigned long long, expires)
		__field(long, value_sec)
		__field(long, value_nsec)
		__field(long, interval_sec)
		__field(long, interval_nsec)
	),
	TP_fast_assign(
		__entry->which = which;
		__entry->expires = expires;
		__entry->value_sec = value / NSEC_PER_SEC;
		__entry->value_nsec = value % NSEC_PER_SEC;
		__entry->interval_sec = interval / NSEC_PER_SEC;
		__entry->interval_nsec = interval % NSEC_PER_SEC;
	),
	TP_printk("which=%d expires=%llu it_value=%ld.%06ld it_interval=%ld.%06ld",
		__entry->which, __entry->expires,
		__entry->value_sec, __entry->value_nsec / NSEC_PER_USEC,
		__entry->interval_sec, __entry->interval_nsec / NSEC_PER_USEC)
);

TRACE_EVENT(itimer_expire,
	TP_PROTO(int which, pid_t pid, unsigned long long now),
	TP_ARGS(which, pid, now),
	TP_STRUCT__entry(
		__field(int, which)
		__field(pid_t, pid)
		__field(unsigned long long, now)
	),
	TP_fast_assign(
		__entry->which = which;
		__entry->pid = pid;
		__entry->now = now;
	),
	TP_printk("which=%d pid=%d now=%llu",
		__entry->which, (int) __entry->pid, __entry->now)
);

/* What keeps a tick going elsewhere; here nothing does. */
#define TICK_DEP_MASK_NONE		0

TRACE_EVENT(tick_stop,
	TP_PROTO(int success, int dependency),
	TP_ARGS(success, dependency),
	TP_STRUCT__entry(
		__field(int, success)
		__field(int, dependency)
	),
	TP_fast_assign(
		__entry->success = success;
		__entry->dependency = dependency;
	),
	TP_printk("success=%d dependency=%s", __entry->success,
		__print_symbolic(__entry->dependency,
			{ TICK_DEP_MASK_NONE, "NONE" },
			{ (1 << 0), "POSIX_TIMER" },
			{ (1 << 1), "PERF_EVENTS" },
			{ (1 << 2), "SCHED" },
			{ (1 << 3), "CLOCK_UNSTABLE" },
			{ (1 << 4), "RCU" },
			{ (1 << 5), "RCU_EXP" }))
);

#endif

#include <trace/define_trace.h>
