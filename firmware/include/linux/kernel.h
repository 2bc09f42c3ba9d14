/* SPDX-License-Identifier: GPL-2.0-only */
/* Small arithmetic and pointer helpers that everything uses. */
#ifndef _LINUX_KERNEL_H
#define _LINUX_KERNEL_H

#include <linux/types.h>
#include <linux/compiler.h>
#include <linux/limits.h>
#include <linux/errno.h>
#include <linux/bug.h>
#include <linux/kstrtox.h>
#include <linux/printk.h>
#include <linux/string.h>
#include <linux/container_of.h>

/* Where the function that says so returns to. */
#define _RET_IP_		((unsigned long)__builtin_return_address(0))

#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))

#define min(x, y) ({				\
	typeof(x) _min1 = (x);			\
	typeof(y) _min2 = (y);			\
	(void)(&_min1 == &_min2);		\
	_min1 < _min2 ? _min1 : _min2; })

#define max(x, y) ({				\
	typeof(x) _max1 = (x);			\
	typeof(y) _max2 = (y);			\
	(void)(&_max1 == &_max2);		\
	_max1 > _max2 ? _max1 : _max2; })

#define min_t(type, x, y)	min((type)(x), (type)(y))
#define max_t(type, x, y)	max((type)(x), (type)(y))
#define clamp(v, lo, hi)	min(max(v, lo), hi)

#define swap(a, b) \
	do { typeof(a) _tmp = (a); (a) = (b); (b) = _tmp; } while (0)

#define ALIGN(x, a)		(((x) + (a) - 1) & ~((typeof(x))(a) - 1))
#define ALIGN_DOWN(x, a)	((x) & ~((typeof(x))(a) - 1))
#define DIV_ROUND_UP(n, d)	(((n) + (d) - 1) / (d))

/* How far the boot has come. */
extern enum system_states {
	SYSTEM_BOOTING,		/* alone, with interrupts off */
	SYSTEM_SCHEDULING,
	SYSTEM_RUNNING,
} system_state;

/*
 * Says that what follows may sleep, even if it rarely does: whoever must not
 * is warned about.
 */
void __might_sleep(const char *file, int line);
void __might_resched(const char *file, int line, unsigned int offsets);
void __might_fault(const char *file, int line);
#define might_sleep()		__might_sleep(__FILE__, __LINE__)
#define might_sleep_if(c)	((c) ? might_sleep() : (void)0)
#define might_fault()		__might_fault(__FILE__, __LINE__)

void panic(const char *fmt, ...) __noreturn __printf(1, 2);

struct pt_regs;

/* @regs: where it happened, or NULL for here. */
void panic_regs(struct pt_regs *regs, const char *fmt, ...)
	__noreturn __printf(2, 3);

/* Whether the trace's buffers take anything: the file tracing_on. */
void tracing_on(void);
void tracing_off(void);
int tracing_is_on(void);

/*
 * What has been recorded becomes the snapshot. There must be room for it, which
 * the others make; without, tracing is turned off.
 */
void tracing_snapshot(void);
void tracing_snapshot_alloc(void);
/* 0 or -ENOMEM. */
int tracing_alloc_snapshot(void);

/* What is dumped: nothing, the buffers of all CPUs, that of this CPU. */
enum ftrace_dump_mode {
	DUMP_NONE,
	DUMP_ALL,
	DUMP_ORIG,
};

/* Stops tracing, and moves what is in the buffers to the console. */
void ftrace_dump(enum ftrace_dump_mode oops_dump_mode);

#endif
