/* SPDX-License-Identifier: GPL-2.0-only */
/* Controlling terminals. */
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/tty.h>

void proc_clear_tty(struct task_struct *p)
{
	unsigned long flags;

	spin_lock_irqsave(&p->sighand->siglock, flags);
	p->signal->tty = NULL;
	spin_unlock_irqrestore(&p->sighand->siglock, flags);
}

void disassociate_ctty(int on_exit)
{
}
