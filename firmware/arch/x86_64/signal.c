/* SPDX-License-Identifier: GPL-2.0-only */
/* Calling a program's signal handler, and coming back from it. */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/string.h>
#include <linux/syscalls.h>
#include <linux/uaccess.h>
#include <asm/fpu.h>
#include <asm/ptrace.h>
#include <asm/segment.h>
#include <asm/sigframe.h>

#define REDZONE			128

/* What a frame may change; the rest of the flags is the kernel's. */
#define FIX_EFLAGS	0x50dd5UL

static int copy_fpstate_to_sigframe(void __user *buf)
{
	struct fpu_state fpu;

	preempt_disable();
	fxsave(&fpu);
	preempt_enable();
	/* There is no more than this. */
	memset(fpu.fxsave + FX_SW_RESERVED, 0,
	       sizeof(fpu.fxsave) - FX_SW_RESERVED);
	return copy_to_user(buf, &fpu, sizeof(fpu)) ? -EFAULT : 0;
}

/* Bits that there are not would fault in the kernel. */
static int fpu__restore_sig(const void __user *buf)
{
	struct thread_struct *thread = &current->thread;
	struct fpu_state fpu;

	if (!buf) {
		fpu__clear_user_states();
		return 0;
	}
	if (copy_from_user(&fpu, buf, sizeof(fpu)))
		return -EFAULT;
	*(u32 *)(fpu.fxsave + FX_MXCSR) &= MXCSR_FEATURE_MASK;
	preempt_disable();
	thread->fpu = fpu;
	fxrstor(&thread->fpu);
	preempt_enable();
	return 0;
}

static struct rt_sigframe __user *
get_sigframe(struct ksignal *ksig, struct pt_regs *regs, void __user **fpstate)
{
	/* Leaf functions use what lies below the stack. */
	unsigned long below = regs->sp - REDZONE;
	unsigned long sp = sigsp(below, ksig);
	bool on_altstack = on_sig_stack(regs->sp) || sp != below;

	sp = ALIGN_DOWN(sp - sizeof(struct fpu_state), 64);
	*fpstate = (void __user *)sp;
	sp -= sizeof(struct rt_sigframe);
	sp = ALIGN_DOWN(sp, 16) - 8;
	/* An alternate stack that is too small is not overrun. */
	if (on_altstack && !__on_sig_stack(sp))
		return NULL;
	return (struct rt_sigframe __user *)sp;
}

static void fill_sigcontext(struct sigcontext *sc, const struct pt_regs *regs,
			    void __user *fpstate, sigset_t oldmask)
{
	*sc = (struct sigcontext){
		.r8 = regs->r8, .r9 = regs->r9, .r10 = regs->r10,
		.r11 = regs->r11, .r12 = regs->r12, .r13 = regs->r13,
		.r14 = regs->r14, .r15 = regs->r15,
		.di = regs->di, .si = regs->si, .bp = regs->bp,
		.bx = regs->bx, .dx = regs->dx, .ax = regs->ax,
		.cx = regs->cx, .sp = regs->sp, .ip = regs->ip,
		.flags = regs->flags, .cs = regs->cs, .ss = regs->ss,
		.err = current->thread.error_code,
		.trapno = current->thread.trap_nr,
		.oldmask = oldmask, .cr2 = current->thread.cr2,
		.fpstate = (unsigned long)fpstate,
	};
}

int setup_rt_frame(struct ksignal *ksig, struct pt_regs *regs)
{
	struct rt_sigframe __user *frame;
	sigset_t set = *sigmask_to_save();
	struct sigcontext sc;
	void __user *fpstate;
	int err;

	if (!(ksig->ka.sa.sa_flags & SA_RESTORER))
		return -EFAULT;
	frame = get_sigframe(ksig, regs, &fpstate);
	if (!frame)
		return -EFAULT;
	fill_sigcontext(&sc, regs, fpstate, set);
	err = copy_fpstate_to_sigframe(fpstate);
	err |= put_user(ksig->ka.sa.sa_restorer, &frame->pretcode);
	err |= put_user(UC_SIGCONTEXT_SS | UC_STRICT_RESTORE_SS,
			&frame->uc.uc_flags);
	err |= put_user(0UL, &frame->uc.uc_link);
	err |= __save_altstack(&frame->uc.uc_stack, regs->sp);
	err |= put_user(set, &frame->uc.uc_sigmask);
	if (copy_to_user(&frame->uc.uc_mcontext, &sc, sizeof(sc)))
		err = -EFAULT;
	err |= copy_siginfo_to_user(&frame->info, &ksig->info);
	if (err)
		return err;

	fpu__clear_user_states();
	regs->di = ksig->sig;
	regs->ax = 0;		/* for handlers that take ... */
	regs->si = (unsigned long)&frame->info;
	regs->dx = (unsigned long)&frame->uc;
	regs->ip = ksig->ka.sa.sa_handler;
	regs->sp = (unsigned long)frame;
	regs->cs = __USER_CS;
	regs->ss = __USER_DS;
	regs->flags &= ~(X86_EFLAGS_DF | X86_EFLAGS_RF | X86_EFLAGS_TF);
	return 0;
}

/* Segments and flags that would be more than a program's are not taken. */
static bool restore_sigcontext(struct pt_regs *regs,
			       const struct sigcontext *sc,
			       unsigned long uc_flags)
{
	if ((sc->cs | 3) != __USER_CS)
		return false;
	if (uc_flags & UC_STRICT_RESTORE_SS && (sc->ss | 3) != __USER_DS)
		return false;
	regs->r8 = sc->r8;
	regs->r9 = sc->r9;
	regs->r10 = sc->r10;
	regs->r11 = sc->r11;
	regs->r12 = sc->r12;
	regs->r13 = sc->r13;
	regs->r14 = sc->r14;
	regs->r15 = sc->r15;
	regs->di = sc->di;
	regs->si = sc->si;
	regs->bp = sc->bp;
	regs->bx = sc->bx;
	regs->dx = sc->dx;
	regs->ax = sc->ax;
	regs->cx = sc->cx;
	regs->sp = sc->sp;
	regs->ip = sc->ip;
	regs->cs = __USER_CS;
	regs->ss = __USER_DS;
	regs->flags = (regs->flags & ~FIX_EFLAGS) | (sc->flags & FIX_EFLAGS);
	regs->orig_ax = -1;	/* no system call to start again */
	return fpu__restore_sig((const void __user *)sc->fpstate) == 0;
}

SYSCALL_DEFINE0(rt_sigreturn)
{
	struct pt_regs *regs = current_pt_regs();
	struct rt_sigframe __user *frame;
	unsigned long uc_flags;
	struct sigcontext sc;
	sigset_t set;

	/* The handler's return has taken the restorer's address off. */
	frame = (struct rt_sigframe __user *)(regs->sp - sizeof(long));
	current->restart_block.fn = do_no_restart_syscall;
	if (get_user(set, &frame->uc.uc_sigmask) ||
	    get_user(uc_flags, &frame->uc.uc_flags) ||
	    copy_from_user(&sc, &frame->uc.uc_mcontext, sizeof(sc)))
		goto badframe;
	set_current_blocked(&set);
	if (!restore_sigcontext(regs, &sc, uc_flags) ||
	    restore_altstack(&frame->uc.uc_stack))
		goto badframe;
	return regs->ax;

badframe:
	regs->orig_ax = -1;
	force_sig(SIGSEGV);
	return 0;
}
