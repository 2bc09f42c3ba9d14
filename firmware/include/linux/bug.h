/* SPDX-License-Identifier: GPL-2.0-only */
/* Assertions: BUG ends the machine, WARN reports and goes on. */
#ifndef _LINUX_BUG_H
#define _LINUX_BUG_H

#include <linux/compiler.h>

void __bug(const char *file, int line) __noreturn;
void __warn(const char *file, int line);
struct pt_regs;

/* A text, and who called; @regs: of whom it is about, or NULL for here. */
void report_bug(struct pt_regs *regs, const char *fmt, ...) __printf(2, 3);

#define BUG()		__bug(__FILE__, __LINE__)
#define BUG_ON(c)	do { if (unlikely(c)) BUG(); } while (0)

#define WARN_ON(c) ({					\
	bool _warn = !!(c);				\
	if (unlikely(_warn))				\
		__warn(__FILE__, __LINE__);		\
	__builtin_expect(_warn, 0); })

#define WARN_ON_ONCE(c) ({				\
	static bool _warned;				\
	bool _warn_once = !!(c);			\
	if (unlikely(_warn_once && !_warned)) {		\
		_warned = true;				\
		__warn(__FILE__, __LINE__);		\
	}						\
	__builtin_expect(_warn_once, 0); })

#define BUILD_BUG_ON(c)	_Static_assert(!(c), #c)

#endif
