/* SPDX-License-Identifier: GPL-2.0-only */
/* Page faults: whose they are, and what follows. */
#include <linux/extable.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/mmiotrace.h>
#include <linux/oops.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/signal.h>
#include <linux/uaccess.h>
#include <linux/uprobes.h>
#include <asm/proto.h>
#include <asm/traps.h>

#define CREATE_TRACE_POINTS
#include <asm/trace/exceptions.h>

#define X86_TRAP_PF	14

#define X86_PF_PROT	0x01
#define X86_PF_WRITE	0x02
#define X86_PF_USER	0x04
#define X86_PF_RSVD	0x08
#define X86_PF_INSTR	0x10

static __noreturn void page_fault_oops(struct pt_regs *regs,
				       unsigned long error_code,
				       unsigned long address)
{
	oops(regs, "BUG: %s address: %016lx\n"
	     "#PF: supervisor %s in kernel mode\n"
	     "#PF: error_code(0x%04lx) - %s",
	     address < PAGE_SIZE ? "kernel NULL pointer dereference," :
				   "unable to handle page fault for",
	     address, error_code & X86_PF_INSTR ? "instruction fetch" :
		      error_code & X86_PF_WRITE ? "write access" :
						  "read access",
	     error_code, error_code & X86_PF_PROT ? "permissions violation" :
						    "not-present page");
}

/*
 * A fault that cannot be served: a signal, a fix-up or an oops. The caller has
 * released mmap_lock.
 */
void bad_area_nosemaphore(struct pt_regs *regs, unsigned long error_code,
			  unsigned long address, int sig, int si_code)
{
	if (user_mode(regs)) {
		uprobe_abort_xol(regs);
		current->thread.cr2 = address;
		current->thread.trap_nr = X86_TRAP_PF;
		/* What lies in the kernel's half is nobody's to know. */
		current->thread.error_code = error_code | X86_PF_USER |
			(address >= TASK_SIZE ? X86_PF_PROT : 0);
		if (sig == SIGKILL)
			force_fatal_sig(sig);
		else
			force_sig_fault(sig, si_code, (void __user *)address);
		return;
	}
	if (fixup_exception(regs))
		return;
	if (in_stack_guard(current, address))
		handle_stack_overflow(regs, address);
	page_fault_oops(regs, error_code, address);
}

static inline unsigned int fault_flags(unsigned long error_code)
{
	unsigned int flags = 0;

	if (error_code & X86_PF_WRITE)
		flags |= FAULT_FLAG_WRITE;
	if (error_code & X86_PF_INSTR)
		flags |= FAULT_FLAG_INSTRUCTION;
	return flags;
}

DEFINE_STATIC_KEY_FALSE(trace_pagefault_key);

static __always_inline void handle_page_fault(struct pt_regs *regs,
					      long error_code,
					      unsigned long address)
{
	if (address >= TASK_SIZE && !user_mode(regs) &&
	    !(error_code & X86_PF_PROT) && kmmio_handler(regs, address))
		return;
	if (address >= TASK_SIZE || error_code & X86_PF_RSVD)
		bad_area_nosemaphore(regs, error_code, address, SIGSEGV,
				     SEGV_MAPERR);
	else
		do_user_addr_fault(regs, error_code, fault_flags(error_code),
				   address);
}

/* All of it, so that exc_page_fault() has nothing to keep for later. */
static notrace void handle_traced_page_fault(struct pt_regs *regs,
					     long error_code,
					     unsigned long address)
{
	if (user_mode(regs))
		trace_page_fault_user(address, regs, error_code);
	else
		trace_page_fault_kernel(address, regs, error_code);
	handle_page_fault(regs, error_code, address);
}

/*
 * From asm_exc_page_fault, with interrupts off; left with them off. CR2 is read
 * first: the next fault overwrites it.
 */
void exc_page_fault(struct pt_regs *regs, long error_code)
{
	unsigned long address = read_cr2();

	if (static_branch_unlikely(&trace_pagefault_key))
		handle_traced_page_fault(regs, error_code, address);
	else
		handle_page_fault(regs, error_code, address);
	local_irq_disable();
}
