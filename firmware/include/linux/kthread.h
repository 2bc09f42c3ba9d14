/* SPDX-License-Identifier: GPL-2.0-only */
/* Threads that stay in the kernel. */
#ifndef _LINUX_KTHREAD_H
#define _LINUX_KTHREAD_H

#include <linux/compiler.h>
#include <linux/err.h>
#include <linux/sched.h>
#include <linux/types.h>

/*
 * A new thread that calls @fn once wake_up_process() starts it, or
 * ERR_PTR(-ENOMEM). A CPU's thread has "%u" in its name for the CPU.
 */
struct task_struct *kthread_create_on_node(int (*fn)(void *data), void *data,
					   int node, const char *namefmt, ...)
	__printf(4, 5);
struct task_struct *kthread_create_on_cpu(int (*fn)(void *data), void *data,
					  unsigned int cpu,
					  const char *namefmt);

#define kthread_create(fn, data, namefmt, ...) \
	kthread_create_on_node(fn, data, -1, namefmt, ##__VA_ARGS__)

/* The same, and starts it. */
#define kthread_run(fn, data, namefmt, ...) ({				\
	struct task_struct *_k =					\
		kthread_create(fn, data, namefmt, ##__VA_ARGS__);	\
									\
	if (!IS_ERR(_k))						\
		wake_up_process(_k);					\
	_k; })

/* Before the thread is started for the first time. */
void kthread_bind(struct task_struct *k, unsigned int cpu);

/* Waits until it has ended; what its function returned, or -EINTR. */
int kthread_stop(struct task_struct *k);
bool kthread_should_stop(void);

/* A parked thread sleeps in kthread_parkme() until it is unparked. */
int kthread_park(struct task_struct *k);
void kthread_unpark(struct task_struct *k);
bool kthread_should_park(void);
void kthread_parkme(void);

void *kthread_data(struct task_struct *k);
void kthread_exit(long result) __noreturn;

/* The thread that makes all others, so that none inherits from a process. */
int kthreadd(void *unused);
extern struct task_struct *kthreadd_task;

/* kernel/task/fork.c: what each such task has of its own. */
bool set_kthread_struct(struct task_struct *p);
void free_kthread_struct(struct task_struct *p);

#endif
