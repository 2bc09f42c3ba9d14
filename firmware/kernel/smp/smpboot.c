/* SPDX-License-Identifier: GPL-2.0-only */
/* Threads of which every CPU has one: they sleep until there is work. */
#include <linux/cpu.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/smpboot.h>
#include <linux/slab.h>

struct smpboot_thread_data {
	unsigned int cpu;
	struct smp_hotplug_thread *ht;
};

static int smpboot_thread_fn(void *data)
{
	struct smpboot_thread_data *td = data;
	struct smp_hotplug_thread *ht = td->ht;

	for (;;) {
		set_current_state(TASK_INTERRUPTIBLE);
		preempt_disable();
		if (kthread_should_park()) {
			__set_current_state(TASK_RUNNING);
			preempt_enable();
			kthread_parkme();
			continue;
		}
		if (!ht->thread_should_run(td->cpu)) {
			preempt_enable_no_resched();
			schedule();
		} else {
			__set_current_state(TASK_RUNNING);
			preempt_enable();
			ht->thread_fn(td->cpu);
		}
	}
	return 0;
}

static int __smpboot_create_thread(struct smp_hotplug_thread *ht,
				   unsigned int cpu)
{
	struct smpboot_thread_data *td = kzalloc(sizeof(*td), GFP_KERNEL);
	struct task_struct *p;

	if (!td)
		return -ENOMEM;
	td->cpu = cpu;
	td->ht = ht;
	p = kthread_create_on_cpu(smpboot_thread_fn, td, cpu, ht->thread_comm);
	if (IS_ERR(p)) {
		kfree(td);
		return PTR_ERR(p);
	}
	*per_cpu_ptr(ht->store, cpu) = p;
	if (ht->create)
		ht->create(cpu);
	return 0;
}

int smpboot_register_percpu_thread(struct smp_hotplug_thread *plug_thread)
{
	int cpu, err = 0;

	cpus_read_lock();
	for_each_online_cpu(cpu) {
		err = __smpboot_create_thread(plug_thread, cpu);
		if (err)
			break;
		wake_up_process(*per_cpu_ptr(plug_thread->store, cpu));
	}
	cpus_read_unlock();
	return err;
}
