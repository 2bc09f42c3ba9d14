/* SPDX-License-Identifier: GPL-2.0-only */
/* Traps other than page faults, interrupts and system calls. */
#define DISABLE_BRANCH_PROFILING
#include <linux/extable.h>
#include <linux/kernel.h>
#include <linux/init.h>
#include <linux/interrupt.h>
#include <linux/kprobes.h>
#include <linux/oops.h>
#include <linux/nmi.h>
#include <linux/entry-common.h>
#include <linux/irqflags.h>
#include <trace/events/syscalls.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/signal.h>
#include <linux/uprobes.h>
#include <asm/proto.h>
#include <asm/traps.h>

void __init trap_init(void)
{
	BUILD_BUG_ON(offsetof(struct pcpu_hot, preempt_count) != 0);
	BUILD_BUG_ON(sizeof(struct pt_regs) % 16);
}

/*
 * Called and left with interrupts off. A program's trap becomes its signal, the
 * kernel's own needs a fix-up.
 */
static void do_trap(int signr, int sicode, const char *what,
		    struct pt_regs *regs)
{
	if (!user_mode(regs)) {
		if (!fixup_exception(regs))
			die(what, regs, regs->cause);
		return;
	}
	local_irq_enable();
	uprobe_abort_xol(regs);
	if (signr == SIGILL)
		show_signal(signr, what, regs, regs->cause);
	force_sig_fault(signr, sicode, (void __user *)regs->epc);
	local_irq_disable();
}

#define DEFINE_TRAP(name, signr, sicode, what)				\
	static void name(struct pt_regs *regs)				\
	{								\
		do_trap(signr, sicode, what, regs);			\
	}

DEFINE_TRAP(do_trap_unknown, SIGILL, ILL_ILLTRP, "unknown exception")
DEFINE_TRAP(do_trap_insn_misaligned, SIGBUS, BUS_ADRALN,
	    "instruction address misaligned")
DEFINE_TRAP(do_trap_insn_illegal, SIGILL, ILL_ILLOPC, "illegal instruction")
DEFINE_TRAP(do_trap_misaligned, SIGBUS, BUS_ADRALN,
	    "load or store address misaligned")

/* A program's: its own, or a probe's. */
static void do_trap_break(struct pt_regs *regs)
{
	local_irq_enable();
	if (is_ebreak(regs) || !uprobe_pre_sstep_notifier(regs))
		arch_uprobe_unknown_swbp(regs);
	local_irq_disable();
}

noinstr void do_kernel_break(struct pt_regs *regs)
{
	enum kprobe_trap trapped = kprobe_handler(regs);

	if (trapped == KPROBE_HANDLED)
		return;
	if (kprobe_trap(regs, 0))
		kprobe_executed(regs, trapped);
	else
		die("ebreak", regs, 0);
}

/* No other NMI comes until this one has allowed it. */
noinstr void do_nmi(struct pt_regs *regs)
{
	nmi_enter();
	nmi_handle(regs);
	nmi_exit();
	csr_set(sie, SIE_NMI);
}

DEFINE_PER_CPU(char [OVERFLOW_STACK_SIZE], overflow_stack) __aligned(16);

void handle_bad_stack(struct pt_regs *regs)
{
	panic_regs(regs, "Kernel stack overflow");
}

const trap_handler_t exception_handlers[NR_CAUSES] = {
	do_trap_insn_misaligned, do_trap_unknown, do_trap_insn_illegal,
	do_trap_break, do_trap_misaligned, do_trap_unknown,
	do_trap_misaligned, do_trap_unknown, do_trap_unknown,
	do_trap_unknown, do_trap_unknown, do_trap_unknown,
	do_page_fault, do_page_fault, do_trap_unknown, do_page_fault,
	[EXC_STORE_PAGE_FAULT + 1 ... NR_CAUSES - 1] = do_trap_unknown,
};

/*
 * Called and left with interrupts off; system calls run with them on. The
 * program goes on behind the ecall.
 */
noinstr void do_syscall(struct pt_regs *regs)
{
	long nr = regs->a7;
	sys_call_ptr_t function;

	regs->epc += 4;
	regs->orig_a0 = regs->a0;
	if (trace_irqflags_enabled())
		syscall_enter_from_user_mode(regs);
	if (trace_sys_enter_enabled()) {
		raw_local_irq_enable();
		nr = syscall_trace_enter(regs, nr);
	}
	function = syscall_function(nr);
	raw_local_irq_enable();
	regs->a0 = function(regs->orig_a0, regs->a1, regs->a2, regs->a3,
			    regs->a4, regs->a5);
	syscall_exit_to_user_mode(regs);
}
