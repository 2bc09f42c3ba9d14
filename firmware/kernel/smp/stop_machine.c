/* SPDX-License-Identifier: GPL-2.0-only */
/* Stopper threads: migration/N, of the stop class. */
#include <linux/completion.h>
#include <linux/cpu.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/smpboot.h>
#include <linux/spinlock.h>
#include <linux/stop_machine.h>
#include <asm/processor.h>

struct cpu_stop_done {
	atomic_t nr_todo;
	int ret;
	struct completion completion;
};

struct cpu_stopper {
	struct task_struct *thread;
	raw_spinlock_t lock;
	bool enabled;
	struct list_head works;
	struct cpu_stop_work stop_work;		/* for stop_cpus() */
};

static DEFINE_PER_CPU(struct cpu_stopper, cpu_stopper);
static DEFINE_MUTEX(stop_cpus_mutex);

static void cpu_stop_init_done(struct cpu_stop_done *done, unsigned int nr)
{
	atomic_set(&done->nr_todo, nr);
	done->ret = 0;
	init_completion(&done->completion);
}

static void cpu_stop_signal_done(struct cpu_stop_done *done)
{
	if (atomic_dec_and_test(&done->nr_todo))
		complete(&done->completion);
}

static void __cpu_stop_queue_work(struct cpu_stopper *stopper,
				  struct cpu_stop_work *work)
{
	list_add_tail(&work->list, &stopper->works);
}

static bool cpu_stop_queue_work(unsigned int cpu, struct cpu_stop_work *work)
{
	struct cpu_stopper *stopper = per_cpu_ptr(&cpu_stopper, cpu);
	unsigned long flags;
	bool enabled;

	preempt_disable();
	raw_spin_lock_irqsave(&stopper->lock, flags);
	enabled = stopper->enabled;
	if (enabled)
		__cpu_stop_queue_work(stopper, work);
	else if (work->done)
		cpu_stop_signal_done(work->done);
	raw_spin_unlock_irqrestore(&stopper->lock, flags);
	if (enabled)
		wake_up_process(stopper->thread);
	preempt_enable();
	return enabled;
}

int stop_one_cpu(unsigned int cpu, cpu_stop_fn_t fn, void *arg)
{
	struct cpu_stop_done done;
	struct cpu_stop_work work = { .fn = fn, .arg = arg, .done = &done };

	cpu_stop_init_done(&done, 1);
	if (!cpu_stop_queue_work(cpu, &work))
		return -ENOENT;
	wait_for_completion(&done.completion);
	return done.ret;
}

bool stop_one_cpu_nowait(unsigned int cpu, cpu_stop_fn_t fn, void *arg,
			 struct cpu_stop_work *work)
{
	*work = (struct cpu_stop_work){ .fn = fn, .arg = arg };
	return cpu_stop_queue_work(cpu, work);
}

enum multi_stop_state {
	MULTI_STOP_NONE,
	MULTI_STOP_PREPARE,		/* everybody has arrived */
	MULTI_STOP_DISABLE_IRQ,
	MULTI_STOP_RUN,
	MULTI_STOP_EXIT,
};

struct multi_stop_data {
	cpu_stop_fn_t fn;
	void *data;
	unsigned int num_threads;
	const struct cpumask *active_cpus;
	enum multi_stop_state state;
	struct lock_release release;	/* when the state was changed */
	atomic_t thread_ack;
};

static void set_state(struct multi_stop_data *msdata,
		      enum multi_stop_state newstate)
{
	atomic_set(&msdata->thread_ack, msdata->num_threads);
	note_release(&msdata->release);
	smp_store_release(&msdata->state, newstate);
}

/* The last one to acknowledge a state moves all of them to the next. */
static void ack_state(struct multi_stop_data *msdata)
{
	if (atomic_dec_and_test(&msdata->thread_ack))
		set_state(msdata, msdata->state + 1);
}

/* On every CPU that takes part. */
static int multi_cpu_stop(void *data)
{
	struct multi_stop_data *msdata = data;
	enum multi_stop_state newstate, curstate = MULTI_STOP_NONE;
	int cpu = smp_processor_id(), err = 0;
	const struct cpumask *cpumask;
	unsigned long flags;
	bool is_active;

	cpumask = msdata->active_cpus ? msdata->active_cpus : cpu_online_mask;
	is_active = msdata->active_cpus ? cpumask_test_cpu(cpu, cpumask) :
					  cpu == cpumask_first(cpumask);
	local_irq_save(flags);
	local_irq_restore(flags);
	do {
		cpu_relax();
		newstate = smp_load_acquire(&msdata->state);
		if (newstate == curstate)
			continue;
		stall_until_release(&msdata->release);
		curstate = newstate;
		if (curstate == MULTI_STOP_DISABLE_IRQ)
			local_irq_disable();
		else if (curstate == MULTI_STOP_RUN && is_active)
			err = msdata->fn(msdata->data);
		ack_state(msdata);
	} while (curstate != MULTI_STOP_EXIT);
	local_irq_restore(flags);
	return err;
}

/* This CPU's own stopper must not start before the others are told. */
static void queue_stop_cpus_work(const struct cpumask *cpumask,
				 cpu_stop_fn_t fn, void *arg,
				 struct cpu_stop_done *done)
{
	struct cpu_stop_work *work;
	int cpu;

	preempt_disable();
	for_each_cpu(cpu, cpumask) {
		work = &per_cpu(cpu_stopper, cpu).stop_work;
		work->fn = fn;
		work->arg = arg;
		work->done = done;
		cpu_stop_queue_work(cpu, work);
	}
	preempt_enable();
}

static int __stop_cpus(const struct cpumask *cpumask, cpu_stop_fn_t fn,
		       void *arg)
{
	struct cpu_stop_done done;
	unsigned int nr = 0;
	int cpu;

	for_each_cpu(cpu, cpumask)
		nr++;
	cpu_stop_init_done(&done, nr);
	queue_stop_cpus_work(cpumask, fn, arg, &done);
	wait_for_completion(&done.completion);
	return done.ret;
}

static int stop_cpus(const struct cpumask *cpumask, cpu_stop_fn_t fn,
		     void *arg)
{
	int ret;

	mutex_lock(&stop_cpus_mutex);
	ret = __stop_cpus(cpumask, fn, arg);
	mutex_unlock(&stop_cpus_mutex);
	return ret;
}

static int stop_machine_cpuslocked(cpu_stop_fn_t fn, void *data,
				   const struct cpumask *cpus)
{
	struct multi_stop_data msdata = {
		.fn = fn,
		.data = data,
		.active_cpus = cpus,
	};
	int cpu;

	for_each_online_cpu(cpu)
		msdata.num_threads++;
	set_state(&msdata, MULTI_STOP_PREPARE);
	return stop_cpus(cpu_online_mask, multi_cpu_stop, &msdata);
}

int stop_machine(cpu_stop_fn_t fn, void *data, const struct cpumask *cpus)
{
	return stop_machine_cpuslocked(fn, data, cpus);
}

static int cpu_stop_should_run(unsigned int cpu)
{
	struct cpu_stopper *stopper = per_cpu_ptr(&cpu_stopper, cpu);
	unsigned long flags;
	int run;

	raw_spin_lock_irqsave(&stopper->lock, flags);
	run = !list_empty(&stopper->works);
	raw_spin_unlock_irqrestore(&stopper->lock, flags);
	return run;
}

static void cpu_stopper_thread(unsigned int cpu)
{
	struct cpu_stopper *stopper = per_cpu_ptr(&cpu_stopper, cpu);
	struct cpu_stop_done *done;
	struct cpu_stop_work *work;
	int ret;

	for (;;) {
		raw_spin_lock_irq(&stopper->lock);
		work = list_first_entry_or_null(&stopper->works,
						struct cpu_stop_work, list);
		if (work)
			list_del_init(&work->list);
		raw_spin_unlock_irq(&stopper->lock);
		if (!work)
			return;
		/* The work may be gone, or in use again, once this is done. */
		done = work->done;
		preempt_disable();
		ret = work->fn(work->arg);
		preempt_enable_no_resched();
		if (done) {
			if (ret)
				done->ret = ret;
			cpu_stop_signal_done(done);
		}
	}
}

static void cpu_stop_create(unsigned int cpu)
{
	sched_set_stop_task(cpu, per_cpu(cpu_stopper, cpu).thread);
}

static struct smp_hotplug_thread cpu_stop_threads = {
	.store = &cpu_stopper.thread,
	.thread_should_run = cpu_stop_should_run,
	.thread_fn = cpu_stopper_thread,
	.thread_comm = "migration/%u",
	.create = cpu_stop_create,
};

static int __init cpu_stop_init(void)
{
	int cpu, err;

	for_each_possible_cpu(cpu) {
		raw_spin_lock_init(&per_cpu(cpu_stopper, cpu).lock);
		INIT_LIST_HEAD(&per_cpu(cpu_stopper, cpu).works);
	}
	err = smpboot_register_percpu_thread(&cpu_stop_threads);
	if (err)
		return err;
	for_each_online_cpu(cpu)
		per_cpu(cpu_stopper, cpu).enabled = true;
	return 0;
}
core_initcall(cpu_stop_init);
