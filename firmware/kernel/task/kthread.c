/* SPDX-License-Identifier: GPL-2.0-only */
/* Kernel threads, made by one of them on behalf of everyone. */
#include <linux/completion.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/list.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/spinlock.h>
#include <linux/string.h>

struct kthread_create_info {
	int (*threadfn)(void *data);
	void *data;
	char name[TASK_COMM_LEN];
	struct task_struct *result;
	struct completion done;
	struct list_head list;
};

static DEFINE_SPINLOCK(kthread_create_lock);
static LIST_HEAD(kthread_create_list);
struct task_struct *kthreadd_task;

/* What each new thread does first: it shows itself, and waits for its start. */
static int kthread(void *_create)
{
	struct kthread_create_info *create = _create;
	int (*threadfn)(void *data) = create->threadfn;
	void *data = create->data;

	set_task_comm(current, create->name);
	/* Once this is done, create is no longer ours. */
	__set_current_state(TASK_UNINTERRUPTIBLE);
	create->result = current;
	complete(&create->done);
	schedule();
	do_exit(threadfn(data));
}

static void create_kthread(struct kthread_create_info *create)
{
	if (kernel_thread(kthread, create, CLONE_FS | CLONE_FILES) < 0)
		complete(&create->done);
}

static struct task_struct *
kthread_create_wait(struct kthread_create_info *create)
{
	init_completion(&create->done);
	spin_lock(&kthread_create_lock);
	list_add_tail(&create->list, &kthread_create_list);
	spin_unlock(&kthread_create_lock);
	wake_up_process(kthreadd_task);
	wait_for_completion(&create->done);
	return create->result;
}

/* A thread that has not been started yet stays on this CPU. */
static void kthread_bind(struct task_struct *p, unsigned int cpu)
{
	wait_task_inactive(p);
	cpumask_clear(&p->cpus_mask);
	cpumask_set_cpu(cpu, &p->cpus_mask);
}

struct task_struct *kthread_create_on_cpu(int (*fn)(void *data), void *data,
					  unsigned int cpu,
					  const char *name)
{
	struct kthread_create_info create = { .threadfn = fn, .data = data };
	struct task_struct *p;

	snprintf(create.name, sizeof(create.name), "%s/%u", name, cpu);
	p = kthread_create_wait(&create);
	if (p)
		kthread_bind(p, cpu);
	return p;
}

int kthreadd(void *unused)
{
	struct kthread_create_info *create;

	set_task_comm(current, "kthreadd");
	ignore_signals(current);
		for (;;) {
		set_current_state(TASK_INTERRUPTIBLE);
		if (list_empty(&kthread_create_list))
			schedule();
		__set_current_state(TASK_RUNNING);

		spin_lock(&kthread_create_lock);
		while (!list_empty(&kthread_create_list)) {
			create = list_first_entry(&kthread_create_list,
						  struct kthread_create_info,
						  list);
			list_del_init(&create->list);
			spin_unlock(&kthread_create_lock);
			create_kthread(create);
			spin_lock(&kthread_create_lock);
		}
		spin_unlock(&kthread_create_lock);
	}
	return 0;
}
