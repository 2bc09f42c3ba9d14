/* SPDX-License-Identifier: GPL-2.0-only */
/* Kernel instructions that may fault, and where to go on if they do. */
#ifndef _LINUX_EXTABLE_H
#define _LINUX_EXTABLE_H

#include <linux/types.h>

struct pt_regs;

/* One entry per instruction; both addresses relative to where they are. */
struct exception_table_entry {
	s32 insn;
	s32 fixup;
};

#define ex_insn(e)	((unsigned long)&(e)->insn + (e)->insn)
#define ex_fixup(e)	((unsigned long)&(e)->fixup + (e)->fixup)

const struct exception_table_entry *
search_extable(const struct exception_table_entry *base, size_t num,
	       unsigned long ip);
/* Of the kernel and of its modules. */
const struct exception_table_entry *search_exception_tables(unsigned long ip);

/* Has who faulted go on at its fix-up, if there is one. */
bool fixup_exception(struct pt_regs *regs);

#endif
