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
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <trace/events/sched.h>

struct kthread_create_info {
	int (*threadfn)(void *data);
	void *data;
	struct task_struct *result;
	struct completion *done;
	struct list_head list;
};

enum { KTHREAD_IS_PER_CPU, KTHREAD_SHOULD_STOP, KTHREAD_SHOULD_PARK };

struct kthread {
	unsigned long flags;
	unsigned int cpu;
	int result;
	void *data;
	struct completion parked;
	struct completion exited;
};

static DEFINE_SPINLOCK(kthread_create_lock);
static LIST_HEAD(kthread_create_list);
struct task_struct *kthreadd_task;

static inline struct kthread *to_kthread(struct task_struct *k)
{
	return k->worker_private;
}

/* The end of the thread is told to whoever stops it, as vfork's parent is. */
bool set_kthread_struct(struct task_struct *p)
{
	struct kthread *kthread = kzalloc(sizeof(*kthread), GFP_KERNEL);

	if (!kthread)
		return false;
	init_completion(&kthread->exited);
	init_completion(&kthread->parked);
	p->vfork_done = &kthread->exited;
	p->worker_private = kthread;
	return true;
}

void free_kthread_struct(struct task_struct *p)
{
	kfree(p->worker_private);
}

void *kthread_data(struct task_struct *k)
{
	return to_kthread(k)->data;
}

bool kthread_should_stop(void)
{
	return test_bit(KTHREAD_SHOULD_STOP, &to_kthread(current)->flags);
}

bool kthread_should_park(void)
{
	return test_bit(KTHREAD_SHOULD_PARK, &to_kthread(current)->flags);
}

void kthread_exit(long result)
{
	to_kthread(current)->result = result;
	do_exit(0);
}

static void __kthread_parkme(struct kthread *self)
{
	for (;;) {
		set_current_state(TASK_PARKED);
		if (!test_bit(KTHREAD_SHOULD_PARK, &self->flags))
			break;
		complete(&self->parked);
		schedule();
	}
	__set_current_state(TASK_RUNNING);
}

void kthread_parkme(void)
{
	__kthread_parkme(to_kthread(current));
}

/*
 * What each new thread does first: it shows itself, and waits for its start.
 * After complete() the creator's structure is gone.
 */
static int kthread(void *_create)
{
	struct kthread_create_info *create = _create;
	int (*threadfn)(void *data) = create->threadfn;
	struct kthread *self = to_kthread(current);
	void *data = create->data;
	int ret = -EINTR;

	self->data = data;
	/* Once this is done, create is no longer ours. */
	__set_current_state(TASK_UNINTERRUPTIBLE);
	create->result = current;
	complete(create->done);
	schedule();
	if (!test_bit(KTHREAD_SHOULD_STOP, &self->flags)) {
		__kthread_parkme(self);
		ret = threadfn(data);
	}
	kthread_exit(ret);
}

static void create_kthread(struct kthread_create_info *create)
{
	pid_t pid = kernel_thread(kthread, create,
				  CLONE_FS | CLONE_FILES | SIGCHLD);

	if (pid < 0) {
		create->result = ERR_PTR(pid);
		complete(create->done);
	}
}

/*
 * Sleeps until kthreadd has made the thread, which then waits to be woken for
 * the first time.
 */
static __printf(4, 0) struct task_struct *
__kthread_create_on_node(int (*fn)(void *data), void *data, int node,
			 const char *namefmt, va_list args)
{
	DECLARE_COMPLETION_ONSTACK(done);
	struct kthread_create_info create = {
		.threadfn = fn,
		.data = data,
		.done = &done,
	};
	char name[TASK_COMM_LEN];

	spin_lock(&kthread_create_lock);
	list_add_tail(&create.list, &kthread_create_list);
	spin_unlock(&kthread_create_lock);
	wake_up_process(kthreadd_task);
	wait_for_completion(&done);
	if (!IS_ERR(create.result)) {
		vsnprintf(name, sizeof(name), namefmt, args);
		set_task_comm(create.result, name);
	}
	return create.result;
}

struct task_struct *kthread_create_on_node(int (*fn)(void *data), void *data,
					   int node, const char *namefmt, ...)
{
	struct task_struct *k;
	va_list args;

	va_start(args, namefmt);
	k = __kthread_create_on_node(fn, data, node, namefmt, args);
	va_end(args);
	return k;
}

/* May sleep: until @k, which has not been started, is off its CPU. */
static void __kthread_bind_mask(struct task_struct *k,
				const struct cpumask *mask)
{
	unsigned long flags;

	wait_task_inactive(k);
	raw_spin_lock_irqsave(&k->pi_lock, flags);
	do_set_cpus_allowed(k, mask);
	k->flags |= PF_NO_SETAFFINITY;
	raw_spin_unlock_irqrestore(&k->pi_lock, flags);
}

void kthread_bind(struct task_struct *k, unsigned int cpu)
{
	struct cpumask mask = {};

	cpumask_set_cpu(cpu, &mask);
	__kthread_bind_mask(k, &mask);
}

struct task_struct *kthread_create_on_cpu(int (*fn)(void *data), void *data,
					  unsigned int cpu,
					  const char *namefmt)
{
	struct task_struct *k;

	k = kthread_create_on_node(fn, data, -1, "%s", namefmt);
	if (IS_ERR(k))
		return k;
	snprintf(k->comm, sizeof(k->comm), namefmt, cpu);
	kthread_bind(k, cpu);
	to_kthread(k)->cpu = cpu;
	set_bit(KTHREAD_IS_PER_CPU, &to_kthread(k)->flags);
	return k;
}

void kthread_unpark(struct task_struct *k)
{
	clear_bit(KTHREAD_SHOULD_PARK, &to_kthread(k)->flags);
	wake_up_state(k, TASK_PARKED);
}

/* Waits until it is. One that has not been started yet parks when it is. */
int kthread_park(struct task_struct *k)
{
	struct kthread *kthread = to_kthread(k);

	if (k->flags & PF_EXITING)
		return -ENOSYS;
	set_bit(KTHREAD_SHOULD_PARK, &kthread->flags);
	if (k != current) {
		wake_up_process(k);
		wait_for_completion(&kthread->parked);
	}
	return 0;
}

/*
 * Sleeps until @k has ended, and returns what its function did. The caller has
 * seen to it that @k has not ended by itself, or holds a reference.
 */
int kthread_stop(struct task_struct *k)
{
	struct kthread *kthread = to_kthread(k);
	int ret;

	trace_sched_kthread_stop(k);
	get_task_struct(k);
	set_bit(KTHREAD_SHOULD_STOP, &kthread->flags);
	kthread_unpark(k);
	wake_up_process(k);
	wait_for_completion(&kthread->exited);
	ret = kthread->result;
	put_task_struct(k);
	trace_sched_kthread_stop_ret(ret);
	return ret;
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
