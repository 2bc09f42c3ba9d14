/* SPDX-License-Identifier: GPL-2.0-only */
/* Traps other than page faults, interrupts and system calls. */
#include <linux/kernel.h>
#include <linux/init.h>
#include <linux/interrupt.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/signal.h>
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

/* The kernel itself trapped where nothing can be done about it. */
void die(const char *what, struct pt_regs *regs, long err)
{
	panic_regs(regs, "%s: %04lx", what, err & 0xffff);
}

/* A program's trap becomes its signal, the kernel's own needs a fix-up. */
static void do_trap(int signr, const char *what, struct pt_regs *regs)
{
	if (!user_mode(regs)) {
		if (!fixup_exception(regs))
			die(what, regs, pt_regs_trap_type(regs));
		return;
	}
	local_irq_enable();
	force_sig(signr);
	local_irq_disable();
}

#define DEFINE_TRAP(name, signr, what)					\
	void name(struct pt_regs *regs)					\
	{								\
		do_trap(signr, what, regs);				\
	}

DEFINE_TRAP(do_illegal_instruction, SIGILL, "illegal instruction")
DEFINE_TRAP(do_privop, SIGILL, "privileged instruction")
DEFINE_TRAP(do_privact, SIGILL, "privileged action")
DEFINE_TRAP(do_fpieee, SIGFPE, "floating point exception")
DEFINE_TRAP(do_fpother, SIGFPE, "unfinished floating point operation")
DEFINE_TRAP(do_tof, SIGEMT, "tag overflow")
DEFINE_TRAP(do_div0, SIGFPE, "division by zero")
DEFINE_TRAP(do_dae, SIGBUS, "data access error")
DEFINE_TRAP(do_mna, SIGBUS, "unaligned memory access")
DEFINE_TRAP(do_breakpoint, SIGTRAP, "breakpoint")
DEFINE_TRAP(bad_trap, SIGILL, "unexpected trap")

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

static DEFINE_PER_CPU(unsigned int, nmi_count);

/* Nobody but the host sends one, to see what happens. */
noinstr void do_nmi(struct pt_regs *regs)
{
	__preempt_count_add(NMI_OFFSET + HARDIRQ_OFFSET);
	this_cpu_write(nmi_count, this_cpu_read(nmi_count) + 1);
	__preempt_count_sub(NMI_OFFSET + HARDIRQ_OFFSET);
}
