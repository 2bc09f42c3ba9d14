/* SPDX-License-Identifier: GPL-2.0-only */
/* Stopper threads: migration/N, of the stop class. */
#include <linux/completion.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/sched/wake_q.h>
#include <linux/smp.h>
#include <linux/smpboot.h>
#include <linux/spinlock.h>
#include <linux/stop_machine.h>

struct cpu_stop_done {
	int ret;
	struct completion completion;
};

struct cpu_stopper {
	struct task_struct *thread;
	raw_spinlock_t lock;
	bool enabled;
	struct list_head works;
};

static DEFINE_PER_CPU(struct cpu_stopper, cpu_stopper);

static void cpu_stop_init_done(struct cpu_stop_done *done)
{
	done->ret = 0;
	init_completion(&done->completion);
}

static void cpu_stop_signal_done(struct cpu_stop_done *done)
{
	complete(&done->completion);
}

static void __cpu_stop_queue_work(struct cpu_stopper *stopper,
				  struct cpu_stop_work *work,
				  struct wake_q_head *wakeq)
{
	list_add_tail(&work->list, &stopper->works);
	wake_q_add(wakeq, stopper->thread);
}

/*
 * In any context but NMI, with no run queue locked. False: that CPU takes no
 * work yet; whoever waits for @work is told.
 */
static bool cpu_stop_queue_work(unsigned int cpu, struct cpu_stop_work *work)
{
	struct cpu_stopper *stopper = per_cpu_ptr(&cpu_stopper, cpu);
	DEFINE_WAKE_Q(wakeq);
	unsigned long flags;
	bool enabled;

	preempt_disable();
	raw_spin_lock_irqsave(&stopper->lock, flags);
	enabled = stopper->enabled;
	if (enabled)
		__cpu_stop_queue_work(stopper, work, &wakeq);
	else if (work->done)
		cpu_stop_signal_done(work->done);
	raw_spin_unlock_irqrestore(&stopper->lock, flags);
	wake_up_q(&wakeq);
	preempt_enable();
	return enabled;
}

/*
 * Sleeps until @fn has run there, with preemption off, in a thread that no task
 * can preempt.
 */
int stop_one_cpu(unsigned int cpu, cpu_stop_fn_t fn, void *arg)
{
	struct cpu_stop_done done;
	struct cpu_stop_work work = { .fn = fn, .arg = arg, .done = &done };

	cpu_stop_init_done(&done);
	if (!cpu_stop_queue_work(cpu, &work))
		return -ENOENT;
	wait_for_completion(&done.completion);
	return done.ret;
}

/* With no run queue locked; does not sleep. @work is in use until @fn runs. */
bool stop_one_cpu_nowait(unsigned int cpu, cpu_stop_fn_t fn, void *arg,
			 struct cpu_stop_work *work)
{
	*work = (struct cpu_stop_work){ .fn = fn, .arg = arg };
	return cpu_stop_queue_work(cpu, work);
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

/*
 * The stopper's, with no lock held: works run with preemption off and must not
 * sleep.
 */
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
