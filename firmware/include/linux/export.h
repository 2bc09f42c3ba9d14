/* SPDX-License-Identifier: GPL-2.0-only */
/* Which of the kernel's symbols modules may use, and which of a module's. */
#ifndef _LINUX_EXPORT_H
#define _LINUX_EXPORT_H

#include <linux/compiler.h>

struct kernel_symbol {
	unsigned long value;
	const char *name;
};

/*
 * Each in a section of its own, which the linker sorts by name: symbols are
 * looked up by bisection.
 */
#define __EXPORT_SYMBOL(sym, sec)					\
	static const char __kstrtab_##sym[]				\
		__section("__ksymtab_strings") __used = #sym;		\
	static const struct kernel_symbol __ksymtab_##sym		\
		__section("___ksymtab" sec "+" #sym) __used =		\
		{ (unsigned long)&sym, __kstrtab_##sym }

#define EXPORT_SYMBOL(sym)	__EXPORT_SYMBOL(sym, "")
#define EXPORT_SYMBOL_GPL(sym)	__EXPORT_SYMBOL(sym, "_gpl")

#endif
