/* SPDX-License-Identifier: GPL-2.0-only */
/* Probes in programs: to do. */
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/signal.h>
#include <linux/uprobes.h>

int arch_uprobe_analyze_insn(struct arch_uprobe *auprobe)
{
	return -EOPNOTSUPP;
}

bool arch_uprobe_skip_sstep(const struct arch_uprobe *auprobe,
			    struct pt_regs *regs, bool *failed)
{
	return false;
}

int arch_uprobe_copy_ixol(const struct arch_uprobe *auprobe,
			  unsigned long vaddr, unsigned long xol_vaddr, 
			  u8 slot[UPROBE_XOL_SLOT_BYTES])
{
	return 0;
}

unsigned long arch_uretprobe_hijack_return_addr(unsigned long trampoline,
						struct pt_regs *regs)
{
	unsigned long ra = regs->ra;

	regs->ra = trampoline;
	return ra;
}

bool arch_uretprobe_is_alive(unsigned long stack, enum rp_check ctx,
			     struct pt_regs *regs)
{
	return regs->sp <= stack;
}

void arch_uprobe_unknown_swbp(struct pt_regs *regs)
{
	force_sig_fault(SIGTRAP, TRAP_BRKPT, (void __user *)regs->epc);
}
