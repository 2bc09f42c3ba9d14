/* SPDX-License-Identifier: GPL-2.0-only */
/* System calls: from registers to arguments. */
#include <linux/entry-common.h>
#include <linux/irqflags.h>
#include <trace/events/syscalls.h>
#include <asm/processor.h>
#include <asm/proto.h>

/*
 * sysretq takes rip and flags from rcx and r11. It cannot set RF, it sets TF
 * an instruction early, and with an rip that is no user's it may fault in the
 * kernel, on the user's stack. The segments are never others than it loads.
 */
static __always_inline bool sysret_restores(const struct pt_regs *regs)
{
	unsigned long refused = (regs->cx ^ regs->ip) |
				(regs->r11 ^ regs->flags) |
				(regs->flags & (X86_EFLAGS_RF | X86_EFLAGS_TF));

	return !refused && regs->ip < TASK_SIZE;
}

/*
 * Called and left with interrupts off; system calls run with them on. Says
 * whether the program can go on by sysretq.
 */
noinstr bool do_syscall_64(struct pt_regs *regs, int nr)
{
	unsigned long di, si, dx, r10, r8, r9;
	sys_call_ptr_t function;

	if (trace_irqflags_enabled())
		syscall_enter_from_user_mode(regs);
	if (trace_sys_enter_enabled()) {
		raw_local_irq_enable();
		nr = syscall_trace_enter(regs, nr);
	}
	function = syscall_function(nr);
	di = regs->di;
	si = regs->si;
	dx = regs->dx;
	r10 = regs->r10;
	r8 = regs->r8;
	r9 = regs->r9;

	/* All is at hand: the call is what sti keeps interrupts off for. */
	raw_local_irq_enable();
	regs->ax = function(di, si, dx, r10, r8, r9);
	syscall_exit_to_user_mode(regs);
	return sysret_restores(regs);
}
