/* SPDX-License-Identifier: GPL-2.0-only */
/* /proc/self and /proc/thread-self: links to whoever follows them. */
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "internal.h"

/* "N/task/N" of two numbers of ten digits, with its NUL */
#define SELF_TEXT_MAX	32

static void free_text(void *text)
{
	kfree(text);
}

static const char *self_text(struct delayed_call *done, bool thread)
{
	char *text = kmalloc(SELF_TEXT_MAX, GFP_KERNEL);

	if (!text)
		return ERR_PTR(-ENOMEM);
	set_delayed_call(done, free_text, text);
	if (thread)
		snprintf(text, SELF_TEXT_MAX, "%d/task/%d",
			 task_tgid_nr(current), task_pid_nr(current));
	else
		snprintf(text, SELF_TEXT_MAX, "%d", task_tgid_nr(current));
	return text;
}

static const char *proc_self_get_link(struct dentry *dentry,
				      struct inode *inode,
				      struct delayed_call *done)
{
	return self_text(done, false);
}

static const char *proc_thread_self_get_link(struct dentry *dentry,
					     struct inode *inode,
					     struct delayed_call *done)
{
	return self_text(done, true);
}

static const struct inode_operations proc_self_inode_operations = {
	.get_link	= proc_self_get_link,
};

static const struct inode_operations proc_thread_self_inode_operations = {
	.get_link	= proc_thread_self_get_link,
};

void __init proc_self_init(void)
{
	proc_register_link("self", &proc_self_inode_operations);
	proc_register_link("thread-self", &proc_thread_self_inode_operations);
}
