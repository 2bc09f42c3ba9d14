/* SPDX-License-Identifier: GPL-2.0-only */
/* Exceptions other than page faults. */
#define DISABLE_BRANCH_PROFILING
#include <linux/extable.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/oops.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/signal.h>
#include <linux/uprobes.h>
#include <linux/interrupt.h>
#include <linux/nmi.h>
#include <emu/hostcall.h>
#include <asm/proto.h>
#include <asm/traps.h>

/*
 * Called and left with interrupts off. A program's fault becomes its signal,
 * the kernel's own needs a fix-up. Where @sicode is 0 nothing more than the
 * signal is known.
 */
static void do_trap(int trapnr, int signr, int sicode, const char *what,
		    struct pt_regs *regs, long error_code)
{
	if (!user_mode(regs)) {
		if (!fixup_exception(regs))
			die(what, regs, error_code);
		return;
	}
	local_irq_enable();
	uprobe_abort_xol(regs);
	current->thread.trap_nr = trapnr;
	current->thread.error_code = error_code == -1 ? 0 : error_code;
	if (signr == SIGILL)
		show_signal(signr, what, regs, current->thread.error_code);
	if (sicode)
		force_sig_fault(signr, sicode, (void __user *)regs->ip);
	else
		force_sig(signr);
	local_irq_disable();
}

#define DEFINE_TRAP(name, trapnr, signr, sicode, what)			\
	void exc_##name(struct pt_regs *regs, long error_code)		\
	{								\
		do_trap(trapnr, signr, sicode, what, regs, error_code);	\
	}

DEFINE_TRAP(divide_error, 0, SIGFPE, FPE_INTDIV, "divide error")
DEFINE_TRAP(debug, 1, SIGTRAP, TRAP_TRACE, "debug")
DEFINE_TRAP(overflow, 4, SIGSEGV, 0, "overflow")
DEFINE_TRAP(bounds, 5, SIGSEGV, 0, "bounds")
DEFINE_TRAP(invalid_op, 6, SIGILL, ILL_ILLOPN, "invalid opcode")
DEFINE_TRAP(device_not_available, 7, SIGSEGV, 0, "device not available")
DEFINE_TRAP(invalid_tss, 10, SIGSEGV, 0, "invalid TSS")
DEFINE_TRAP(segment_not_present, 11, SIGBUS, 0, "segment not present")
DEFINE_TRAP(stack_segment, 12, SIGBUS, 0, "stack segment")
DEFINE_TRAP(general_protection, 13, SIGSEGV, 0, "general protection fault")
DEFINE_TRAP(coprocessor_error, 16, SIGFPE, FPE_FLTUNK, "coprocessor error")
DEFINE_TRAP(alignment_check, 17, SIGBUS, BUS_ADRALN, "alignment check")
DEFINE_TRAP(simd_coprocessor_error, 19, SIGFPE, FPE_FLTUNK, "simd exception")

/*
 * Called and left with interrupts off. A breakpoint in the kernel is a kprobe,
 * or a call site that the host is patching, and the host makes it a nop or a
 * call. Nothing on this path may be any of these.
 */
noinstr void exc_int3(struct pt_regs *regs)
{
	enum kprobe_trap trapped;

	if (user_mode(regs)) {
		local_irq_enable();
		if (!uprobe_pre_sstep_notifier(regs))
			arch_uprobe_unknown_swbp(regs);
		local_irq_disable();
		return;
	}
	trapped = kprobe_handler(regs);
	if (trapped == KPROBE_HANDLED)
		return;
	if (kprobe_int3_handler(regs, 0))
		kprobe_executed(regs, trapped);
	else if (!hostcall1(HC_BREAKPOINT, regs))
		die("int3", regs, 0);
}

void handle_stack_overflow(struct pt_regs *regs, unsigned long address)
{
	unsigned long stack = (unsigned long)task_stack_page(current);

	panic_regs(regs, "BUG: TASK stack guard page was hit at %016lx (stack is %016lx..%016lx)",
		   address, stack, stack + THREAD_SIZE - 1);
}

/*
 * On a stack of its own; never returns. A full stack has no room for the frame
 * of the page fault that it causes either. CR2 is still that fault's.
 */
void exc_double_fault(struct pt_regs *regs, long error_code)
{
	if (in_stack_guard(current, read_cr2()))
		handle_stack_overflow(regs, read_cr2());
	panic_regs(regs, "double fault: %04lx", error_code & 0xffff);
}

/*
 * On a stack of its own, and never within another: only iret lets the next one
 * in, and breakpoints, which tracing may put into what is called here, do not
 * return by it. Nothing else on the way may trap.
 */
noinstr void exc_nmi(struct pt_regs *regs)
{
	nmi_enter();
	nmi_handle(regs);
	nmi_exit();
}
