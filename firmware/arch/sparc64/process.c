/* SPDX-License-Identifier: GPL-2.0-only */
/* What a task keeps of the CPU: its start, its switches, its replacement. */
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/string.h>
#include <asm/asi.h>
#include <asm/linkage.h>
#include <asm/proto.h>
#include <asm/switch_to.h>

/* Where entry code's frame lies, and that of a task that has not run. */
static inline struct reg_window *first_frame(struct task_struct *p)
{
	return (void *)task_pt_regs(p) - STACKFRAME_SZ;
}

/*
 * Runs on next's stack, with interrupts off; only programs have floating point
 * registers, and only those that have used them since they were switched to
 * need saving.
 */
struct task_struct *__switch_to(struct task_struct *prev,
				struct task_struct *next)
{
	if (rdfprs() & FPRS_FEF) {
		fpsave(&prev->thread.fpu);
		wrfprs(0);
	}
	return prev;
}

/*
 * The child's windows are the parent's, wherever those are now. Those that
 * belong on a stack that both have go there first.
 */
static int copy_user_windows(struct thread_struct *to, bool shares_stack)
{
	struct thread_struct *from = &current->thread;

	if (shares_stack && synchronize_user_stack())
		return -EFAULT;
	flushw();
	memcpy(to->windows, from->windows, sizeof(to->windows));
	to->next_window = to->windows + (from->next_window - from->windows);
	return 0;
}

static void copy_user_regs(struct task_struct *p,
			   const struct kernel_clone_args *args)
{
	struct pt_regs *regs = current_pt_regs();
	struct pt_regs *childregs = task_pt_regs(p);

	*childregs = *regs;
	childregs->u_regs[UREG_I0] = task_pid_nr(current);
	childregs->u_regs[UREG_I1] = 1;
	childregs->tstate &= ~(TSTATE_ICC_C | TSTATE_XCC_C);
	if (args->stack)
		childregs->u_regs[UREG_FP] = args->stack;
	if (args->flags & CLONE_SETTLS)
		childregs->u_regs[UREG_G7] = args->tls;
	/* By this the parent knows itself. */
	regs->u_regs[UREG_I1] = 0;
}

int copy_thread(struct task_struct *p, const struct kernel_clone_args *args)
{
	struct reg_window *frame = first_frame(p);
	int err;

	memset(frame, 0, STACKFRAME_SZ + sizeof(struct pt_regs));
	p->thread.ksp = (unsigned long)frame - STACK_BIAS;
	p->thread.kpc = (unsigned long)ret_from_fork - 8;
	if (args->fn) {
		frame->locals[0] = (unsigned long)args->fn;
		frame->locals[1] = (unsigned long)args->fn_arg;
		p->thread.next_window = p->thread.windows;
		memset(&p->thread.fpu, 0, sizeof(p->thread.fpu));
		return 0;
	}
	if (rdfprs() & FPRS_FEF)
		fpsave(&p->thread.fpu);
	err = copy_user_windows(&p->thread, args->flags & CLONE_VM);
	if (err)
		return err;
	copy_user_regs(p, args);
	if (args->flags & CLONE_VM)
		p->thread.windows[0].sp = task_pt_regs(p)->u_regs[UREG_FP];
	return 0;
}

/* The program's only window is empty; below the arguments is room for it. */
void start_thread(struct pt_regs *regs, unsigned long ip, unsigned long sp)
{
	struct thread_struct *thread = &current->thread;
	bool is_syscall = pt_regs_is_syscall(regs);

	sp -= REG_WINDOW_SZ + STACK_BIAS;
	memset(regs, 0, sizeof(*regs));
	regs->tpc = ip;
	regs->tnpc = ip + 4;
	regs->tstate = (unsigned long)ASI_PNF << TSTATE_ASI_SHIFT |
		       (PSTATE_PEF | PSTATE_IE) << TSTATE_PSTATE_SHIFT;
	regs->u_regs[UREG_FP] = sp;
	regs->magic = PT_REGS_MAGIC | (is_syscall ? PT_REGS_EXECVE : 0);

	flushw();
	memset(&thread->windows[0], 0, sizeof(thread->windows[0]));
	thread->windows[0].sp = sp;
	thread->next_window = &thread->windows[1];
}

void flush_thread(void)
{
	struct thread_struct *thread = &current->thread;

	preempt_disable();
	memset(&thread->fpu, 0, sizeof(thread->fpu));
	wrfprs(0);
	preempt_enable();
}
