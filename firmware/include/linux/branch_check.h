/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What likely() and unlikely() tell of the branches that they annotate: nothing
 * while branch_key is off. Included by linux/compiler.h only.
 */
#ifndef _LINUX_BRANCH_CHECK_H
#define _LINUX_BRANCH_CHECK_H

#include <linux/jump_label.h>
#include <asm/cold_call.h>

struct ftrace_branch_data {
	const char *func;
	const char *file;
	unsigned int line;
	unsigned long correct;
	unsigned long incorrect;
};

struct ftrace_likely_data {
	struct ftrace_branch_data data;
	unsigned long constant;		/* how often it was known to gcc */
};

DECLARE_STATIC_KEY_FALSE(branch_key);

/* A condition was as expected; was not; was known to gcc. */
void ftrace_likely_correct(struct ftrace_likely_data *f) __cold_callee;
void ftrace_likely_incorrect(struct ftrace_likely_data *f) __cold_callee;
void ftrace_likely_constant(struct ftrace_likely_data *f) __cold_callee;

static __always_inline int __branch_taken(struct ftrace_likely_data *f, int val,
					  int expect, int is_constant)
{
	if (static_branch_unlikely(&branch_key)) {
		if (is_constant)
			cold_call_with_constant(ftrace_likely_constant, f);
		else if (val == expect)
			cold_call_with_constant(ftrace_likely_correct, f);
		else
			cold_call_with_constant(ftrace_likely_incorrect, f);
	}
	return val;
}

/*
 * Each side of the branch has a nop of its own: so the condition need not be
 * kept, and who passes executes one instruction more than without. Whether gcc
 * knows the condition is asked before: on either side it always does.
 */
#define __branch_check__(x, expect, is_constant) ({			\
	static struct ftrace_likely_data ______f			\
		__aligned(8) __section("_ftrace_annotated_branch") = {	\
		.data = {						\
			.func = __func__,				\
			.file = __FILE__,				\
			.line = __LINE__,				\
		},							\
	};								\
	const int ______constant = is_constant;				\
									\
	__builtin_expect(!!(x), expect) ?				\
		__branch_taken(&______f, 1, expect, ______constant) :	\
		__branch_taken(&______f, 0, expect, ______constant); })

#ifndef DISABLE_BRANCH_PROFILING
#define likely(x)	__branch_check__(x, 1, __builtin_constant_p(x))
#define unlikely(x)	__branch_check__(x, 0, __builtin_constant_p(x))
#endif

#endif
