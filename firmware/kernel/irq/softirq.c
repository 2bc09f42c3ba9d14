/* SPDX-License-Identifier: GPL-2.0-only */
/* Work that interrupts leave for when they are on again. */
#include <linux/context_tracking.h>
#include <linux/init.h>
#include <linux/interrupt.h>
#include <linux/irq_regs.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/osnoise.h>
#include <linux/sched.h>
#include <linux/smpboot.h>
#include <linux/tick.h>
#include <emu/layout.h>
#include <trace/events/rcu.h>

#define CREATE_TRACE_POINTS
#include <trace/events/irq.h>

/* What is raised meanwhile is served too, this often and this long (in
   jiffies); then by a thread. */
#define MAX_SOFTIRQ_RESTART	10
#define MAX_SOFTIRQ_TIME	2

/* Print fmts have these names. */
LAYOUT_CONST(HI_SOFTIRQ);
LAYOUT_CONST(TIMER_SOFTIRQ);
LAYOUT_CONST(NET_TX_SOFTIRQ);
LAYOUT_CONST(NET_RX_SOFTIRQ);
LAYOUT_CONST(BLOCK_SOFTIRQ);
LAYOUT_CONST(IRQ_POLL_SOFTIRQ);
LAYOUT_CONST(TASKLET_SOFTIRQ);
LAYOUT_CONST(SCHED_SOFTIRQ);
LAYOUT_CONST(HRTIMER_SOFTIRQ);
LAYOUT_CONST(RCU_SOFTIRQ);

DEFINE_PER_CPU(struct pt_regs *, __irq_regs);

static struct softirq_action softirq_vec[NR_SOFTIRQS];
static DEFINE_PER_CPU(unsigned int[NR_SOFTIRQS], kstat_softirqs);

const char *const softirq_to_name[NR_SOFTIRQS] = {
	"HI", "TIMER", "NET_TX", "NET_RX", "BLOCK", "IRQ_POLL",
	"TASKLET", "SCHED", "HRTIMER", "RCU",
};
DEFINE_PER_CPU(unsigned int, __softirq_pending);
static DEFINE_PER_CPU(struct task_struct *, ksoftirqd);

void open_softirq(int nr, void (*action)(struct softirq_action *))
{
	softirq_vec[nr].action = action;
}

inline void __raise_softirq_irqoff(unsigned int nr)
{
	trace_softirq_raise(nr);
	this_cpu_write(__softirq_pending, local_softirq_pending() | 1u << nr);
}

/* How often each has run on a CPU. */
unsigned int kstat_softirqs_cpu(unsigned int nr, int cpu)
{
	return (*per_cpu_ptr(&kstat_softirqs, cpu))[nr];
}

static inline void kstat_incr_softirqs_this_cpu(unsigned int nr)
{
	(*this_cpu_ptr(&kstat_softirqs))[nr]++;
}

static void wakeup_softirqd(void)
{
	struct task_struct *p = this_cpu_read(ksoftirqd);

	if (p)
		wake_up_process(p);
}

/*
 * With interrupts off. Served on the way out of the interrupt, if we are in
 * one, else by ksoftirqd.
 */
inline void raise_softirq_irqoff(unsigned int nr)
{
	__raise_softirq_irqoff(nr);
	if (!in_interrupt())
		wakeup_softirqd();
}

void raise_softirq(unsigned int nr)
{
	unsigned long flags;

	local_irq_save(flags);
	raise_softirq_irqoff(nr);
	local_irq_restore(flags);
}

void __local_bh_disable_ip(unsigned long ip, unsigned int cnt)
{
	__preempt_count_add(cnt);
	preempt_latency_start(cnt);
	barrier();
}

/*
 * With interrupts on: pending softirqs are served before it returns. Preemption
 * stays off until they have been.
 */
void __local_bh_enable_ip(unsigned long ip, unsigned int cnt)
{
	__preempt_count_sub(cnt - PREEMPT_OFFSET);
	if (unlikely(!in_interrupt() && local_softirq_pending()))
		do_softirq();
	preempt_count_sub(PREEMPT_OFFSET);
	preempt_check_resched();
}

/* For code that serves softirqs itself: none are looked for. */
static __noclone void __local_bh_enable(unsigned int cnt)
{
	barrier();
	preempt_latency_sub(cnt);
}

/* Called and left with interrupts off; they are on around the actions. */
void __section(".softirqentry.text") __do_softirq(void)
{
	unsigned long end = jiffies + MAX_SOFTIRQ_TIME;
	int restart = MAX_SOFTIRQ_RESTART;
	unsigned int pending = local_softirq_pending();
	u32 count;

	__local_bh_disable_ip(_THIS_IP_, SOFTIRQ_OFFSET);
	do {
		struct softirq_action *h;

		this_cpu_write(__softirq_pending, 0);
		local_irq_enable();
		for (h = softirq_vec; pending; h++, pending >>= 1) {
			if (!(pending & 1))
				continue;
			kstat_incr_softirqs_this_cpu(h - softirq_vec);
			count = preempt_count();
			trace_softirq_entry(h - softirq_vec);
			osnoise_softirq_entry();
			h->action(h);
			trace_softirq_exit(h - softirq_vec);
			osnoise_softirq_exit(h - softirq_vec);
			WARN_ON_ONCE(count != preempt_count());
		}
		local_irq_disable();
		pending = local_softirq_pending();
	} while (pending && time_before(jiffies, end) && !need_resched() &&
		 --restart);
	if (pending)
		wakeup_softirqd();
	__local_bh_enable(SOFTIRQ_OFFSET);
}

/* With interrupts on; they are on while softirqs run. */
void do_softirq(void)
{
	unsigned long flags;

	if (in_interrupt())
		return;
	local_irq_save(flags);
	if (local_softirq_pending())
		__do_softirq();
	local_irq_restore(flags);
}

/* An interrupt of an idle CPU begins or ends. */
static inline void trace_irq_dyntick(const char *first, const char *nested,
				     int before, int after)
{
	unsigned int nesting = ct_irq_nesting();

	if (nesting)
		trace_rcu_dyntick(nesting == 1 ? first : nested,
				  nesting + before, nesting + after,
				  ct_dynticks());
}

/* First in an interrupt's handler, with interrupts off. */
void irq_enter_rcu(void)
{
	ct_irq_enter();
	if (trace_rcu_dyntick_enabled())
		trace_irq_dyntick(TPS("Endirq"), TPS("++="), -1, 0);
	preempt_count_add(HARDIRQ_OFFSET);
	if (is_idle_task(current))
		tick_irq_enter();
}

/* What its thread is about to serve is left to it. */
static inline bool ksoftirqd_running(unsigned int pending)
{
	struct task_struct *p = this_cpu_read(ksoftirqd);

	return !(pending & SOFTIRQ_NOW_MASK) && p &&
	       READ_ONCE(p->__state) == TASK_RUNNING;
}

static inline void invoke_softirq(void)
{
	if (!ksoftirqd_running(local_softirq_pending()))
		__do_softirq();
}

static inline void tick_irq_exit(void)
{
	if (is_idle_task(current) && !in_interrupt() && !need_resched())
		tick_nohz_irq_exit();
}

static inline void __irq_exit_rcu(void)
{
	preempt_count_sub(HARDIRQ_OFFSET);
	if (!in_interrupt() && local_softirq_pending())
		invoke_softirq();
	tick_irq_exit();
}

/*
 * Last in an interrupt's handler: called and left with interrupts off; they are
 * on while softirqs run.
 */
void irq_exit_rcu(void)
{
	__irq_exit_rcu();
	if (trace_rcu_dyntick_enabled())
		trace_irq_dyntick(TPS("Startirq"), TPS("--="), 0, -1);
	ct_irq_exit();
}

static int ksoftirqd_should_run(unsigned int cpu)
{
	return local_softirq_pending() != 0;
}

static void run_ksoftirqd(unsigned int cpu)
{
	local_irq_disable();
	if (local_softirq_pending())
		__do_softirq();
	local_irq_enable();
	cond_resched();
}

static struct smp_hotplug_thread softirq_threads = {
	.store = &ksoftirqd,
	.thread_should_run = ksoftirqd_should_run,
	.thread_fn = run_ksoftirqd,
	.thread_comm = "ksoftirqd/%u",
};

void __init spawn_ksoftirqd(void)
{
	if (smpboot_register_percpu_thread(&softirq_threads))
		panic("no memory for ksoftirqd");
}
