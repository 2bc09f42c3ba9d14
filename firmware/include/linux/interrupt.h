/* SPDX-License-Identifier: GPL-2.0-only */
/* Softirqs, and what surrounds an interrupt's handler. */
#ifndef _LINUX_INTERRUPT_H
#define _LINUX_INTERRUPT_H

#include <linux/atomic.h>
#include <linux/container_of.h>
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

/* These are urgent: they do not wait for a thread to run. */
#define SOFTIRQ_NOW_MASK	((1 << HI_SOFTIRQ) | (1 << TASKLET_SOFTIRQ))

extern const char *const softirq_to_name[NR_SOFTIRQS];
unsigned int kstat_softirqs_cpu(unsigned int nr, int cpu);

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

/*
 * A function that runs in softirq context on the CPU that scheduled it, once
 * however often that was, and never on two CPUs at a time.
 */
struct tasklet_struct {
	struct tasklet_struct *next;
	unsigned long state;
	atomic_t count;			/* not 0: disabled */
	void (*callback)(struct tasklet_struct *t);
};

#define DECLARE_TASKLET(name, fn) \
	struct tasklet_struct name = { .callback = (fn) }
#define from_tasklet(var, t, member) \
	container_of(t, typeof(*var), member)

void tasklet_setup(struct tasklet_struct *t,
		   void (*callback)(struct tasklet_struct *));
void tasklet_schedule(struct tasklet_struct *t);
void tasklet_hi_schedule(struct tasklet_struct *t);
/*
 * A disabled tasklet that is scheduled runs once it is enabled again.
 * tasklet_disable() waits until the tasklet does not run any more;
 * tasklet_disable_nosync() does not wait.
 */
void tasklet_disable(struct tasklet_struct *t);
void tasklet_disable_nosync(struct tasklet_struct *t);
void tasklet_enable(struct tasklet_struct *t);
/* Waits until the tasklet has run. The caller may sleep. */
void tasklet_kill(struct tasklet_struct *t);

/* irq/handle.c: the interrupts of devices */
typedef enum irqreturn {
	IRQ_NONE,		/* was not this device's */
	IRQ_HANDLED,
} irqreturn_t;

struct irqaction {
	irqreturn_t (*handler)(void);
	int irq;		/* its vector */
	const char *name;
};

extern const struct irqaction host_device_action;
extern const struct irqaction block_device_action;

void __handle_irq_event_percpu(const struct irqaction *action);

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
