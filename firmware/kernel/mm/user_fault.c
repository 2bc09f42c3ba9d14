/* SPDX-License-Identifier: GPL-2.0-only */
/* Page faults below TASK_SIZE: served, or told to whom they belong. */
#include <linux/irqflags.h>
#include <linux/mm.h>
#include <linux/oom.h>
#include <linux/sched.h>
#include <linux/signal.h>
#include <linux/uaccess.h>

/* With mmap_lock held for reading, which is released. */
static void bad_area(struct mm_struct *mm, struct pt_regs *regs,
		     unsigned long error_code, unsigned long address)
{
	mmap_read_unlock(mm);
	bad_area_nosemaphore(regs, error_code, address, SIGSEGV, SEGV_ACCERR);
}

static inline bool access_error(unsigned int flags, struct vm_area_struct *vma)
{
	if (flags & FAULT_FLAG_WRITE)
		return !(vma->vm_flags & VM_WRITE);
	if (flags & FAULT_FLAG_INSTRUCTION)
		return !(vma->vm_flags & VM_EXEC);
	return !(vma->vm_flags & VM_ACCESS_FLAGS);
}

/*
 * Turns interrupts on if they were on before the fault; the caller turns them
 * off again. May sleep, unless page faults are disabled.
 */
void do_user_addr_fault(struct pt_regs *regs, unsigned long error_code,
			unsigned int flags, unsigned long address)
{
	struct mm_struct *mm = current->mm;
	struct vm_area_struct *vma;
	vm_fault_t fault;

	if (faulthandler_disabled() || !mm) {
		bad_area_nosemaphore(regs, error_code, address, SIGSEGV,
				     SEGV_MAPERR);
		return;
	}
	if (!regs_irqs_disabled(regs))
		local_irq_enable();
	if (user_mode(regs))
		flags |= FAULT_FLAG_USER;

	vma = lock_mm_and_find_vma(mm, address, regs);
	if (!vma) {
		bad_area_nosemaphore(regs, error_code, address, SIGSEGV,
				     SEGV_MAPERR);
		return;
	}
	if (access_error(flags, vma)) {
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
