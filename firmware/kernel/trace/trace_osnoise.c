/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tracers osnoise and timerlat. A thread on each CPU finds out what keeps
 * it from running: osnoise/N reads the clock all the time, timerlat/N waits for
 * a timer. Hooks tell of whatever takes the CPU away, so that the times can be
 * put down to it; what is left is the hardware's.
 *
 * Nothing here is traced.
 */
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/hrtimer.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/osnoise.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/types.h>
#include <linux/trace_entries.h>
#include <linux/trace_printk.h>
#include <emu/hostcall.h>
#include <emu/layout.h>
#include <emu/trace_work.h>

#include "trace.h"

#define CREATE_TRACE_POINTS
#include <trace/events/osnoise.h>

#define DEFAULT_THRESHOLD	(5 * NSEC_PER_USEC)
#define DEFAULT_TIMERLAT_PRIO	95
#define MAX_CALLS		64

struct static_key osnoise_key;

/* The options: their bits are the places of their names in the file. */
enum {
	OSN_WORKLOAD = 1,		/* there are threads that are delayed */
	OSN_PANIC_ON_STOP,
	OSN_PREEMPT_DISABLE,
	OSN_IRQ_DISABLE,
};

/* The files of osnoise: the host reads and writes them here. */
static struct osnoise_data {
	u64 sample_period;		/* all times are in us */
	u64 sample_runtime;
	u64 stop_tracing;		/* 0: nothing stops it */
	u64 stop_tracing_total;
	u64 timerlat_period;
	u64 print_stack;		/* 0: no stack is shown */
	u64 options;
	struct cpumask cpus;
} osnoise_data = {
	.sample_period = 1000000,
	.sample_runtime = 1000000,
	.timerlat_period = 1000,
	.options = 1 << OSN_WORKLOAD,
	.cpus.bits[0 ... BITS_TO_LONGS(NR_CPUS) - 1] = ~0UL,
};

LAYOUT(osnoise_data, sample_period);
LAYOUT(osnoise_data, sample_runtime);
LAYOUT(osnoise_data, stop_tracing);
LAYOUT(osnoise_data, stop_tracing_total);
LAYOUT(osnoise_data, timerlat_period);
LAYOUT(osnoise_data, print_stack);
LAYOUT(osnoise_data, options);
LAYOUT(osnoise_data, cpus);

/* Whether timerlat is set, not osnoise. */
static bool timerlat_enabled;

/* What takes a CPU away. Each can do so to all that come after it. */
enum osn_context { OSN_NMI, OSN_IRQ, OSN_SOFTIRQ, OSN_THREAD, NR_OSN_CONTEXTS };

struct osn_interference {
	u64 count;
	u64 arrival_time;
	/* As if what it was itself interrupted by had come before; 0: none. */
	u64 delta_start;
};

struct osnoise_variables {
	struct task_struct *kthread;
	bool sampling;			/* else hooks do nothing */
	pid_t pid;			/* the thread that is not noise */
	u64 int_counter;		/* of all contexts */
	struct osn_interference in[NR_OSN_CONTEXTS];
};

struct timerlat_variables {
	struct hrtimer timer;
	u64 abs_period;			/* when it is due */
	u32 count;
	bool tracing_thread;		/* between the interrupt and the thread */
	u32 nr_calls;			/* where the interrupt came to */
	unsigned long calls[MAX_CALLS];
};

static DEFINE_PER_CPU(struct osnoise_variables, per_cpu_osnoise_var);
static DEFINE_PER_CPU(struct timerlat_variables, per_cpu_timerlat_var);

/* The clock; nothing has come in between when the count was still this. */
static notrace u64 set_int_safe_time(struct osnoise_variables *osn_var,
				     u64 *time)
{
	u64 count;

	do {
		count = READ_ONCE(osn_var->int_counter);
		*time = sched_clock();
	} while (count != READ_ONCE(osn_var->int_counter));
	return count;
}

static notrace void osn_enter(struct osnoise_variables *osn_var,
			      enum osn_context context)
{
	struct osn_interference *it = &osn_var->in[context];

	it->arrival_time = sched_clock();
	set_int_safe_time(osn_var, &it->delta_start);
	it->count++;
	__atomic_fetch_add(&osn_var->int_counter, 1, __ATOMIC_RELAXED);
}

/*
 * False: it began before anybody was interested. Else @duration is the net
 * time, which what it has interrupted is not charged for.
 */
static notrace bool osn_exit(struct osnoise_variables *osn_var,
			     enum osn_context context, u64 *duration)
{
	struct osn_interference *it = &osn_var->in[context];
	u64 now, count;

	if (!it->delta_start)
		return false;
	do {
		count = set_int_safe_time(osn_var, &now);
		*duration = now - READ_ONCE(it->delta_start);
	} while (count != READ_ONCE(osn_var->int_counter));
	it->delta_start = 0;
	while (++context < NR_OSN_CONTEXTS)
		if (osn_var->in[context].delta_start)
			osn_var->in[context].delta_start += *duration;
	return true;
}

/* timerlat is not interested in what ends before its timer's interrupt. */
static notrace void timerlat_forget(struct osnoise_variables *osn_var,
				    enum osn_context context)
{
	if (timerlat_enabled &&
	    !this_cpu_ptr(&per_cpu_timerlat_var)->tracing_thread)
		osn_var->in[context].delta_start = 0;
}

/* The hooks. */

notrace void osnoise_trace_nmi(bool enter)
{
	struct osnoise_variables *osn_var = this_cpu_ptr(&per_cpu_osnoise_var);
	u64 duration;

	if (!osn_var->sampling)
		return;
	if (enter)
		osn_enter(osn_var, OSN_NMI);
	else if (osn_exit(osn_var, OSN_NMI, &duration))
		trace_nmi_noise(osn_var->in[OSN_NMI].arrival_time, duration);
}

notrace void osnoise_trace_irq_entry(void)
{
	struct osnoise_variables *osn_var = this_cpu_ptr(&per_cpu_osnoise_var);

	if (osn_var->sampling)
		osn_enter(osn_var, OSN_IRQ);
}

notrace void osnoise_trace_irq_exit(int id, const char *desc)
{
	struct osnoise_variables *osn_var = this_cpu_ptr(&per_cpu_osnoise_var);
	u64 duration;

	if (osn_var->sampling && osn_exit(osn_var, OSN_IRQ, &duration))
		trace_irq_noise(id, desc, osn_var->in[OSN_IRQ].arrival_time,
				duration);
}

notrace void osnoise_trace_softirq_entry(void)
{
	struct osnoise_variables *osn_var = this_cpu_ptr(&per_cpu_osnoise_var);

	if (osn_var->sampling)
		osn_enter(osn_var, OSN_SOFTIRQ);
}

notrace void osnoise_trace_softirq_exit(int vector)
{
	struct osnoise_variables *osn_var = this_cpu_ptr(&per_cpu_osnoise_var);
	u64 duration;

	if (!osn_var->sampling)
		return;
	timerlat_forget(osn_var, OSN_SOFTIRQ);
	if (osn_exit(osn_var, OSN_SOFTIRQ, &duration))
		trace_softirq_noise(vector,
				    osn_var->in[OSN_SOFTIRQ].arrival_time,
				    duration);
}

static notrace void thread_exit(struct osnoise_variables *osn_var,
				struct task_struct *t)
{
	u64 duration;

	timerlat_forget(osn_var, OSN_THREAD);
	if (osn_exit(osn_var, OSN_THREAD, &duration))
		trace_thread_noise(t, osn_var->in[OSN_THREAD].arrival_time,
				   duration);
}

static notrace bool osn_option(unsigned int option)
{
	return READ_ONCE(osnoise_data.options) & 1 << option;
}

/* All threads are noise but ours; without a workload, there is no such one. */
static notrace bool is_noise(struct osnoise_variables *osn_var,
			     struct task_struct *t)
{
	return t->pid != osn_var->pid || !osn_option(OSN_WORKLOAD);
}

notrace void osnoise_trace_sched_switch(struct task_struct *prev,
					struct task_struct *next)
{
	struct osnoise_variables *osn_var = this_cpu_ptr(&per_cpu_osnoise_var);

	if (!osn_var->sampling)
		return;
	if (is_noise(osn_var, prev))
		thread_exit(osn_var, prev);
	if (is_noise(osn_var, next))
		osn_enter(osn_var, OSN_THREAD);
}

/* What both have in common. */

static notrace void osnoise_stop_tracing(void)
{
	enum trace_type type = timerlat_enabled ? TRACE_TIMERLAT : TRACE_OSNOISE;
	int cpu = smp_processor_id();

	tracer_printk(type, (unsigned long)osnoise_stop_tracing,
		      "stop tracing hit on cpu %d\n", cpu);
	if (osn_option(OSN_PANIC_ON_STOP))
		panic("tracer hit stop condition on CPU %d", cpu);
	tracer_tracing_off(type);
}

/* For timerlat, in us. */
static notrace bool stops_tracing(u64 latency, u64 limit)
{
	return limit && latency >= limit;
}

/* What a thread finds out after another tracer has been set is nobody's. */
static notrace bool osn_is_set(void)
{
	return static_key_enabled(&osnoise_key);
}

/* osnoise */

static notrace void save_counts(const struct osnoise_variables *osn_var,
				u64 *counts)
{
	int context;

	for (context = 0; context < NR_OSN_CONTEXTS; context++)
		counts[context] = READ_ONCE(osn_var->in[context].count);
}

/* A sample: as many readings of the clock as fit into the runtime. */
static notrace void run_osnoise(void)
{
	struct osnoise_variables *osn_var = this_cpu_ptr(&per_cpu_osnoise_var);
	bool no_irqs = osn_option(OSN_IRQ_DISABLE);
	bool no_preemption = !no_irqs && osn_option(OSN_PREEMPT_DISABLE);
	u64 runtime = osnoise_data.sample_runtime * NSEC_PER_USEC;
	u64 threshold = global_trace.tracing_thresh ?: DEFAULT_THRESHOLD;
	u64 before[NR_OSN_CONTEXTS], after[NR_OSN_CONTEXTS];
	u64 start, last, now, last_count, count, noise;
	u64 sum_noise = 0, max_noise = 0;
	struct osnoise_entry entry = {};

	osn_var->pid = current->pid;
	save_counts(osn_var, before);
	if (no_irqs)
		local_irq_disable();
	if (no_preemption)
		preempt_disable();
	WRITE_ONCE(osn_var->sampling, true);
	barrier();

	start = sched_clock();
	last_count = set_int_safe_time(osn_var, &last);
	do {
		count = set_int_safe_time(osn_var, &now);
		noise = now - last;
		if (noise >= threshold) {
			max_noise = max_t(u64, max_noise, noise);
			sum_noise += noise;
			entry.hw_count += count == last_count;
			trace_sample_threshold(last, noise, count - last_count);
			if (osnoise_data.stop_tracing &&
			    noise > osnoise_data.stop_tracing * NSEC_PER_USEC)
				osnoise_stop_tracing();
		}
		if (!no_irqs && !no_preemption)
			cond_resched();
		last = now;
		last_count = count;
	} while (now - start < runtime && !kthread_should_stop());

	barrier();
	WRITE_ONCE(osn_var->sampling, false);
	barrier();
	if (no_preemption)
		preempt_enable();
	if (no_irqs)
		local_irq_enable();

	if (!osn_is_set())
		return;
	save_counts(osn_var, after);
	entry.noise = sum_noise / NSEC_PER_USEC;
	entry.runtime = (now - start) / NSEC_PER_USEC;
	entry.max_sample = max_noise / NSEC_PER_USEC;
	entry.nmi_count = after[OSN_NMI] - before[OSN_NMI];
	entry.irq_count = after[OSN_IRQ] - before[OSN_IRQ];
	entry.softirq_count = after[OSN_SOFTIRQ] - before[OSN_SOFTIRQ];
	entry.thread_count = after[OSN_THREAD] - before[OSN_THREAD];
	trace_entry_commit(TRACE_OSNOISE, &entry.ent);
	update_max_latency(TRACE_OSNOISE, max_noise);
	if (osnoise_data.stop_tracing_total &&
	    entry.noise > osnoise_data.stop_tracing_total)
		osnoise_stop_tracing();
}

/* What is left of the period. Who never sleeps lets others go on as well. */
static notrace void osnoise_sleep(void)
{
	u64 interval = osnoise_data.sample_period - osnoise_data.sample_runtime;
	ktime_t wake_time;

	if (!interval) {
		rcu_tasks_qs(current);
		cond_resched();
		return;
	}
	wake_time = ktime_get() + interval * NSEC_PER_USEC;
	do {
		set_current_state(TASK_INTERRUPTIBLE);
		if (kthread_should_stop())
			break;
	} while (schedule_hrtimeout(&wake_time, HRTIMER_MODE_ABS));
	__set_current_state(TASK_RUNNING);
}

static notrace int osnoise_main(void *unused)
{
	while (!kthread_should_stop()) {
		run_osnoise();
		osnoise_sleep();
	}
	return 0;
}

/* timerlat */

static notrace void timerlat_sample(u32 seqnum, int context, u64 latency)
{
	struct timerlat_entry entry = {
		.seqnum = seqnum,
		.context = context,
		.timer_latency = latency,
	};

	if (osn_is_set())
		trace_entry_commit(TRACE_TIMERLAT, &entry.ent);
}

static __always_inline void timerlat_save_stack(struct timerlat_variables *tlat)
{
	tlat->nr_calls = hostcall2(HC_STACK_TRACE_SAVE, tlat->calls, MAX_CALLS);
}

/* Shows what the timer interrupted, if that was late enough. In us. */
static notrace void timerlat_dump_stack(const struct timerlat_variables *tlat,
					u64 latency)
{
	struct stack_entry entry = { .size = tlat->nr_calls };

	if (osnoise_data.print_stack && latency >= osnoise_data.print_stack &&
	    osn_is_set())
		trace_entry_commit_data(TRACE_STACK, &entry.ent, tlat->calls,
					tlat->nr_calls * sizeof(*tlat->calls));
}

/*
 * From here on, time counts that keeps the thread from running: what the timer
 * has interrupted is charged for what it takes after this interrupt. The end of
 * a softirq, if there is one, then moves the thread's beginning on as well.
 */
static notrace enum hrtimer_restart timerlat_irq(struct hrtimer *timer)
{
	struct timerlat_variables *tlat =
		container_of(timer, struct timerlat_variables, timer);
	struct osnoise_variables *osn_var = this_cpu_ptr(&per_cpu_osnoise_var);
	struct osn_interference *in = osn_var->in;
	u64 latency = ktime_get() - tlat->abs_period;

	tlat->tracing_thread = true;
	in[OSN_THREAD].arrival_time = sched_clock();
	in[OSN_THREAD].delta_start = in[OSN_IRQ].delta_start;
	if (in[OSN_SOFTIRQ].delta_start) {
		in[OSN_THREAD].delta_start = in[OSN_SOFTIRQ].delta_start;
		in[OSN_SOFTIRQ].delta_start = in[OSN_IRQ].delta_start;
	}

	timerlat_sample(++tlat->count, TIMERLAT_IRQ, latency);
	if (osnoise_data.print_stack)
		timerlat_save_stack(tlat);
	if (stops_tracing(latency / NSEC_PER_USEC, osnoise_data.stop_tracing)) {
		/* The thread comes too late to show it. */
		if (osnoise_data.stop_tracing <= osnoise_data.print_stack)
			timerlat_dump_stack(tlat, latency / NSEC_PER_USEC);
		osnoise_stop_tracing();
		update_max_latency(TRACE_TIMERLAT, latency);
	}
	wake_up_process(osn_var->kthread);
	return HRTIMER_NORESTART;
}

/* Sleeps until the next moment of the period that is not over yet. */
static notrace void wait_next_period(struct timerlat_variables *tlat)
{
	u64 period = osnoise_data.timerlat_period * NSEC_PER_USEC;
	u64 now = ktime_get();

	do {
		tlat->abs_period += period;
	} while (now > tlat->abs_period);
	set_current_state(TASK_INTERRUPTIBLE);
	hrtimer_start(&tlat->timer, tlat->abs_period,
		      HRTIMER_MODE_ABS_PINNED_HARD);
	if (!kthread_should_stop())
		schedule();
	__set_current_state(TASK_RUNNING);
}

static notrace int timerlat_main(void *unused)
{
	struct timerlat_variables *tlat = this_cpu_ptr(&per_cpu_timerlat_var);
	struct osnoise_variables *osn_var = this_cpu_ptr(&per_cpu_osnoise_var);
	struct sched_param sp = { .sched_priority = DEFAULT_TIMERLAT_PRIO };
	u64 latency;

	sched_setscheduler_nocheck(current, SCHED_FIFO, &sp);
	tlat->count = 0;
	tlat->tracing_thread = false;
	hrtimer_init(&tlat->timer, CLOCK_MONOTONIC,
		     HRTIMER_MODE_ABS_PINNED_HARD);
	tlat->timer.function = timerlat_irq;
	osn_var->pid = current->pid;
	tlat->abs_period = ktime_get();
	wait_next_period(tlat);
	WRITE_ONCE(osn_var->sampling, true);

	while (!kthread_should_stop()) {
		latency = ktime_get() - tlat->abs_period;
		timerlat_sample(tlat->count, TIMERLAT_THREAD, latency);
		update_max_latency(TRACE_TIMERLAT, latency);
		timerlat_dump_stack(tlat, latency / NSEC_PER_USEC);
		tlat->tracing_thread = false;
		if (stops_tracing(latency / NSEC_PER_USEC,
				  osnoise_data.stop_tracing_total))
			osnoise_stop_tracing();
		wait_next_period(tlat);
	}
	hrtimer_cancel(&tlat->timer);
	return 0;
}

/* ktraced starts and stops the threads. */

static void stop_kthread(unsigned int cpu)
{
	struct osnoise_variables *osn_var =
		per_cpu_ptr(&per_cpu_osnoise_var, cpu);

	if (osn_var->kthread)
		kthread_stop(osn_var->kthread);
	osn_var->kthread = NULL;
	WRITE_ONCE(osn_var->sampling, false);
}

static long stop_per_cpu_kthreads(void)
{
	int cpu;

	cpus_read_lock();
	for_each_online_cpu(cpu)
		stop_kthread(cpu);
	cpus_read_unlock();
	return 0;
}

/* Without a workload only what happens anyway is told of. */
static int start_kthread(unsigned int cpu)
{
	struct osnoise_variables *osn_var =
		per_cpu_ptr(&per_cpu_osnoise_var, cpu);
	struct task_struct *k;

	if (!timerlat_enabled && !osn_option(OSN_WORKLOAD)) {
		WRITE_ONCE(osn_var->sampling, true);
		return 0;
	}
	k = kthread_create_on_cpu(timerlat_enabled ? timerlat_main :
						     osnoise_main,
				  NULL, cpu,
				  timerlat_enabled ? "timerlat/%u" :
						     "osnoise/%u");
	if (IS_ERR(k))
		return PTR_ERR(k);
	osn_var->kthread = k;
	wake_up_process(k);
	return 0;
}

static int start_per_cpu_kthreads(void)
{
	int cpu, err = 0;

	cpus_read_lock();
	for_each_online_cpu(cpu) {
		if (!cpumask_test_cpu(cpu, &osnoise_data.cpus))
			continue;
		err = start_kthread(cpu);
		if (err)
			break;
	}
	cpus_read_unlock();
	if (err) {
		pr_err("osnoise: could not start sampling thread\n");
		stop_per_cpu_kthreads();
	}
	return err;
}

long osnoise_workload_start(const struct trace_work *work)
{
	int cpu;

	timerlat_enabled = work->argument;
	for_each_online_cpu(cpu) {
		*per_cpu_ptr(&per_cpu_osnoise_var, cpu) =
			(struct osnoise_variables){};
		*per_cpu_ptr(&per_cpu_timerlat_var, cpu) =
			(struct timerlat_variables){};
	}
	return start_per_cpu_kthreads();
}

long osnoise_workload_stop(const struct trace_work *work)
{
	return stop_per_cpu_kthreads();
}
