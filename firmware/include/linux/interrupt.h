/* SPDX-License-Identifier: GPL-2.0-only */
/* Softirqs, and what surrounds an interrupt's handler. */
#ifndef _LINUX_INTERRUPT_H
#define _LINUX_INTERRUPT_H

#include <linux/types.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/irqflags.h>

enum {
	HI_SOFTIRQ,
	TIMER_SOFTIRQ,
	NET_TX_SOFTIRQ,		/* there is no network: the numbers are Linux's */
	NET_RX_SOFTIRQ,
	BLOCK_SOFTIRQ,
	IRQ_POLL_SOFTIRQ,
	TASKLET_SOFTIRQ,
	SCHED_SOFTIRQ,
	HRTIMER_SOFTIRQ,
	RCU_SOFTIRQ,
	NR_SOFTIRQS
};

DECLARE_PER_CPU(unsigned int, __softirq_pending);

#define local_softirq_pending()	this_cpu_read(__softirq_pending)

struct softirq_action {
	void (*action)(struct softirq_action *action);
};

void open_softirq(int nr, void (*action)(struct softirq_action *));
void raise_softirq(unsigned int nr);
void raise_softirq_irqoff(unsigned int nr);
void __raise_softirq_irqoff(unsigned int nr);
void __do_softirq(void);
void do_softirq(void);

/* A thread per CPU for when there is too much of it. */
void spawn_ksoftirqd(void);

void irq_enter_rcu(void);
void irq_exit_rcu(void);

void __local_bh_disable_ip(unsigned long ip, unsigned int cnt);
void __local_bh_enable_ip(unsigned long ip, unsigned int cnt);

#define _THIS_IP_		((unsigned long)__builtin_return_address(0))
#define local_bh_disable() \
	__local_bh_disable_ip(_THIS_IP_, SOFTIRQ_DISABLE_OFFSET)
#define local_bh_enable() \
	__local_bh_enable_ip(_THIS_IP_, SOFTIRQ_DISABLE_OFFSET)

#endif
