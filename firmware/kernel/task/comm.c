/* SPDX-License-Identifier: GPL-2.0-only */
/* The names of tasks. */
#include <linux/sched.h>
#include <linux/string.h>

void set_task_comm(struct task_struct *p, const char *name)
{
	strscpy(p->comm, name, sizeof(p->comm));
}
