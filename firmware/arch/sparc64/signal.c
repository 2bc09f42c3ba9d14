/* SPDX-License-Identifier: GPL-2.0-only */
/* Calling a program's signal handler, and coming back from it. */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/string.h>
#include <linux/syscalls.h>
#include <linux/uaccess.h>
#include <asm/linkage.h>
#include <asm/proto.h>
#include <asm/ptrace.h>
#include <asm/sigframe.h>

/* Registers that are in the CPU come to the task first. */
static int save_fpu_state(__siginfo_fpu_t __user *fpu)
{
	struct thread_struct *thread = &current->thread;
	unsigned long fprs = FPRS_FEF;
	int err;

	preempt_disable();
	if (rdfprs() & FPRS_FEF)
		fpsave(&thread->fpu);
	preempt_enable();
	err = copy_to_user(fpu->si_float_regs, thread->fpu.regs,
			   sizeof(fpu->si_float_regs)) ? -EFAULT : 0;
	err |= put_user(thread->fpu.fsr, &fpu->si_fsr);
	err |= put_user(0UL, &fpu->si_gsr);
	err |= put_user(fprs, &fpu->si_fprs);
	return err;
}

/* They are loaded when the program uses them next. */
static int restore_fpu_state(const __siginfo_fpu_t __user *fpu)
{
	struct thread_struct *thread = &current->thread;
	struct fpu_state state;
	unsigned long fsr;

	if (copy_from_user(state.regs, fpu->si_float_regs,
			   sizeof(state.regs)) ||
	    get_user(fsr, &fpu->si_fsr))
		return -EFAULT;
	state.fsr = fsr;
	preempt_disable();
	wrfprs(0);
	thread->fpu = state;
	preempt_enable();
	return 0;
}

/* NULL if an alternate stack is too small: it is not overrun. */
static struct rt_signal_frame __user *
get_sigframe(struct ksignal *ksig, struct pt_regs *regs, size_t framesize)
{
	unsigned long sp = regs->u_regs[UREG_FP] + STACK_BIAS;

	if (on_sig_stack(sp) && !on_sig_stack(sp - framesize))
		return NULL;
	sp = sigsp(sp, ksig) - framesize;
	return (struct rt_signal_frame __user *)ALIGN_DOWN(sp, 16);
}

/*
 * The handler's first instruction makes a window below the interrupted one,
 * which therefore is to be saved on the frame from now on.
 */
int setup_rt_frame(struct ksignal *ksig, struct pt_regs *regs)
{
	struct thread_struct *thread = &current->thread;
	size_t size = sizeof(struct rt_signal_frame) + sizeof(__siginfo_fpu_t);
	struct rt_signal_frame __user *sf;
	__siginfo_fpu_t __user *fpu;
	sigset_t *set = sigmask_to_save();
	int err;

	if (synchronize_user_stack())
		return -EFAULT;
	sf = get_sigframe(ksig, regs, size);
	if (!sf)
		return -EFAULT;
	fpu = (__siginfo_fpu_t __user *)(sf + 1);
	err = copy_to_user(&sf->regs, regs, sizeof(*regs)) ? -EFAULT : 0;
	err |= save_fpu_state(fpu);
	err |= put_user((unsigned long)fpu, &sf->fpu_save);
	err |= put_user(0UL, &sf->rwin_save);
	err |= __save_altstack(&sf->stack, user_stack_pointer(regs));
	err |= put_user(*set, &sf->mask);
	if (copy_to_user(&sf->ss.window, &thread->windows[0].window,
			 sizeof(struct reg_window)))
		err = -EFAULT;
	err |= copy_siginfo_to_user(&sf->info, &ksig->info);
	if (err)
		return err;

	thread->windows[0].sp = (unsigned long)sf - STACK_BIAS;
	regs->u_regs[UREG_FP] = (unsigned long)sf - STACK_BIAS;
	regs->u_regs[UREG_I0] = ksig->sig;
	regs->u_regs[UREG_I1] = (unsigned long)&sf->info;
	/* The C library knows where in what follows the registers are. */
	regs->u_regs[UREG_I2] = (unsigned long)&sf->info;
	regs->u_regs[UREG_I7] = ksig->ka.ka_restorer;
	regs->tpc = ksig->ka.sa.sa_handler & ~3UL;
	regs->tnpc = regs->tpc + 4;
	pt_regs_clear_syscall(regs);
	return 0;
}

/* Of TSTATE only what a program could have set itself is taken. */
static int restore_regs(struct pt_regs *regs,
			const struct rt_signal_frame __user *sf)
{
	const unsigned long mask = TSTATE_ASI | TSTATE_ICC | TSTATE_XCC;
	struct pt_regs saved;

	if (copy_from_user(&saved, &sf->regs, sizeof(saved)))
		return -EFAULT;
	/* The CPU has no such addresses, its emulator uses them otherwise. */
	if ((saved.tpc | saved.tnpc) & 3)
		return -EINVAL;
	memcpy(&regs->u_regs[UREG_G1], &saved.u_regs[UREG_G1],
	       sizeof(regs->u_regs) - sizeof(regs->u_regs[0]));
	regs->tpc = saved.tpc;
	regs->tnpc = saved.tnpc;
	regs->y = saved.y;
	regs->tstate = (regs->tstate & ~mask) | (saved.tstate & mask);
	return 0;
}

static int do_rt_sigreturn(struct pt_regs *regs)
{
	struct rt_signal_frame __user *sf;
	unsigned long fpu_save;
	sigset_t set;

	current->restart_block.fn = do_no_restart_syscall;
	if (synchronize_user_stack())
		return -EFAULT;
	sf = (struct rt_signal_frame __user *)user_stack_pointer(regs);
	if ((unsigned long)sf & 15 || restore_regs(regs, sf) ||
	    get_user(fpu_save, &sf->fpu_save) || get_user(set, &sf->mask))
		return -EFAULT;
	if (fpu_save &&
	    restore_fpu_state((const __siginfo_fpu_t __user *)fpu_save))
		return -EFAULT;
	current->thread.windows[0].sp = regs->u_regs[UREG_FP];
	set_current_blocked(&set);
	return restore_altstack(&sf->stack);
}

SYSCALL_DEFINE0(rt_sigreturn)
{
	struct pt_regs *regs = current_pt_regs();

	if (do_rt_sigreturn(regs))
		force_sig(SIGSEGV);
	/* There is no result, and no system call to start again. */
	pt_regs_clear_syscall(regs);
	return 0;
}

/* Here the restorer is an argument, before the size. */
SYSCALL_DEFINE5(rt_sigaction, int, sig, const struct sigaction __user *, act,
		struct sigaction __user *, oact,
		void __user *, restorer, size_t, sigsetsize)
{
	struct k_sigaction new, old;
	int ret;

	if (sigsetsize != sizeof(sigset_t))
		return -EINVAL;
	if (act) {
		if (copy_from_user(&new.sa, act, sizeof(new.sa)))
			return -EFAULT;
		new.ka_restorer = (unsigned long)restorer;
	}
	ret = do_sigaction(sig, act ? &new : NULL, oact ? &old : NULL);
	if (!ret && oact && copy_to_user(oact, &old.sa, sizeof(old.sa)))
		ret = -EFAULT;
	return ret;
}
