/* SPDX-License-Identifier: GPL-2.0-only */
/* Kernel instructions that may fault: the search, and continuing after a fault. */
#include <linux/extable.h>
#include <linux/module.h>
#include <asm/ptrace.h>

extern const struct exception_table_entry __start___ex_table[];
extern const struct exception_table_entry __stop___ex_table[];

const struct exception_table_entry *
search_extable(const struct exception_table_entry *base, size_t num,
	       unsigned long ip)
{
	const struct exception_table_entry *e;

	for (e = base; e < base + num; e++)
		if (ex_insn(e) == ip)
			return e;
	return NULL;
}

const struct exception_table_entry *search_exception_tables(unsigned long ip)
{
	const struct exception_table_entry *e;

	e = search_extable(__start___ex_table,
			   __stop___ex_table - __start___ex_table, ip);
	return e ? e : search_module_extables(ip);
}

bool fixup_exception(struct pt_regs *regs)
{
	const struct exception_table_entry *e =
		search_exception_tables(instruction_pointer(regs));

	if (!e)
		return false;
	instruction_pointer_set(regs, ex_fixup(e));
	return true;
}
