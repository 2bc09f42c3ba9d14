/* SPDX-License-Identifier: GPL-2.0-only */
/* User windows that the kernel needed the room of but could not spill. */
#include <linux/kernel.h>
#include <linux/entry-common.h>
#include <linux/sched.h>
#include <linux/signal.h>
#include <linux/uaccess.h>
#include <asm/linkage.h>
#include <asm/proto.h>

/*
 * To the user's stack, as its own spill would have done; in the task remains
 * the innermost. May sleep in a page fault.
 */
int synchronize_user_stack(void)
{
	struct thread_struct *thread = &current->thread;
	struct user_window *w, *last;
	int err = 0;

	flushw();
	last = thread->next_window - 1;
	for (w = thread->windows; w < last; w++) {
		if (copy_to_user((void __user *)(w->sp + STACK_BIAS),
				 &w->window, sizeof(w->window))) {
			err = -EFAULT;
			break;
		}
	}
	thread->windows[0] = *last;
	thread->next_window = &thread->windows[1];
	return err;
}

/*
 * Called and left with interrupts off, on the way to user mode. Other tasks
 * that run meanwhile may push more windows out.
 */
noinstr void save_user_windows(struct pt_regs *regs)
{
	local_irq_enable();
	if (synchronize_user_stack())
		force_sig(SIGSEGV);
	local_irq_disable();
	irqentry_exit(regs);
}
