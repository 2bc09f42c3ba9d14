/* SPDX-License-Identifier: GPL-2.0-only */
/* Traps by which a program saves where it is and goes back there: glibc's setjmp and longjmp. */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <asm/linkage.h>
#include <asm/proto.h>
#include <asm/traps.h>
#include <asm/ucontext.h>

#define MC_NG	6	/* %g7 is the thread's pointer: it stays */
#define MC_NO	8

/*
 * Without floating point registers, as on Linux. The window goes to its stack,
 * too: going back takes it from there.
 */
static int get_context(struct pt_regs *regs, struct ucontext __user *uc)
{
	const struct user_window *inner = current->thread.windows;
	mcontext_t mc;

	memset(&mc, 0, sizeof(mc));	/* what lies between members, too */
	if (synchronize_user_stack() ||
	    copy_to_user((void __user *)(inner->sp + STACK_BIAS),
			 &inner->window, sizeof(inner->window)))
		return -EFAULT;
	mc.mc_gregs[MC_TSTATE] = regs->tstate;
	mc.mc_gregs[MC_PC] = regs->tpc;
	mc.mc_gregs[MC_NPC] = regs->tnpc;
	mc.mc_gregs[MC_Y] = regs->y;
	memcpy(&mc.mc_gregs[MC_G1], &regs->u_regs[UREG_G1],
	       (MC_NG + 1 + MC_NO) * sizeof(long));
	mc.mc_fp = inner->window.ins[6];
	mc.mc_i7 = inner->window.ins[7];
	if (put_user(current->blocked, &uc->uc_sigmask) ||
	    copy_to_user(&uc->uc_mcontext, &mc, sizeof(mc)))
		return -EFAULT;
	return 0;
}

/* Of TSTATE only what a program could have set itself is taken. */
static int set_context(struct pt_regs *regs,
		       const struct ucontext __user *uc, bool with_mask)
{
	const unsigned long mask = TSTATE_ASI | TSTATE_ICC | TSTATE_XCC;
	struct user_window *inner = current->thread.windows;
	struct ucontext context;
	const mcontext_t *mc = &context.uc_mcontext;
	const unsigned long *gregs = mc->mc_gregs;
	struct reg_window window;

	if (synchronize_user_stack() ||
	    copy_from_user(&context, uc, sizeof(context)) ||
	    ((gregs[MC_PC] | gregs[MC_NPC]) & 3) ||
	    copy_from_user(&window, (void __user *)(gregs[MC_O0 + 6] +
						    STACK_BIAS),
			   sizeof(window)))
		return -EFAULT;
	if (with_mask)
		set_current_blocked(&context.uc_sigmask);
	regs->tpc = gregs[MC_PC];
	regs->tnpc = gregs[MC_NPC];
	regs->y = gregs[MC_Y];
	regs->tstate = (regs->tstate & ~mask) | (gregs[MC_TSTATE] & mask);
	memcpy(&regs->u_regs[UREG_G1], &gregs[MC_G1], MC_NG * sizeof(long));
	memcpy(&regs->u_regs[UREG_I0], &gregs[MC_O0], MC_NO * sizeof(long));
	inner->window = window;
	inner->window.ins[6] = mc->mc_fp;
	inner->window.ins[7] = mc->mc_i7;
	inner->sp = regs->u_regs[UREG_FP];
	return 0;
}

/* ta 0x6e: into the struct ucontext at %o0. */
void sparc64_get_context(struct pt_regs *regs)
{
	if (!user_mode(regs)) {
		bad_trap(regs);
		return;
	}
	regs->tpc = regs->tnpc;
	regs->tnpc += 4;
	local_irq_enable();
	if (get_context(regs, (void __user *)regs->u_regs[UREG_I0]))
		force_sig(SIGSEGV);
	local_irq_disable();
}

/* ta 0x6f: from there; %o1 says whether with the signal mask. */
void sparc64_set_context(struct pt_regs *regs)
{
	if (!user_mode(regs)) {
		bad_trap(regs);
		return;
	}
	local_irq_enable();
	if (set_context(regs, (void __user *)regs->u_regs[UREG_I0],
			regs->u_regs[UREG_I1]))
		force_sig(SIGSEGV);
	local_irq_disable();
}
