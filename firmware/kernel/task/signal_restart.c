/* SPDX-License-Identifier: GPL-2.0-only */
/* The return to a program: its handler is called, or its system call restarted. */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <asm/syscall.h>

/* The interrupted call's result, which the program gets after its handler. */
static void restart_or_fail(struct ksignal *ksig, struct pt_regs *regs)
{
	switch (syscall_get_error(current, regs)) {
	case -ERESTART_RESTARTBLOCK:
	case -ERESTARTNOHAND:
		syscall_set_error(regs, -EINTR);
		break;
	case -ERESTARTSYS:
		if (!(ksig->ka.sa.sa_flags & SA_RESTART)) {
			syscall_set_error(regs, -EINTR);
			break;
		}
		fallthrough;
	case -ERESTARTNOINTR:
		syscall_restart(regs, syscall_get_nr(current, regs));
		break;
	}
}

static void handle_signal(struct ksignal *ksig, struct pt_regs *regs)
{
	if (syscall_get_nr(current, regs) != -1)
		restart_or_fail(ksig, regs);
	signal_setup_done(setup_rt_frame(ksig, regs), ksig, 0);
}

/* Without a handler, the program repeats its call, and so does not notice. */
void arch_do_signal_or_restart(struct pt_regs *regs)
{
	struct ksignal ksig;

	if (get_signal(&ksig)) {
		handle_signal(&ksig, regs);
		return;
	}
	if (syscall_get_nr(current, regs) != -1) {
		switch (syscall_get_error(current, regs)) {
		case -ERESTARTNOHAND:
		case -ERESTARTSYS:
		case -ERESTARTNOINTR:
			syscall_restart(regs, syscall_get_nr(current, regs));
			break;
		case -ERESTART_RESTARTBLOCK:
			syscall_restart(regs, __NR_restart_syscall);
			break;
		}
	}
	restore_saved_sigmask();
}
