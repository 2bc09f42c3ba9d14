/* SPDX-License-Identifier: GPL-2.0-only */
/* Kernel instructions that may fault, and where to go on if they do. */
#include <linux/kernel.h>
#include <asm/proto.h>

/* One entry per instruction; both addresses relative to where they are. */
struct exception_table_entry {
	s32 insn;
	s32 fixup;
};

extern const struct exception_table_entry __start___ex_table[];
extern const struct exception_table_entry __stop___ex_table[];

static const struct exception_table_entry *
search_extable(unsigned long pc)
{
	const struct exception_table_entry *e;

	for (e = __start___ex_table; e < __stop___ex_table; e++)
		if ((unsigned long)&e->insn + e->insn == pc)
			return e;
	return NULL;
}

bool search_exception_tables(unsigned long pc)
{
	return search_extable(pc) != NULL;
}

bool fixup_exception(struct pt_regs *regs)
{
	const struct exception_table_entry *e = search_extable(regs->tpc);

	if (!e)
		return false;
	regs->tpc = (unsigned long)&e->fixup + e->fixup;
	regs->tnpc = regs->tpc + 4;
	return true;
}
