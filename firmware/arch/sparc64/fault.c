/* SPDX-License-Identifier: GPL-2.0-only */
/* Page faults: whose they are, and what follows. */
#include <linux/extable.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/oops.h>
#include <linux/sched.h>
#include <linux/signal.h>
#include <linux/uaccess.h>
#include <linux/uprobes.h>
#include <asm/proto.h>
#include <asm/traps.h>

/* What was tried; it is the error code, too. */
enum access {
	READ = 0,
	WRITE = FAULT_FLAG_WRITE,
	EXEC = FAULT_FLAG_INSTRUCTION,
};

/* The MMU knows the page only; the rest is in the instruction. */
static void __user *fault_address(struct pt_regs *regs, enum access access,
				  unsigned long page)
{
	unsigned int insn;
	unsigned long address;

	if (access == EXEC)
		return (void __user *)regs->tpc;
	if (get_user(insn, (unsigned int __user *)regs->tpc) || insn >> 30 != 3)
		return (void __user *)page;
	address = compute_effective_address(regs, insn);
	return (void __user *)((address & PAGE_MASK) == page ? address : page);
}

/*
 * A fault that cannot be served: a signal, a fix-up or an oops. The caller has
 * released mmap_lock.
 */
void bad_area_nosemaphore(struct pt_regs *regs, unsigned long access,
			  unsigned long address, int sig, int si_code)
{
	const char *name = access == WRITE ? "write" :
			   access == EXEC ? "execute" : "read";

	if (user_mode(regs)) {
		local_irq_enable();
		uprobe_abort_xol(regs);
		if (sig == SIGKILL)
			force_fatal_sig(sig);
		else
			force_sig_fault(sig, si_code, fault_address(regs, access,
								    address));
		local_irq_disable();
		return;
	}
	if (fixup_exception(regs))
		return;
	if (address < PAGE_SIZE)
		oops(regs, "Unable to handle kernel NULL pointer dereference\n"
		     "%s access", name);
	oops(regs, "Unable to handle kernel paging request at virtual address %016lx\n"
	     "%s access", address, name);
}

/*
 * The MMU does not say whether an access without a translation was a write;
 * the instruction does. Atomic ones count as writes, prefetches do not.
 */
static enum access data_access(struct pt_regs *regs)
{
	unsigned int insn = 0, op3;

	if (!user_mode(regs))
		insn = *(unsigned int *)regs->tpc;
	else if (get_user(insn, (unsigned int __user *)regs->tpc))
		return READ;
	op3 = insn >> 19 & 0x3f;
	if (insn >> 30 != 3 || !(op3 & 4) || (op3 & 0x2f) == 0x2d)
		return READ;
	return WRITE;
}

/*
 * From entry code, with interrupts off; left with them off. @tag: a page's
 * address, and below it the context.
 */
static void do_sparc64_fault(struct pt_regs *regs, unsigned long tag,
			     enum access access, bool decode)
{
	unsigned long address = tag & PAGE_MASK;

	if (decode) {
		/* Reading the program's instruction may fault, too. */
		if (user_mode(regs))
			local_irq_enable();
		access = data_access(regs);
	}
	if (address >= TASK_SIZE)
		bad_area_nosemaphore(regs, access, address, SIGSEGV,
				     SEGV_MAPERR);
	else
		do_user_addr_fault(regs, access, access, address);
	local_irq_disable();
}

/* Where entry code comes in; they are not shown, so that do_sparc64_fault() is outermost. */
noinstr void do_fault_exec(struct pt_regs *regs, unsigned long tag)
{
	do_sparc64_fault(regs, tag, EXEC, false);
}

noinstr void do_fault_read(struct pt_regs *regs, unsigned long tag)
{
	do_sparc64_fault(regs, tag, READ, false);
}

noinstr void do_fault_write(struct pt_regs *regs, unsigned long tag)
{
	do_sparc64_fault(regs, tag, WRITE, false);
}

noinstr void do_fault_data(struct pt_regs *regs, unsigned long tag)
{
	do_sparc64_fault(regs, tag, READ, true);
}

/* What is there is not the user's. */
void do_fault_privilege(struct pt_regs *regs, unsigned long tag)
{
	bad_area_nosemaphore(regs, READ, tag & PAGE_MASK, SIGSEGV,
			     SEGV_ACCERR);
}
