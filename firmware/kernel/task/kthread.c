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

struct kthread_create_info {
	int (*threadfn)(void *data);
	void *data;
	char name[TASK_COMM_LEN];
	struct task_struct *result;
	struct completion done;
	struct list_head list;
};

/* What a thread keeps of its making, until its task is freed. */
struct kthread {
	unsigned long flags;
	int result;
	void *data;
	struct completion exited;
};

enum { KTHREAD_SHOULD_STOP };

static DEFINE_SPINLOCK(kthread_create_lock);
static LIST_HEAD(kthread_create_list);
struct task_struct *kthreadd_task;

static inline struct kthread *to_kthread(struct task_struct *k)
{
	return k->worker_private;
}

bool set_kthread_struct(struct task_struct *p)
{
	struct kthread *self = kzalloc(sizeof(*self), GFP_KERNEL);

	if (!self)
		return false;
	init_completion(&self->exited);
	p->worker_private = self;
	return true;
}

void free_kthread_struct(struct task_struct *p)
{
	if (p->flags & PF_KTHREAD)
		kfree(p->worker_private);
}

bool kthread_should_stop(void)
{
	return test_bit(KTHREAD_SHOULD_STOP, &to_kthread(current)->flags);
}

void *kthread_data(struct task_struct *k)
{
	return to_kthread(k)->data;
}

static __noreturn void kthread_exit(long result)
{
	struct kthread *self = to_kthread(current);

	self->result = result;
	/* Who waits for it holds a reference to the task, and so to this. */
	complete(&self->exited);
	do_exit(0);
}

/* What each new thread does first: it shows itself, and waits for its start. */
static int kthread(void *_create)
{
	struct kthread_create_info *create = _create;
	int (*threadfn)(void *data) = create->threadfn;
	void *data = create->data;
	struct kthread *self = to_kthread(current);

	self->data = data;
	set_task_comm(current, create->name);
	/* Once this is done, create is no longer ours. */
	__set_current_state(TASK_UNINTERRUPTIBLE);
	create->result = current;
	complete(&create->done);
	schedule();
	kthread_exit(test_bit(KTHREAD_SHOULD_STOP, &self->flags) ?
		     -EINTR : threadfn(data));
}

static void create_kthread(struct kthread_create_info *create)
{
	pid_t pid = kernel_thread(kthread, create, CLONE_FS | CLONE_FILES);

	if (pid < 0) {
		create->result = ERR_PTR(pid);
		complete(&create->done);
	}
}

static struct task_struct *
__kthread_create_on_node(int (*fn)(void *data), void *data,
			 const char *namefmt, va_list args)
{
	struct kthread_create_info create = { .threadfn = fn, .data = data };

	vsnprintf(create.name, sizeof(create.name), namefmt, args);
	init_completion(&create.done);
	spin_lock(&kthread_create_lock);
	list_add_tail(&create.list, &kthread_create_list);
	spin_unlock(&kthread_create_lock);
	wake_up_process(kthreadd_task);
	wait_for_completion(&create.done);
	return create.result;
}

struct task_struct *kthread_create_on_node(int (*fn)(void *data), void *data,
					   int node, const char *namefmt, ...)
{
	struct task_struct *p;
	va_list args;

	va_start(args, namefmt);
	p = __kthread_create_on_node(fn, data, namefmt, args);
	va_end(args);
	return p;
}

void kthread_bind(struct task_struct *p, unsigned int cpu)
{
	wait_task_inactive(p);
	cpumask_clear(&p->cpus_mask);
	cpumask_set_cpu(cpu, &p->cpus_mask);
}

struct task_struct *kthread_create_on_cpu(int (*fn)(void *data), void *data,
					  unsigned int cpu,
					  const char *namefmt)
{
	char name[TASK_COMM_LEN];
	struct task_struct *p;

	snprintf(name, sizeof(name), namefmt, cpu);
	p = kthread_create(fn, data, "%s", name);
	if (!IS_ERR(p))
		kthread_bind(p, cpu);
	return p;
}

int kthread_stop(struct task_struct *k)
{
	struct kthread *self = to_kthread(k);
	int ret;

	get_task_struct(k);
	set_bit(KTHREAD_SHOULD_STOP, &self->flags);
	wake_up_process(k);
	wait_for_completion(&self->exited);
	ret = self->result;
	put_task_struct(k);
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
