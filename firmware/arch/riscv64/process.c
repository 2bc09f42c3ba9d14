/* SPDX-License-Identifier: GPL-2.0-only */
/* What a task keeps of the CPU: its start, its switches, its replacement. */
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/string.h>
#include <asm/proto.h>
#include <asm/switch_to.h>

static inline void set_fs(struct pt_regs *regs, unsigned long fs)
{
	regs->status = (regs->status & ~SR_FS) | fs;
}

/* An instruction that only sets flags leaves the registers clean. */
void fstate_sync(struct task_struct *task, struct pt_regs *regs)
{
	if ((regs->status & SR_FS) == SR_FS_DIRTY) {
		fstate_save(&task->thread.fpu);
		set_fs(regs, SR_FS_CLEAN);
	} else if (regs->status & SR_FS) {
		csr_set(sstatus, SR_FS);
		task->thread.fpu.fcsr = csr_read(0x003);
		csr_clear(sstatus, SR_FS);
	}
}

/*
 * Runs on next's stack, with interrupts off; only programs have floating point
 * registers, and pt_regs says what has become of them.
 */
struct task_struct *__switch_to(struct task_struct *prev,
				struct task_struct *next)
{
	struct pt_regs *regs = task_pt_regs(prev);

	if (prev->mm)
		fstate_sync(prev, regs);
	regs = task_pt_regs(next);
	if (next->mm && regs->status & SR_FS)
		fstate_restore(&next->thread.fpu);
	return prev;
}

int copy_thread(struct task_struct *p, const struct kernel_clone_args *args)
{
	struct pt_regs *childregs = task_pt_regs(p);

	memset(&p->thread, 0, sizeof(p->thread));
	p->thread.ra = (unsigned long)ret_from_fork;
	p->thread.sp = (unsigned long)childregs;
	p->thread.s[0] = p->thread.sp + 1;	/* as for a trap (entry.S) */
	if (args->fn) {
		memset(childregs, 0, sizeof(*childregs));
		childregs->status = SR_SPP | SR_SPIE | SR_SUM | SR_SDT;
		p->thread.s[1] = (unsigned long)args->fn;
		p->thread.s[2] = (unsigned long)args->fn_arg;
		return 0;
	}
	preempt_disable();
	fstate_sync(current, current_pt_regs());
	p->thread.fpu = current->thread.fpu;
	preempt_enable();
	*childregs = *current_pt_regs();
	childregs->a0 = 0;
	if (args->stack)
		childregs->sp = args->stack;
	if (args->flags & CLONE_SETTLS)
		childregs->tp = args->tls;
	return 0;
}

/* The system call that did it is still going on: cause and a7 stay. */
void start_thread(struct pt_regs *regs, unsigned long ip, unsigned long sp)
{
	unsigned long cause = regs->cause, nr = regs->a7;

	memset(regs, 0, sizeof(*regs));
	regs->cause = cause;
	regs->a7 = nr;
	regs->epc = ip & ~1UL;
	regs->sp = sp;
	regs->status = SR_SPIE | SR_SUM | SR_SDT | SR_FS_INITIAL;
}

void flush_thread(void)
{
	struct fpu_state *fpu = &current->thread.fpu;

	preempt_disable();
	memset(fpu, 0, sizeof(*fpu));
	fstate_restore(fpu);
	preempt_enable();
}
