/* SPDX-License-Identifier: GPL-2.0-only */
/* User windows that the kernel needed the room of but could not spill. */
#include <linux/kernel.h>
#include <linux/entry-common.h>
#include <linux/sched.h>
#include <linux/signal.h>
#include <linux/uaccess.h>
#include <asm/linkage.h>
#include <asm/proto.h>

/* One of the program's registers, wherever its window is. */
unsigned long fetch_reg(struct pt_regs *regs, unsigned int reg)
{
	const struct reg_window *window;

	if (!reg)
		return 0;
	if (reg < 16)
		return regs->u_regs[reg];
	flushw();
	window = &current->thread.next_window[-1].window;
	return reg < 24 ? window->locals[reg - 16] : window->ins[reg - 24];
}

void store_reg(struct pt_regs *regs, unsigned int reg, unsigned long value)
{
	struct reg_window *window;

	if (!reg)
		return;
	if (reg < 16) {
		regs->u_regs[reg] = value;
		return;
	}
	flushw();
	window = &current->thread.next_window[-1].window;
	if (reg < 24)
		window->locals[reg - 16] = value;
	else
		window->ins[reg - 24] = value;
}

unsigned long compute_effective_address(struct pt_regs *regs,
					unsigned int insn)
{
	unsigned long address = fetch_reg(regs, insn >> 14 & 0x1f);

	if (insn & 0x2000)
		return address + ((int)(insn << 19) >> 19);
	return address + fetch_reg(regs, insn & 0x1f);
}

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
