/* SPDX-License-Identifier: GPL-2.0-only */
/* Where in the kernel a task waits, and how soon it would be killed. */
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/kstrtox.h>
#include <linux/mm.h>
#include <linux/oom.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/stacktrace.h>
#include <linux/uaccess.h>
#include <trace/events/oom.h>

#include "base.h"

#define MAX_STACK_TRACE_DEPTH	64
#define PROC_NUMBUF		13

/* The function's name, 0 of a task that does not wait; no newline. */
int proc_pid_wchan(struct seq_file *m, struct pid *pid,
		   struct task_struct *task)
{
	unsigned long wchan = get_wchan(task);
	struct kallsyms_place place;

	if (wchan && kallsyms_lookup(wchan, &place))
		seq_puts(m, place.name);
	else
		seq_putc(m, '0');
	return 0;
}

int proc_pid_stack(struct seq_file *m, struct pid *pid,
		   struct task_struct *task)
{
	unsigned long *entries = kmalloc(MAX_STACK_TRACE_DEPTH *
					 sizeof(*entries), GFP_KERNEL);
	struct kallsyms_place place;
	unsigned int n;

	if (!entries)
		return -ENOMEM;
	n = stack_trace_save_tsk(task, entries, MAX_STACK_TRACE_DEPTH);
	for (unsigned int i = 0; i < n; i++) {
		if (!kallsyms_lookup(entries[i], &place))
			continue;
		seq_printf(m, "[<0>] %s+0x%lx/0x%lx", place.name, place.offset,
			   place.size);
		if (place.module_name[0])
			seq_printf(m, " [%s]", place.module_name);
		seq_putc(m, '\n');
	}
	kfree(entries);
	return 0;
}

/* As a thousandth of all memory, and 1000 for what cannot be more wrong. */
int proc_oom_score(struct seq_file *m, struct pid *pid,
		   struct task_struct *task)
{
	long total = totalram_pages(), badness = LONG_MIN;
	unsigned long points = 0;

	spin_lock_irq(&tasklist_lock);
	if (task->exit_state != EXIT_DEAD)
		badness = oom_badness(task, total);
	spin_unlock_irq(&tasklist_lock);
	if (badness != LONG_MIN)
		points = (1000 + badness * 1000 / total) * 2 / 3;
	seq_printf(m, "%lu\n", points);
	return 0;
}

static int oom_score_adj_show(struct seq_file *m, void *v)
{
	struct task_struct *task = get_proc_task(m->private);

	if (!task)
		return -ESRCH;
	seq_printf(m, "%d\n", READ_ONCE(task->signal->oom_score_adj));
	put_task_struct(task);
	return 0;
}

static int oom_score_adj_open(struct inode *inode, struct file *file)
{
	return single_open(file, oom_score_adj_show, inode);
}

static ssize_t oom_score_adj_write(struct file *file, const char __user *buf,
				   size_t count, loff_t *pos)
{
	char text[PROC_NUMBUF] = {};
	struct task_struct *task;
	long adj;
	int err;

	if (copy_from_user(text, buf, min(count, sizeof(text) - 1)))
		return -EFAULT;
	err = kstrtol(strim(text), 0, &adj);
	if (err)
		return err;
	if (adj < OOM_SCORE_ADJ_MIN || adj > OOM_SCORE_ADJ_MAX)
		return -EINVAL;
	task = get_proc_task(file_inode(file));
	if (!task)
		return -ESRCH;
	WRITE_ONCE(task->signal->oom_score_adj, adj);
	trace_oom_score_adj_update(task);
	put_task_struct(task);
	return count;
}

const struct file_operations proc_oom_score_adj_operations = {
	.open		= oom_score_adj_open,
	.read_iter	= seq_read_iter,
	.write		= oom_score_adj_write,
	.llseek		= seq_lseek,
	.release	= single_release,
};
