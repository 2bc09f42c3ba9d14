/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What frames are followed by. They hold return addresses less RETURN_OFFSET;
 * asm/stacktrace.h includes it.
 */
#ifndef _ASM_GENERIC_STACKTRACE_H
#define _ASM_GENERIC_STACKTRACE_H

#include <linux/ftrace.h>
#include <linux/rethook.h>
#include <linux/sched.h>

/* In place of those that function_graph has replaced. */
#define RETURN_TO_HANDLER_PC \
	((unsigned long)return_to_handler - RETURN_OFFSET)
/* In place of those that a return probe has replaced. */
#define RETHOOK_TRAMPOLINE_PC \
	((unsigned long)arch_rethook_trampoline - RETURN_OFFSET)

struct unwind_state {
	unsigned long frame;	/* the next one's address */
	unsigned long pc;	/* found in the last one ... */
	unsigned long id;	/* ... of the call that is known by this */
};

#endif
