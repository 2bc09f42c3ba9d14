/* SPDX-License-Identifier: GPL-2.0-only */
/* Traps other than page faults, interrupts and system calls. */
#define DISABLE_BRANCH_PROFILING
#include <linux/extable.h>
#include <linux/kernel.h>
#include <linux/init.h>
#include <linux/interrupt.h>
#include <linux/oops.h>
#include <linux/nmi.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/signal.h>
#include <linux/uprobes.h>
#include <asm/proto.h>
#include <asm/traps.h>

#define MAX_OFFSET	4095	/* in an instruction */

/* Entry code finds these with the offset in a load or store. */
void __init trap_init(void)
{
	BUILD_BUG_ON(offsetof(struct pcpu_hot, preempt_count) != 0);
	BUILD_BUG_ON(offsetof(struct task_struct, thread.next_window) >
		     MAX_OFFSET);
	BUILD_BUG_ON(offsetof(struct task_struct, thread.windows) > MAX_OFFSET);
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
			die(what, regs, pt_regs_trap_type(regs));
		return;
	}
	local_irq_enable();
	uprobe_abort_xol(regs);
	if (signr == SIGILL)
		show_signal(signr, what, regs, pt_regs_trap_type(regs));
	force_sig_fault(signr, sicode, (void __user *)regs->tpc);
	local_irq_disable();
}

#define DEFINE_TRAP(name, signr, sicode, what)				\
	void name(struct pt_regs *regs)					\
	{								\
		do_trap(signr, sicode, what, regs);			\
	}

DEFINE_TRAP(do_illegal_instruction, SIGILL, ILL_ILLOPC, "illegal instruction")
DEFINE_TRAP(do_privop, SIGILL, ILL_PRVOPC, "privileged instruction")
DEFINE_TRAP(do_privact, SIGILL, ILL_PRVOPC, "privileged action")
DEFINE_TRAP(do_fpieee, SIGFPE, FPE_FLTUNK, "floating point exception")
DEFINE_TRAP(do_fpother, SIGFPE, FPE_FLTUNK,
	    "unfinished floating point operation")
DEFINE_TRAP(do_tof, SIGEMT, EMT_TAGOVF, "tag overflow")
DEFINE_TRAP(do_div0, SIGFPE, FPE_INTDIV, "division by zero")
DEFINE_TRAP(do_dae, SIGBUS, BUS_OBJERR, "data access error")
DEFINE_TRAP(do_mna, SIGBUS, BUS_ADRALN, "unaligned memory access")
DEFINE_TRAP(do_breakpoint, SIGTRAP, TRAP_BRKPT, "breakpoint")
DEFINE_TRAP(bad_trap, SIGILL, ILL_ILLTRP, "unexpected trap")

/* UPROBE_SWBP_INSN */
void do_uprobe(struct pt_regs *regs)
{
	if (!user_mode(regs))
		die("uprobe", regs, pt_regs_trap_type(regs));
	if (!uprobe_pre_sstep_notifier(regs))
		bad_trap(regs);
}

/* A program's first use of floating point since it was last switched to. */
void do_fpdis(struct pt_regs *regs)
{
	if (!user_mode(regs))
		die("floating point in the kernel", regs,
		    pt_regs_trap_type(regs));
	wrfprs(FPRS_FEF);
	fpload(&current->thread.fpu);
}

/* All but the innermost window then lie on the user's stack. */
void do_flush_windows(struct pt_regs *regs)
{
	flushw();
	regs->tpc = regs->tnpc;
	regs->tnpc += 4;
}

/*
 * Level 15, at any instruction outside entry code. Entry code has raised PIL;
 * from its end here on the next one may come.
 */
noinstr void do_nmi(struct pt_regs *regs)
{
	nmi_enter();
	nmi_handle(regs);
	nmi_exit();
	asm volatile("wrpr %%g0, 0, %%pil" : : : "memory");
}
