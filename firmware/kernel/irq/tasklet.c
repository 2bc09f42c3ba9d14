/* SPDX-License-Identifier: GPL-2.0-only */
/* Tasklets: functions that TASKLET_SOFTIRQ and HI_SOFTIRQ run. */
#include <linux/bitops.h>
#include <linux/init.h>
#include <linux/interrupt.h>
#include <linux/kernel.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <trace/events/irq.h>
#include <asm/processor.h>

enum { TASKLET_STATE_SCHED, TASKLET_STATE_RUN };

struct tasklet_head {
	struct tasklet_struct *head;
	struct tasklet_struct **tail;
};

static DEFINE_PER_CPU(struct tasklet_head, tasklet_vec);
static DEFINE_PER_CPU(struct tasklet_head, tasklet_hi_vec);

/* When one last stopped running somewhere: who runs one next is not earlier. */
static DEFINE_RAW_SPINLOCK(tasklet_order);

void tasklet_setup(struct tasklet_struct *t,
		   void (*callback)(struct tasklet_struct *))
{
	*t = (struct tasklet_struct){ .callback = callback };
}

static void append_tasklet(struct tasklet_head *head, struct tasklet_struct *t)
{
	t->next = NULL;
	*head->tail = t;
	head->tail = &t->next;
}

static void __tasklet_schedule_common(struct tasklet_struct *t,
				      struct tasklet_head *headp,
				      unsigned int softirq_nr)
{
	unsigned long flags;

	if (test_and_set_bit(TASKLET_STATE_SCHED, &t->state))
		return;
	local_irq_save(flags);
	append_tasklet(SHIFT_PERCPU_PTR(headp, this_cpu_offset()), t);
	raise_softirq_irqoff(softirq_nr);
	local_irq_restore(flags);
}

static void __tasklet_schedule(struct tasklet_struct *t)
{
	__tasklet_schedule_common(t, &tasklet_vec, TASKLET_SOFTIRQ);
}

static void __tasklet_hi_schedule(struct tasklet_struct *t)
{
	__tasklet_schedule_common(t, &tasklet_hi_vec, HI_SOFTIRQ);
}

void tasklet_schedule(struct tasklet_struct *t)
{
	__tasklet_schedule(t);
}

void tasklet_hi_schedule(struct tasklet_struct *t)
{
	__tasklet_hi_schedule(t);
}

static inline bool tasklet_trylock(struct tasklet_struct *t)
{
	if (test_and_set_bit(TASKLET_STATE_RUN, &t->state))
		return false;
	stall_until_release(&tasklet_order.release);
	return true;
}

static inline void tasklet_unlock(struct tasklet_struct *t)
{
	raw_spin_lock(&tasklet_order);
	raw_spin_unlock(&tasklet_order);
	clear_bit(TASKLET_STATE_RUN, &t->state);
}

/* Those that are disabled, or run on another CPU, are tried again. */
static void tasklet_action_common(struct tasklet_head *head,
				  unsigned int softirq_nr)
{
	struct tasklet_struct *list, *t;

	local_irq_disable();
	list = head->head;
	head->head = NULL;
	head->tail = &head->head;
	local_irq_enable();

	while ((t = list)) {
		list = t->next;
		if (tasklet_trylock(t)) {
			if (!atomic_read(&t->count)) {
				clear_bit(TASKLET_STATE_SCHED, &t->state);
				trace_tasklet_entry(t, t->callback);
				t->callback(t);
				trace_tasklet_exit(t, t->callback);
				tasklet_unlock(t);
				continue;
			}
			tasklet_unlock(t);
		}
		local_irq_disable();
		append_tasklet(head, t);
		__raise_softirq_irqoff(softirq_nr);
		local_irq_enable();
	}
}

static void tasklet_action(struct softirq_action *a)
{
	tasklet_action_common(this_cpu_ptr(&tasklet_vec), TASKLET_SOFTIRQ);
}

static void tasklet_hi_action(struct softirq_action *a)
{
	tasklet_action_common(this_cpu_ptr(&tasklet_hi_vec), HI_SOFTIRQ);
}

static void tasklet_unlock_wait(struct tasklet_struct *t)
{
	while (test_bit(TASKLET_STATE_RUN, &t->state))
		cpu_relax();
	stall_until_release(&tasklet_order.release);
}

void tasklet_disable_nosync(struct tasklet_struct *t)
{
	atomic_inc(&t->count);
}

void tasklet_disable(struct tasklet_struct *t)
{
	tasklet_disable_nosync(t);
	tasklet_unlock_wait(t);
}

void tasklet_enable(struct tasklet_struct *t)
{
	atomic_dec(&t->count);
}

/* It stays marked as scheduled meanwhile, so that nobody schedules it. */
void tasklet_kill(struct tasklet_struct *t)
{
	while (test_and_set_bit(TASKLET_STATE_SCHED, &t->state))
		schedule_timeout_uninterruptible(1);
	tasklet_unlock_wait(t);
	clear_bit(TASKLET_STATE_SCHED, &t->state);
}

static int __init tasklet_init(void)
{
	struct tasklet_head *head;
	int cpu;

	for_each_possible_cpu(cpu) {
		head = per_cpu_ptr(&tasklet_vec, cpu);
		head->tail = &head->head;
		head = per_cpu_ptr(&tasklet_hi_vec, cpu);
		head->tail = &head->head;
	}
	open_softirq(TASKLET_SOFTIRQ, tasklet_action);
	open_softirq(HI_SOFTIRQ, tasklet_hi_action);
	return 0;
}
early_initcall(tasklet_init);
