/* SPDX-License-Identifier: GPL-2.0-only */
/* Interrupts that cannot be masked, and the watchdog that uses them. */
#ifndef _LINUX_NMI_H
#define _LINUX_NMI_H

#include <linux/ftrace_irq.h>
#include <linux/list.h>
#include <linux/percpu.h>
#include <linux/preempt.h>

struct pt_regs;

/* Around an NMI's handler, by the code that must not be traced. */
#define nmi_enter() \
	do {								\
		__preempt_count_add(NMI_OFFSET + HARDIRQ_OFFSET);	\
		barrier();						\
		ftrace_nmi_enter();					\
	} while (0)
#define nmi_exit() \
	do {								\
		ftrace_nmi_exit();					\
		barrier();						\
		__preempt_count_sub(NMI_OFFSET + HARDIRQ_OFFSET);	\
	} while (0)

#define NMI_LOCAL	0	/* for this CPU alone; there is no other type */

#define NMI_DONE	0
#define NMI_HANDLED	1

/* Says whether the NMI was for it. It may take no locks. */
typedef int (*nmi_handler_t)(unsigned int type, struct pt_regs *regs);

struct nmiaction {
	struct list_head list;
	nmi_handler_t handler;
	const char *name;
};

/* Every NMI calls all handlers, in the order in which they were registered. */
#define register_nmi_handler(type, fn, flags, nm) ({			\
	static struct nmiaction fn##_na = {				\
		.handler = (fn),					\
		.name = (nm),						\
	};								\
									\
	BUILD_BUG_ON(flags);						\
	__register_nmi_handler((type), &fn##_na); })

int __register_nmi_handler(unsigned int type, struct nmiaction *action);
/* Sleeps until no CPU is in the handler. */
void unregister_nmi_handler(unsigned int type, const char *name);

/* What came, and what is to be done about it. */
void nmi_handle(struct pt_regs *regs);

DECLARE_PER_CPU(bool, watchdog_nmi_touch);

/* This CPU is not stuck, even if it has no ticks. */
static inline void touch_nmi_watchdog(void)
{
	this_cpu_write(watchdog_nmi_touch, true);
}

#endif
