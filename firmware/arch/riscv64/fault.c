/* SPDX-License-Identifier: GPL-2.0-only */
/* Page faults: whose they are, and what follows. */
#include <linux/extable.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/oops.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/signal.h>
#include <linux/uaccess.h>
#include <linux/uprobes.h>
#include <asm/proto.h>
#include <asm/traps.h>

/*
 * A fault that cannot be served: a signal, a fix-up or an oops. The caller has
 * released mmap_lock.
 */
void bad_area_nosemaphore(struct pt_regs *regs, unsigned long cause,
			  unsigned long address, int sig, int si_code)
{
	if (user_mode(regs)) {
		local_irq_enable();
		uprobe_abort_xol(regs);
		if (sig == SIGKILL)
			force_fatal_sig(sig);
		else
			force_sig_fault(sig, si_code, (void __user *)address);
		local_irq_disable();
		return;
	}
	if (fixup_exception(regs))
		return;
	if (in_stack_guard(current, address))
		panic_regs(regs, "Kernel stack overflow");
	oops(regs, "Unable to handle kernel %s at virtual address %016lx",
	     address < PAGE_SIZE ? "NULL pointer dereference" :
				   "paging request", address);
}

/* From entry code, with interrupts off; left with them off. */
void do_page_fault(struct pt_regs *regs)
{
	unsigned int flags = regs->cause == EXC_STORE_PAGE_FAULT ?
				FAULT_FLAG_WRITE :
			     regs->cause == EXC_INST_PAGE_FAULT ?
				FAULT_FLAG_INSTRUCTION : 0;

	if (regs->badaddr >= TASK_SIZE)
		bad_area_nosemaphore(regs, regs->cause, regs->badaddr, SIGSEGV,
				     SEGV_MAPERR);
	else
		do_user_addr_fault(regs, regs->cause, flags, regs->badaddr);
	local_irq_disable();
}
