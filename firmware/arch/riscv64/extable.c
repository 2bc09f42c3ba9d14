/* SPDX-License-Identifier: GPL-2.0-only */
/* Going on behind a kernel instruction that faulted. */
#include <linux/extable.h>
#include <linux/kernel.h>
#include <asm/proto.h>

bool fixup_exception(struct pt_regs *regs)
{
	const struct exception_table_entry *e =
		search_exception_tables(regs->epc);

	if (!e)
		return false;
	regs->epc = ex_fixup(e);
	return true;
}
