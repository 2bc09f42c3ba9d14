/* SPDX-License-Identifier: GPL-2.0-only */
/* The idle class, and the loop that each CPU's idle task runs. */
#include <linux/context_tracking.h>
#include <linux/cpu.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/sched/nohz.h>
#include <linux/tick.h>
#include <trace/events/rcu.h>
#include "sched.h"

#define CREATE_TRACE_POINTS
#include <trace/events/power.h>

/* Nothing runs there, and nothing is about to. */
int idle_cpu(int cpu)
{
	struct rq *rq = cpu_rq(cpu);

	return READ_ONCE(rq->curr) == rq->idle && !READ_ONCE(rq->nr_running);
}

static void update_curr_idle(struct rq *rq)
{
	struct sched_entity *se = &rq->idle->se;
	u64 now = rq_clock(rq);

	if (now > se->exec_start) {
		se->sum_exec_runtime += now - se->exec_start;
		se->exec_start = now;
	}
}

static void set_next_task_idle(struct rq *rq, struct task_struct *next,
			       bool first)
{
	next->se.exec_start = rq_clock(rq);
}

struct task_struct *pick_next_task_idle(struct rq *rq)
{
	set_next_task_idle(rq, rq->idle, true);
	return rq->idle;
}

static void put_prev_task_idle(struct rq *rq, struct task_struct *prev)
{
	update_curr_idle(rq);
}

static void task_tick_idle(struct rq *rq, struct task_struct *curr)
{
	update_curr_idle(rq);
}

static void check_preempt_curr_idle(struct rq *rq, struct task_struct *p,
				    int flags)
{
	resched_curr(rq);
}

static bool balance_idle(struct rq *rq, struct task_struct *prev)
{
	return true;
}

static int select_task_rq_idle(struct task_struct *p, int cpu, int flags)
{
	return task_cpu(p);
}

DEFINE_SCHED_CLASS(idle) = {
	.check_preempt_curr = check_preempt_curr_idle,
	.pick_next_task = pick_next_task_idle,
	.put_prev_task = put_prev_task_idle,
	.set_next_task = set_next_task_idle,
	.balance = balance_idle,
	.select_task_rq = select_task_rq_idle,
	.set_cpus_allowed = set_cpus_allowed_common,
	.task_tick = task_tick_idle,
	.update_curr = update_curr_idle,
};

void arch_cpu_idle(void)
{
	arch_safe_halt();
}

/*
 * Called with interrupts off; returns with them on. An interrupt between the
 * test and the halt ends the halt. Idling is no latency, and the halt has
 * interrupts on.
 */
static void default_idle_call(void)
{
	if (need_resched()) {
		local_irq_enable();
		return;
	}
	trace_cpu_idle(1, smp_processor_id());
	if (trace_rcu_dyntick_enabled())
		trace_rcu_dyntick(TPS("Start"), 1, 0, ct_dynticks());
	if (critical_timings_enabled())
		stop_critical_timings();
	if (trace_irqflags_enabled())
		trace_hardirqs_on();
	ct_idle_enter();
	arch_cpu_idle();
	raw_local_irq_disable();
	ct_idle_exit();
	if (trace_rcu_dyntick_enabled())
		trace_rcu_dyntick(TPS("End"), 0, 1, ct_dynticks());
	raw_local_irq_enable();
	if (critical_timings_enabled())
		start_critical_timings();
	trace_cpu_idle(PWR_EVENT_EXIT, smp_processor_id());
}

/* Called with interrupts off; returns with them on. */
static void cpuidle_idle_call(void)
{
	if (need_resched()) {
		local_irq_enable();
		return;
	}
	tick_nohz_idle_stop_tick();
	default_idle_call();
}

/* Called with preemption off and interrupts on; returns so. */
static void do_idle(void)
{
	tick_nohz_idle_enter();
	while (!need_resched()) {
		local_irq_disable();
		cpuidle_idle_call();
	}
	/* The flag may have come without an interrupt. */
	set_preempt_need_resched();
	tick_nohz_idle_exit();
	schedule_idle();
}

/* This CPU itself looks on its way out of the interrupt that it is in. */
void wake_up_nohz_cpu(int cpu)
{
	if (cpu == smp_processor_id())
		return;
	set_bit(TIF_NEED_RESCHED, &cpu_rq(cpu)->idle->thread_info_flags);
	smp_send_reschedule(cpu);
}

/* With preemption off. */
void cpu_startup_entry(void)
{
	tick_setup_sched_timer();
	local_irq_enable();
	for (;;)
		do_idle();
}
