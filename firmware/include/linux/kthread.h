/* SPDX-License-Identifier: GPL-2.0-only */
/* Threads that stay in the kernel. */
#ifndef _LINUX_KTHREAD_H
#define _LINUX_KTHREAD_H

#include <linux/compiler.h>
#include <linux/err.h>
#include <linux/sched.h>
#include <linux/types.h>

/*
 * A new thread that calls @fn once wake_up_process() starts it, or an ERR_PTR.
 * @namefmt and what follows give its name.
 */
struct task_struct *kthread_create_on_node(int (*fn)(void *data), void *data,
					   int node, const char *namefmt, ...)
	__printf(4, 5);
#define kthread_create(fn, data, namefmt, ...) \
	kthread_create_on_node(fn, data, -1, namefmt, ##__VA_ARGS__)
/* For one CPU; @namefmt has one %u for it. */
struct task_struct *kthread_create_on_cpu(int (*fn)(void *data), void *data,
					  unsigned int cpu,
					  const char *namefmt);

#define kthread_run(fn, data, namefmt, ...) ({				\
	struct task_struct *_k =					\
		kthread_create(fn, data, namefmt, ##__VA_ARGS__);	\
	if (!IS_ERR(_k))						\
		wake_up_process(_k);					\
	_k; })

/* Only before a thread has been started. */
void kthread_bind(struct task_struct *p, unsigned int cpu);

/* Has @fn see that it should return, and waits; what it returned, or -EINTR
   if it was never started. */
int kthread_stop(struct task_struct *k);
bool kthread_should_stop(void);
void *kthread_data(struct task_struct *k);

bool set_kthread_struct(struct task_struct *p);
void free_kthread_struct(struct task_struct *p);

/* The thread that makes all others, so that none inherits from a process. */
int kthreadd(void *unused);
extern struct task_struct *kthreadd_task;

#endif
