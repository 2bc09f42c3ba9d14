/* SPDX-License-Identifier: GPL-2.0-only */
/* Numbers of tasks, groups and sessions. */
#ifndef _LINUX_PID_H
#define _LINUX_PID_H

#include <linux/list.h>
#include <linux/refcount.h>
#include <linux/types.h>

enum pid_type {
	PIDTYPE_PID,		/* a thread */
	PIDTYPE_TGID,		/* a process: its leader */
	PIDTYPE_PGID,		/* a process group */
	PIDTYPE_SID,		/* a session */
	PIDTYPE_MAX,
};

struct task_struct;

/* The number is taken as long as anything is known by it. */
struct pid {
	refcount_t count;
	pid_t nr;
	struct list_head pid_chain;
	struct list_head tasks[PIDTYPE_MAX];	/* under tasklist_lock */
};

extern struct pid init_struct_pid;

void pid_init(void);
struct pid *alloc_pid(void);
pid_t last_pid(void);
void free_pid(struct pid *pid);
void put_pid(struct pid *pid);

static inline struct pid *get_pid(struct pid *pid)
{
	if (pid)
		refcount_inc(&pid->count);
	return pid;
}

static inline pid_t pid_nr(const struct pid *pid)
{
	return pid ? pid->nr : 0;
}

/* A reference; NULL if there is nothing of that number. */
struct pid *find_get_pid(pid_t nr);

/* With tasklist_lock held. */
struct pid *find_vpid(pid_t nr);
struct task_struct *pid_task(struct pid *pid, enum pid_type type);
void attach_pid(struct task_struct *task, enum pid_type type);
void detach_pid(struct task_struct *task, enum pid_type type);
void change_pid(struct task_struct *task, enum pid_type type, struct pid *pid);
void exchange_tids(struct task_struct *left, struct task_struct *right);
void transfer_pid(struct task_struct *old, struct task_struct *new,
		  enum pid_type type);

#define do_each_pid_task(pid, type, task)				\
	list_for_each_entry(task, &(pid)->tasks[type], pid_links[type])

#endif
