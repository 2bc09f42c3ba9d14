/* SPDX-License-Identifier: GPL-2.0-only */
/* What a task keeps of the CPU: its start, its switches, its replacement. */
#include <linux/kernel.h>
#include <linux/init_task.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/string.h>
#include <linux/syscalls.h>
#include <linux/uaccess.h>
#include <asm/desc.h>
#include <asm/fpu.h>
#include <asm/msr.h>
#include <asm/proto.h>
#include <asm/segment.h>
#include <asm/switch_to.h>

/* What __switch_to_asm leaves on the stack of a task that is not running. */
struct inactive_task_frame {
	unsigned long r15;
	unsigned long r14;
	unsigned long r13;
	unsigned long r12;
	unsigned long bx;
	unsigned long bp;
	unsigned long ret_addr;
};

struct fork_frame {
	struct inactive_task_frame frame;
	struct pt_regs regs;
};

static inline void fpstate_reset(struct fpu_state *fpu)
{
	memset(fpu, 0, sizeof(*fpu));
	*(u16 *)(fpu->fxsave + FX_FCW) = 0x37f;
	*(u32 *)(fpu->fxsave + FX_MXCSR) = 0x1f80;
}

/*
 * Runs on next's stack, with interrupts off; only programs have floating point
 * registers.
 */
struct task_struct *__switch_to(struct task_struct *prev,
				struct task_struct *next)
{
	if (prev->mm)
		fxsave(&prev->thread.fpu);
	load_sp0(task_top_of_stack(next));
	if (next->mm) {
		fxrstor(&next->thread.fpu);
		wrmsrl(MSR_FS_BASE, next->thread.fsbase);
	}
	return prev;
}

int copy_thread(struct task_struct *p, const struct kernel_clone_args *args)
{
	struct fork_frame *ff =
		(struct fork_frame *)task_top_of_stack(p) - 1;

	memset(ff, 0, sizeof(*ff));
	ff->frame.ret_addr = (unsigned long)ret_from_fork;
	p->thread.sp = (unsigned long)&ff->frame;
	if (args->fn) {
		ff->regs.orig_ax = -1;
		ff->frame.bx = (unsigned long)args->fn;
		ff->frame.r12 = (unsigned long)args->fn_arg;
		fpstate_reset(&p->thread.fpu);
		return 0;
	}
	fxsave(&p->thread.fpu);
	ff->regs = *current_pt_regs();
	ff->regs.ax = 0;
	if (args->stack)
		ff->regs.sp = args->stack;
	p->thread.fsbase = args->flags & CLONE_SETTLS ?
			   args->tls : current->thread.fsbase;
	return 0;
}

/* The system call that did it is still going on: orig_ax stays. */
void start_thread(struct pt_regs *regs, unsigned long ip, unsigned long sp)
{
	unsigned long orig_ax = regs->orig_ax;

	memset(regs, 0, sizeof(*regs));
	regs->orig_ax = orig_ax;
	regs->ip = ip;
	regs->cs = __USER_CS;
	regs->flags = X86_EFLAGS_IF | X86_EFLAGS_FIXED;
	regs->sp = sp;
	regs->ss = __USER_DS;
}

void fpu__clear_user_states(void)
{
	struct fpu_state *fpu = &current->thread.fpu;

	preempt_disable();
	fpstate_reset(fpu);
	fxrstor(fpu);
	preempt_enable();
}

void flush_thread(void)
{
	preempt_disable();
	current->thread.fsbase = 0;
	wrmsrl(MSR_FS_BASE, 0);
	preempt_enable();
	fpu__clear_user_states();
}

#define ARCH_SET_FS	0x1002
#define ARCH_GET_FS	0x1003

SYSCALL_DEFINE2(arch_prctl, int, option, unsigned long, arg2)
{
	switch (option) {
	case ARCH_SET_FS:
		if (arg2 >= TASK_SIZE)
			return -EPERM;
		preempt_disable();
		current->thread.fsbase = arg2;
		wrmsrl(MSR_FS_BASE, arg2);
		preempt_enable();
		return 0;
	case ARCH_GET_FS:
		return put_user(current->thread.fsbase,
				(unsigned long __user *)arg2);
	default:
		return -EINVAL;
	}
}
