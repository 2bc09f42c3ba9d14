/* SPDX-License-Identifier: GPL-2.0-only */
/* The names of tasks. */
#include <linux/sched.h>
#include <linux/string.h>
#include <trace/events/task.h>

void set_task_comm(struct task_struct *p, const char *name)
{
	task_lock(p);
	trace_task_rename(p, name);
	strscpy(p->comm, name, sizeof(p->comm));
	task_unlock(p);
}
