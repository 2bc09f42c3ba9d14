/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tracer hwlat looks for time that the hardware takes: a thread reads the
 * clock again and again while interrupts are off. If more time than
 * tracing_thresh passes between two readings, nobody but the firmware can have
 * had it. Each window of time begins with some time, its width, in which the
 * thread looks.
 */
#include <linux/cpu.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/ftrace_irq.h>
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/trace_entries.h>
#include <emu/layout.h>
#include <emu/trace_work.h>

#include "trace.h"

#define BANNER		"hwlat_detector: "

#define DEFAULT_SAMPLE_WINDOW	1000000		/* microseconds */
#define DEFAULT_SAMPLE_WIDTH	500000

/* Where threads look. The host shows the names, in this order. */
enum hwlat_mode {
	MODE_NONE,		/* one, where the scheduler puts it */
	MODE_ROUND_ROBIN,	/* one, on the next CPU for each window */
	MODE_PER_CPU,		/* one on each CPU */
};

/* The files of hwlat_detector: the host reads and writes them here. */
static struct hwlat_data {
	u64 thread_mode;
	u64 sample_window;	/* microseconds */
	u64 sample_width;
	u64 count;		/* windows with something in them */
} hwlat_data = {
	.thread_mode	= MODE_ROUND_ROBIN,
	.sample_window	= DEFAULT_SAMPLE_WINDOW,
	.sample_width	= DEFAULT_SAMPLE_WIDTH,
};

/* A thread, and the NMIs in its window. */
struct hwlat_kthread_data {
	struct task_struct *kthread;
	u64 nmi_count;
	u64 nmi_total_ts;	/* nanoseconds */
	u64 nmi_ts_start;
};

static struct hwlat_kthread_data hwlat_single_cpu_data;
static DEFINE_PER_CPU(struct hwlat_kthread_data, hwlat_per_cpu_data);

bool trace_hwlat_callback_enabled;

static notrace struct hwlat_kthread_data *get_cpu_data(void)
{
	if (hwlat_data.thread_mode == MODE_PER_CPU)
		return this_cpu_ptr(&hwlat_per_cpu_data);
	return &hwlat_single_cpu_data;
}

/* As an NMI begins and ends. */
notrace void trace_hwlat_callback(bool enter)
{
	struct hwlat_kthread_data *kdata = get_cpu_data();

	if (!kdata->kthread)
		return;
	if (enter) {
		kdata->nmi_ts_start = sched_clock();
		kdata->nmi_count++;
	} else {
		kdata->nmi_total_ts += sched_clock() - kdata->nmi_ts_start;
	}
}

/* Looks for as long as the width says, and records what it has found. */
static notrace void get_sample(void)
{
	struct hwlat_kthread_data *kdata = get_cpu_data();
	const u64 thresh = global_trace.tracing_thresh / NSEC_PER_USEC;
	/* All times are of whole microseconds, but are not divided each time. */
	const u64 too_long = (thresh + 1) * NSEC_PER_USEC;
	u64 inner, outer = 0, inner_max = 0, outer_max = 0;
	u64 start, t1, t2, last_t2 = 0;
	struct hwlat_entry entry = {};

	kdata->nmi_total_ts = 0;
	kdata->nmi_count = 0;
	barrier();
	trace_hwlat_callback_enabled = true;

	start = sched_clock();
	do {
		t1 = sched_clock();
		t2 = sched_clock();
		if (last_t2)
			outer = t1 - last_t2;
		inner = t2 - t1;
		last_t2 = t2;

		if (inner >= too_long || outer >= too_long) {
			if (!entry.count) {
				struct timespec64 ts;

				ktime_get_real_ts64(&ts);
				entry.tv_sec = ts.tv_sec;
				entry.tv_nsec = ts.tv_nsec;
			}
			entry.count++;
		}
		inner_max = max(inner_max, inner);
		outer_max = max(outer_max, outer);
	} while (t2 - start <
		 (READ_ONCE(hwlat_data.sample_width) + 1) * NSEC_PER_USEC);

	barrier();
	trace_hwlat_callback_enabled = false;
	barrier();

	if (!entry.count)
		return;
	entry.duration = inner_max / NSEC_PER_USEC;
	entry.outer_duration = outer_max / NSEC_PER_USEC;
	entry.nmi_total_ts = kdata->nmi_total_ts / NSEC_PER_USEC;
	entry.nmi_count = kdata->nmi_count;
	entry.seqnum = ++hwlat_data.count;
	trace_entry_commit(TRACE_HWLAT, &entry.ent);
	/* As Linux does: these are microseconds, where it has nanoseconds. */
	update_max_latency(TRACE_HWLAT,
			   max(entry.duration, entry.outer_duration));
}

/* The CPUs on which threads may look. */
static struct cpumask hwlat_cpus(void)
{
	struct cpumask mask = global_trace.tracing_cpumask;
	int cpu;

	for_each_cpu(cpu, &mask)
		if (!cpu_online(cpu))
			cpumask_clear_cpu(cpu, &mask);
	return mask;
}

static long move_to_cpu(struct task_struct *task, unsigned int cpu)
{
	struct cpumask mask = {};

	cpumask_set_cpu(cpu, &mask);
	return sched_setaffinity(task->pid, &mask);
}

/* The thread has one CPU. If somebody gave it others, it is left alone. */
static bool move_to_next_cpu(void)
{
	const struct cpumask cpus = hwlat_cpus();
	unsigned int next_cpu;

	if (current->nr_cpus_allowed != 1)
		return false;
	next_cpu = cpumask_next(smp_processor_id(), &cpus);
	if (next_cpu >= nr_cpu_ids)
		next_cpu = cpumask_first(&cpus);
	return next_cpu < nr_cpu_ids && !move_to_cpu(current, next_cpu);
}

static int hwlat_thread(void *unused)
{
	u64 sleep;

	while (!kthread_should_stop()) {
		if (hwlat_data.thread_mode == MODE_ROUND_ROBIN &&
		    !move_to_next_cpu()) {
			hwlat_data.thread_mode = MODE_NONE;
			pr_info(BANNER "cpumask changed while in round-robin mode, switching to mode none\n");
		}

		local_irq_disable();
		get_sample();
		local_irq_enable();

		sleep = (hwlat_data.sample_window - hwlat_data.sample_width) /
			USEC_PER_MSEC;
		msleep_interruptible(sleep ? min(sleep, (u64)INT_MAX) : 1);
	}
	return 0;
}

static long start_single_kthread(void)
{
	struct hwlat_kthread_data *kdata = &hwlat_single_cpu_data;
	struct cpumask cpus = hwlat_cpus();
	struct task_struct *kthread;

	if (kdata->kthread)
		return 0;
	kthread = kthread_create(hwlat_thread, NULL, "hwlatd");
	if (IS_ERR(kthread))
		return PTR_ERR(kthread);
	if (hwlat_data.thread_mode == MODE_ROUND_ROBIN)
		move_to_cpu(kthread, cpumask_first(&cpus));
	else
		sched_setaffinity(kthread->pid, &cpus);
	kdata->kthread = kthread;
	wake_up_process(kthread);
	return 0;
}

static void stop_kthread(struct hwlat_kthread_data *kdata)
{
	if (kdata->kthread)
		kthread_stop(kdata->kthread);
	kdata->kthread = NULL;
}

static void stop_kthreads(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		stop_kthread(per_cpu_ptr(&hwlat_per_cpu_data, cpu));
	stop_kthread(&hwlat_single_cpu_data);
}

static long start_per_cpu_kthreads(void)
{
	const struct cpumask cpus = hwlat_cpus();
	struct hwlat_kthread_data *kdata;
	struct task_struct *kthread;
	long err = 0;
	int cpu;

	cpus_read_lock();
	for_each_cpu(cpu, &cpus) {
		kdata = per_cpu_ptr(&hwlat_per_cpu_data, cpu);
		if (kdata->kthread)
			continue;
		kthread = kthread_create_on_cpu(hwlat_thread, NULL, cpu,
						"hwlatd/%u");
		err = PTR_ERR_OR_ZERO(kthread);
		if (err)
			break;
		kdata->kthread = kthread;
		wake_up_process(kthread);
	}
	cpus_read_unlock();
	if (err)
		stop_kthreads();
	return err;
}

/* TRACE_WORK_HWLAT_START: threads that are there already go on. */
long hwlat_tracer_start(const struct trace_work *work)
{
	long err;

	if (work->argument >= 0)
		hwlat_data.thread_mode = work->argument;
	if (hwlat_data.thread_mode == MODE_PER_CPU)
		err = start_per_cpu_kthreads();
	else
		err = start_single_kthread();
	if (err)
		pr_err(BANNER "Cannot start hwlat kthread\n");
	return err;
}

long hwlat_tracer_stop(const struct trace_work *work)
{
	stop_kthreads();
	return 0;
}

LAYOUT(hwlat_data, thread_mode);
LAYOUT(hwlat_data, sample_window);
LAYOUT(hwlat_data, sample_width);
LAYOUT(hwlat_data, count);
