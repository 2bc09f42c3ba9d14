/* SPDX-License-Identifier: GPL-2.0-only */
/* The names of tasks. */
#include <linux/sched.h>
#include <linux/string.h>
#include <trace/events/task.h>

/* Nothing of a longer name stays behind the end: events record all of it. */
void set_task_comm(struct task_struct *p, const char *name)
{
	size_t len;

	task_lock(p);
	trace_task_rename(p, name);
	strscpy(p->comm, name, sizeof(p->comm));
	len = strlen(p->comm);
	memset(p->comm + len, 0, sizeof(p->comm) - len);
	task_unlock(p);
}
