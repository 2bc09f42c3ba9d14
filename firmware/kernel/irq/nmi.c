/* SPDX-License-Identifier: GPL-2.0-only */
/* Non-maskable interrupts: from the watchdog's timer, or the host's. */
#define DISABLE_BRANCH_PROFILING
#include <linux/errno.h>
#include <linux/hardirq.h>
#include <linux/nmi.h>
#include <linux/osnoise.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/string.h>

#define CREATE_TRACE_POINTS
#include <trace/events/nmi.h>

/* NMIs walk the list while it changes, so an entry always has its next one. */
static LIST_HEAD(nmi_handlers);
static raw_spinlock_t nmi_lock = __SPIN_LOCK_UNLOCKED;

int __register_nmi_handler(unsigned int type, struct nmiaction *action)
{
	unsigned long flags;

	if (type != NMI_LOCAL || !action->handler)
		return -EINVAL;
	raw_spin_lock_irqsave(&nmi_lock, flags);
	list_add_tail(&action->list, &nmi_handlers);
	raw_spin_unlock_irqrestore(&nmi_lock, flags);
	return 0;
}

static void nmi_handler_gone(void *unused)
{
}

/* A CPU that takes an interrupt is in no NMI that came before. */
void unregister_nmi_handler(unsigned int type, const char *name)
{
	struct nmiaction *action;
	unsigned long flags;

	raw_spin_lock_irqsave(&nmi_lock, flags);
	list_for_each_entry(action, &nmi_handlers, list) {
		if (strcmp(action->name, name))
			continue;
		__list_del_entry(&action->list);
		break;
	}
	raw_spin_unlock_irqrestore(&nmi_lock, flags);
	on_each_cpu(nmi_handler_gone, NULL);
}

/* One that the host sends has no reason: it is there to be traced. */
void nmi_handle(struct pt_regs *regs)
{
	struct nmiaction *action;

	inc_irq_stat(nmi_irqs);
	osnoise_nmi(true);
	list_for_each_entry(action, &nmi_handlers, list) {
		u64 start = trace_nmi_handler_enabled() ? sched_clock() : 0;
		int handled = action->handler(NMI_LOCAL, regs);

		if (start)
			trace_nmi_handler(action->handler,
					  sched_clock() - start, handled);
	}
	osnoise_nmi(false);
}
