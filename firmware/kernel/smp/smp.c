/* SPDX-License-Identifier: GPL-2.0-only */
/* Running functions on other CPUs. */
#include <linux/cpu.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <emu/hostcall.h>
#include <asm/irq.h>
#include <asm/processor.h>

struct call_queue {
	raw_spinlock_t lock;
	struct list_head list;
};

static DEFINE_PER_CPU(struct call_queue, call_single_queue);

/* One for each target of this CPU's calls to many, made when it boots. */
static DEFINE_PER_CPU(struct call_single_data *, cfd_data);

void smp_send_reschedule(int cpu)
{
	hostcall2(HC_IPI, cpu, RESCHEDULE_VECTOR);
}

void arch_send_call_function_ipi(int cpu)
{
	hostcall2(HC_IPI, cpu, CALL_FUNCTION_VECTOR);
}

/*
 * The interrupt is needed only by the first: it will take all there are.
 * @csd->pending is set, and @csd in use until it is 0.
 */
static void generic_exec_single(int cpu, struct call_single_data *csd)
{
	struct call_queue *queue = per_cpu_ptr(&call_single_queue, cpu);
	unsigned long flags;
	bool first;

	raw_spin_lock_irqsave(&queue->lock, flags);
	first = list_empty(&queue->list);
	list_add_tail(&csd->node, &queue->list);
	raw_spin_unlock_irqrestore(&queue->lock, flags);
	if (first)
		arch_send_call_function_ipi(cpu);
}

static void csd_lock_wait(struct call_single_data *csd)
{
	while (smp_load_acquire(&csd->pending))
		cpu_relax();
	stall_until_release(&csd->release);
}

/*
 * In any context but NMI. @csd->func is called in @cpu's interrupt; nothing
 * happens if @csd is still in use.
 */
void smp_call_function_single_async(int cpu, struct call_single_data *csd)
{
	if (!xchg(&csd->pending, 1))
		generic_exec_single(cpu, csd);
}

/*
 * With interrupts on, or two CPUs could wait for each other; with preemption
 * off, because the mask is of CPUs other than this one.
 */
void smp_call_function_many(const struct cpumask *mask, smp_call_func_t func,
			    void *info, bool wait)
{
	int cpu, this_cpu = smp_processor_id();
	struct call_single_data *cfd = this_cpu_read(cfd_data);

	WARN_ON_ONCE(irqs_disabled());
	for_each_cpu(cpu, mask) {
		struct call_single_data *csd = &cfd[cpu];

		if (cpu == this_cpu || !cpu_online(cpu))
			continue;
		csd_lock_wait(csd);
		csd->func = func;
		csd->info = info;
		csd->pending = 1;
		generic_exec_single(cpu, csd);
	}
	if (!wait)
		return;
	for_each_cpu(cpu, mask)
		if (cpu != this_cpu && cpu_online(cpu))
			csd_lock_wait(&cfd[cpu]);
}

/*
 * With interrupts on; returns when all have called it. CPU 0 is always online,
 * and at boot alone, with interrupts off.
 */
void on_each_cpu(smp_call_func_t func, void *info)
{
	unsigned long flags;

	preempt_disable();
	if (cpumask_next(0, cpu_online_mask) < nr_cpu_ids)
		smp_call_function_many(cpu_online_mask, func, info, true);
	local_irq_save(flags);
	func(info);
	local_irq_restore(flags);
	preempt_enable();
}

/*
 * In the interrupt, with interrupts off; functions are called without the
 * queue's lock.
 */
void generic_smp_call_function_interrupt(void)
{
	struct call_queue *queue = this_cpu_ptr(&call_single_queue);
	struct call_single_data *csd;
	smp_call_func_t func;
	void *info;

	raw_spin_lock(&queue->lock);
	while (!list_empty(&queue->list)) {
		csd = list_first_entry(&queue->list, struct call_single_data,
				       node);
		list_del(&csd->node);
		raw_spin_unlock(&queue->lock);
		func = csd->func;
		info = csd->info;
		func(info);
		note_release(&csd->release);
		smp_store_release(&csd->pending, 0);
		raw_spin_lock(&queue->lock);
	}
	raw_spin_unlock(&queue->lock);
}

void __init call_function_init(void)
{
	struct call_queue *queue;
	int cpu;

	for_each_possible_cpu(cpu) {
		queue = per_cpu_ptr(&call_single_queue, cpu);
		raw_spin_lock_init(&queue->lock);
		INIT_LIST_HEAD(&queue->list);
		per_cpu(cfd_data, cpu) =
			kcalloc(nr_cpu_ids, sizeof(struct call_single_data),
				GFP_KERNEL);
	}
}
