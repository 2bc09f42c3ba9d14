/* SPDX-License-Identifier: GPL-2.0-only */
/* What the compiler is told beyond the language itself. */
#ifndef _LINUX_COMPILER_H
#define _LINUX_COMPILER_H

/*
 * With -fno-inline, what is marked inline is inlined and nothing else is: the
 * source alone decides which calls a trace shows.
 */
#undef inline
#define inline			inline __attribute__((always_inline, unused)) \
				notrace
#define __always_inline		inline
/* Keeps its name; gcc calls what it clones NAME.isra.0 or NAME.constprop.0. */
#define __noclone		__attribute__((noclone))
#ifdef CC_USING_PATCHABLE_FUNCTION_ENTRY	/* sites are not made by -pg */
#define notrace			__attribute__((patchable_function_entry(0)))
#else
#define notrace			__attribute__((no_instrument_function))
#endif
#define __noreturn		__attribute__((noreturn))
#define __packed		__attribute__((packed))
#define __aligned(n)		__attribute__((aligned(n)))
#define __section(name)		__attribute__((section(name)))
#define __used			__attribute__((used))
#define __printf(fmt, args)	__attribute__((format(printf, fmt, args)))
#define fallthrough		__attribute__((fallthrough))

/* Entry code: tracing is not possible yet, or no more. */
#define noinstr			notrace

/* Functions in which tasks wait: what is asked for is where they were called. */
#define __sched			__attribute__((section(".sched.text")))

/* Marks pointers into user space; only linux/uaccess.h may follow them. */
#define __user
/* Marks casts that change what a number means. */
#define __force

#define unreachable()		__builtin_unreachable()

#define barrier()		asm volatile("" : : : "memory")

#define READ_ONCE(x)		(*(const volatile typeof(x) *)&(x))
#define WRITE_ONCE(x, v)	(*(volatile typeof(x) *)&(x) = (v))

/* Code below the tracer says DISABLE_BRANCH_PROFILING before all includes. */
#ifdef DISABLE_BRANCH_PROFILING
#define likely(x)		__builtin_expect(!!(x), 1)
#define unlikely(x)		__builtin_expect(!!(x), 0)
#endif
#include <linux/branch_check.h>

#endif
