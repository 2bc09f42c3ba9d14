/* SPDX-License-Identifier: GPL-2.0-only */
/* No instruction of a program can be probed. */
#include <linux/errno.h>
#include <linux/signal.h>
#include <linux/uprobes.h>
#include "fallback.h"

__fallback int arch_uprobe_analyze_insn(struct arch_uprobe *auprobe)
{
	port_lacks();
	return -EOPNOTSUPP;
}

__fallback bool arch_uprobe_skip_sstep(const struct arch_uprobe *auprobe,
				       struct pt_regs *regs, bool *failed)
{
	port_lacks();
	return false;
}

__fallback int arch_uprobe_copy_ixol(const struct arch_uprobe *auprobe,
				     unsigned long vaddr,
				     unsigned long xol_vaddr,
				     u8 slot[UPROBE_XOL_SLOT_BYTES])
{
	port_lacks();
	return -EOPNOTSUPP;
}

__fallback void arch_uprobe_unknown_swbp(struct pt_regs *regs)
{
	force_sig(SIGTRAP);
}

__fallback unsigned long
arch_uretprobe_hijack_return_addr(unsigned long trampoline,
				  struct pt_regs *regs)
{
	port_lacks();
	return 0;
}

__fallback bool arch_uretprobe_is_alive(unsigned long stack, enum rp_check ctx,
					struct pt_regs *regs)
{
	port_lacks();
	return true;
}
