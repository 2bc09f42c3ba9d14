/* SPDX-License-Identifier: GPL-2.0-only */
/* What is done before every return from the kernel. */
#define DISABLE_BRANCH_PROFILING
#include <linux/entry-common.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/signal.h>
#include <linux/uprobes.h>

#define CREATE_TRACE_POINTS
#include <trace/events/syscalls.h>

/*
 * From a program, with interrupts off: it ran with them on. Before a system
 * call, while the hooks are on; they have been told when it returns that
 * interrupts go on.
 */
noinstr void syscall_enter_from_user_mode(struct pt_regs *regs)
{
	trace_hardirqs_off();
	trace_hardirqs_on();
}

/* Last before a program goes on: with interrupts off, they come on with it. */
static __always_inline void exit_to_user_mode(void)
{
	if (trace_irqflags_enabled())
		cold_call(trace_hardirqs_on);
}

/*
 * Before a system call, called and left with interrupts on, while sys_enter is
 * traced. Returns the number to be called.
 */
long syscall_trace_enter(struct pt_regs *regs, long syscall)
{
	trace_sys_enter(regs, syscall);
	return syscall;
}

/* Called and left with interrupts off; work is done with them on. */
static void exit_to_user_mode_prepare(struct pt_regs *regs)
{
	unsigned long work;

	while ((work = READ_ONCE(current->thread_info_flags) &
		       EXIT_TO_USER_MODE_WORK)) {
		local_irq_enable();
		if (work & _TIF_NEED_RESCHED)
			schedule();
		if (work & _TIF_UPROBE)
			uprobe_notify_resume(regs);
		if (work & _TIF_SIGPENDING)
			arch_do_signal_or_restart(regs);
		local_irq_disable();
	}
}

/* After a system call, while sys_exit is traced. */
static notrace __cold_callee void syscall_exit_work(struct pt_regs *regs)
{
	trace_sys_exit(regs, syscall_get_return_value(current, regs));
}

/*
 * Called with interrupts on; returns with them off, and nothing left to do
 * before user mode.
 */
noinstr void syscall_exit_to_user_mode(struct pt_regs *regs)
{
	if (trace_sys_exit_enabled())
		cold_call_with(syscall_exit_work, regs);
	local_irq_disable();
	exit_to_user_mode_prepare(regs);
	exit_to_user_mode();
}

/* Called and left with interrupts off. */
static void raw_irqentry_exit_cond_resched(void)
{
	if (!preempt_count() && need_resched())
		preempt_schedule_irq();
}

/*
 * First after an exception or interrupt, which have turned interrupts off. An
 * NMI is none of their business.
 */
noinstr void irqentry_enter(struct pt_regs *regs)
{
	if (trace_irqflags_enabled() && !regs_of_nmi(regs))
		trace_hardirqs_off();
}

/*
 * Called and left with interrupts off. Where the kernel was interrupted,
 * another task may run here if preemption and interrupts were on.
 */
noinstr void irqentry_exit(struct pt_regs *regs)
{
	if (user_mode(regs)) {
		exit_to_user_mode_prepare(regs);
		exit_to_user_mode();
	} else if (!regs_irqs_disabled(regs)) {
		raw_irqentry_exit_cond_resched();
		if (trace_irqflags_enabled())
			trace_hardirqs_on();
	}
}
