/* SPDX-License-Identifier: GPL-2.0-only */
/* Calling a program's signal handler, and coming back from it. */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/string.h>
#include <linux/syscalls.h>
#include <linux/uaccess.h>
#include <asm/proto.h>
#include <asm/ptrace.h>
#include <asm/sigframe.h>
#include <asm/vdso.h>

static void fp_to_frame(struct fpu_state *fpu, struct pt_regs *regs)
{
	preempt_disable();
	fstate_sync(current, regs);
	*fpu = current->thread.fpu;
	preempt_enable();
}

static void fp_from_frame(const struct fpu_state *fpu, struct pt_regs *regs)
{
	preempt_disable();
	current->thread.fpu = *fpu;
	fstate_restore(&current->thread.fpu);
	regs->status = (regs->status & ~SR_FS) | SR_FS_CLEAN;
	preempt_enable();
}

static struct rt_sigframe __user *get_sigframe(struct ksignal *ksig,
					       struct pt_regs *regs)
{
	unsigned long sp = sigsp(regs->sp, ksig);
	bool on_altstack = on_sig_stack(regs->sp) || sp != regs->sp;

	sp = ALIGN_DOWN(sp - sizeof(struct rt_sigframe), 16);
	if (on_altstack && !__on_sig_stack(sp))
		return NULL;
	return (struct rt_sigframe __user *)sp;
}

int setup_rt_frame(struct ksignal *ksig, struct pt_regs *regs)
{
	struct rt_sigframe __user *frame;
	sigset_t set = *sigmask_to_save();
	struct sigcontext sc;
	int err = 0;

	frame = get_sigframe(ksig, regs);
	if (!frame)
		return -EFAULT;
	memset(&sc, 0, sizeof(sc));
	memcpy(sc.regs, regs, sizeof(sc.regs));
	fp_to_frame(&sc.fpu, regs);
	err |= put_user(0UL, &frame->uc.uc_flags);
	err |= put_user(0UL, &frame->uc.uc_link);
	err |= __save_altstack(&frame->uc.uc_stack, regs->sp);
	err |= put_user(set, &frame->uc.uc_sigmask);
	if (copy_to_user(&frame->uc.uc_mcontext, &sc, sizeof(sc)))
		err = -EFAULT;
	err |= copy_siginfo_to_user(&frame->info, &ksig->info);
	if (err)
		return err;
	regs->ra = current->mm->context.vdso + VDSO_RT_SIGRETURN;
	regs->epc = ksig->ka.sa.sa_handler & ~1UL;
	regs->sp = (unsigned long)frame;
	regs->a0 = ksig->sig;
	regs->a1 = (unsigned long)&frame->info;
	regs->a2 = (unsigned long)&frame->uc;
	return 0;
}

SYSCALL_DEFINE0(rt_sigreturn)
{
	struct pt_regs *regs = current_pt_regs();
	struct rt_sigframe __user *frame = (void __user *)regs->sp;
	struct sigcontext sc;
	sigset_t set;

	current->restart_block.fn = do_no_restart_syscall;
	if (get_user(set, &frame->uc.uc_sigmask) ||
	    copy_from_user(&sc, &frame->uc.uc_mcontext, sizeof(sc)))
		goto badframe;
	set_current_blocked(&set);
	memcpy(regs, sc.regs, sizeof(sc.regs));
	regs->epc &= ~1UL;	/* no address of an instruction is odd */
	regs->cause = -1UL;	/* no system call to start again */
	fp_from_frame(&sc.fpu, regs);
	if (restore_altstack(&frame->uc.uc_stack))
		goto badframe;
	return regs->a0;

badframe:
	regs->cause = -1UL;
	force_sig(SIGSEGV);
	return 0;
}
