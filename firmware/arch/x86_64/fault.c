/* SPDX-License-Identifier: GPL-2.0-only */
/* Page faults: whose they are, and what follows. */
#include <linux/extable.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/oops.h>
#include <linux/oom.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/signal.h>
#include <linux/uaccess.h>
#include <asm/proto.h>
#include <asm/traps.h>

#define X86_TRAP_PF	14

#define X86_PF_PROT	0x01
#define X86_PF_WRITE	0x02
#define X86_PF_USER	0x04
#define X86_PF_RSVD	0x08
#define X86_PF_INSTR	0x10

static __noreturn void page_fault_oops(struct pt_regs *regs, long error_code,
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

/* The access was wrong, or happened where it could not be served. */
static void bad_area_nosemaphore(struct pt_regs *regs, long error_code,
				 unsigned long address, int sig, int si_code)
{
	if (user_mode(regs)) {
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

static void bad_area(struct mm_struct *mm, struct pt_regs *regs,
			      long error_code, unsigned long address)
{
	mmap_read_unlock(mm);
	bad_area_nosemaphore(regs, error_code, address, SIGSEGV, SEGV_ACCERR);
}

static inline bool access_error(long error_code, struct vm_area_struct *vma)
{
	if (error_code & X86_PF_WRITE)
		return !(vma->vm_flags & VM_WRITE);
	if (error_code & X86_PF_INSTR)
		return !(vma->vm_flags & VM_EXEC);
	return !(vma->vm_flags & VM_ACCESS_FLAGS);
}

static void do_user_addr_fault(struct pt_regs *regs, long error_code,
					unsigned long address)
{
	struct mm_struct *mm = current->mm;
	unsigned int flags = 0;
	struct vm_area_struct *vma;
	vm_fault_t fault;

	if (faulthandler_disabled() || !mm || error_code & X86_PF_RSVD) {
		bad_area_nosemaphore(regs, error_code, address, SIGSEGV,
				     SEGV_MAPERR);
		return;
	}
	if (regs->flags & X86_EFLAGS_IF)
		local_irq_enable();

	if (error_code & X86_PF_WRITE)
		flags |= FAULT_FLAG_WRITE;
	if (error_code & X86_PF_INSTR)
		flags |= FAULT_FLAG_INSTRUCTION;
	if (user_mode(regs))
		flags |= FAULT_FLAG_USER;

	vma = lock_mm_and_find_vma(mm, address, regs);
	if (!vma) {
		bad_area_nosemaphore(regs, error_code, address, SIGSEGV,
				     SEGV_MAPERR);
		return;
	}
	if (access_error(error_code, vma)) {
		bad_area(mm, regs, error_code, address);
		return;
	}
	fault = handle_mm_fault(vma, address, flags, regs);
	mmap_read_unlock(mm);

	/* The instruction is tried again, or a signal ends the program. */
	if (fault & VM_FAULT_OOM && user_mode(regs))
		pagefault_out_of_memory();
	else if (fault & VM_FAULT_OOM)
		bad_area_nosemaphore(regs, error_code, address, SIGKILL, 0);
	else if (fault & VM_FAULT_SIGBUS)
		bad_area_nosemaphore(regs, error_code, address, SIGBUS,
				     BUS_ADRERR);
	else if (fault & VM_FAULT_ERROR)
		bad_area_nosemaphore(regs, error_code, address, SIGSEGV,
				     SEGV_MAPERR);
}

void exc_page_fault(struct pt_regs *regs, long error_code)
{
	unsigned long address = read_cr2();

	if (address >= TASK_SIZE)
		bad_area_nosemaphore(regs, error_code, address, SIGSEGV,
				     SEGV_MAPERR);
	else
		do_user_addr_fault(regs, error_code, address);
	local_irq_disable();
}
