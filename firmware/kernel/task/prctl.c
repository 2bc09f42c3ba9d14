/* SPDX-License-Identifier: GPL-2.0-only */
/* prctl: what a process may set about itself. */
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/string.h>
#include <linux/syscalls.h>
#include <linux/uaccess.h>

#define PR_SET_PDEATHSIG	1
#define PR_GET_PDEATHSIG	2
#define PR_GET_DUMPABLE		3
#define PR_SET_DUMPABLE		4
#define PR_SET_NAME		15
#define PR_GET_NAME		16
#define PR_SET_CHILD_SUBREAPER	36
#define PR_GET_CHILD_SUBREAPER	37
#define PR_SET_NO_NEW_PRIVS	38
#define PR_GET_NO_NEW_PRIVS	39

static int set_name(const char __user *name)
{
	char comm[TASK_COMM_LEN];

	comm[sizeof(comm) - 1] = '\0';
	if (strncpy_from_user(comm, name, sizeof(comm) - 1) < 0)
		return -EFAULT;
	set_task_comm(current, comm);
	return 0;
}

static int get_name(char __user *name)
{
	char comm[TASK_COMM_LEN] = {};

	strscpy(comm, current->comm, sizeof(comm));
	return copy_to_user(name, comm, sizeof(comm)) ? -EFAULT : 0;
}

/* Those that there are already have it as an ancestor, too. */
static void propagate_has_child_subreaper(struct task_struct *p)
{
	struct task_struct *t, *ancestor;

	for_each_process(t)
		for (ancestor = t->real_parent; ancestor->pid;
		     ancestor = ancestor->real_parent)
			if (same_thread_group(ancestor, p)) {
				t->signal->has_child_subreaper = true;
				break;
			}
}

static int set_subreaper(bool on)
{
	spin_lock(&tasklist_lock);
	current->signal->is_child_subreaper = on;
	if (on)
		propagate_has_child_subreaper(current);
	spin_unlock(&tasklist_lock);
	return 0;
}

SYSCALL_DEFINE5(prctl, int, option, unsigned long, arg2, unsigned long, arg3,
		unsigned long, arg4, unsigned long, arg5)
{
	switch (option) {
	case PR_SET_PDEATHSIG:
		if (!valid_signal(arg2))
			return -EINVAL;
		current->pdeath_signal = arg2;
		return 0;
	case PR_GET_PDEATHSIG:
		return put_user(current->pdeath_signal, (int __user *)arg2);
	case PR_GET_DUMPABLE:
		return 0;	/* there are no dumps */
	case PR_SET_DUMPABLE:
		return arg2 > 1 ? -EINVAL : 0;
	case PR_SET_NAME:
		return set_name((const char __user *)arg2);
	case PR_GET_NAME:
		return get_name((char __user *)arg2);
	case PR_SET_CHILD_SUBREAPER:
		return set_subreaper(arg2);
	case PR_GET_CHILD_SUBREAPER:
		return put_user((int)current->signal->is_child_subreaper,
				(int __user *)arg2);
	case PR_SET_NO_NEW_PRIVS:
		if (arg2 != 1 || arg3 || arg4 || arg5)
			return -EINVAL;
		current->no_new_privs = true;
		return 0;
	case PR_GET_NO_NEW_PRIVS:
		return arg2 || arg3 || arg4 || arg5 ? -EINVAL :
						      current->no_new_privs;
	default:
		return -EINVAL;
	}
}
