/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events of programs: the host knows them by numbers, and has ktraced do what
 * they take. Nobody else comes here but those who hit them.
 */
#include <linux/container_of.h>
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/namei.h>
#include <linux/slab.h>
#include <linux/uprobes.h>

#include "trace_uprobe.h"

struct trace_uprobe {
	struct list_head list;
	u64 id;
	struct path path;
	struct inode *inode;		/* the path holds it */
	loff_t offset;
	loff_t ref_ctr_offset;
	struct uprobe_consumer consumer;
	bool enabled;
};

static LIST_HEAD(trace_uprobes);

static struct trace_uprobe *trace_uprobe_of(struct uprobe_consumer *con)
{
	return container_of(con, struct trace_uprobe, consumer);
}

static void uprobe_dispatcher(struct uprobe_consumer *con, struct pt_regs *regs)
{
	uprobe_dispatch(trace_uprobe_of(con)->id, regs);
}

static void uretprobe_dispatcher(struct uprobe_consumer *con,
				 unsigned long func, struct pt_regs *regs)
{
	uretprobe_dispatch(trace_uprobe_of(con)->id, regs, func);
}

static struct trace_uprobe *find_trace_uprobe(u64 id)
{
	struct trace_uprobe *tu;

	list_for_each_entry(tu, &trace_uprobes, list)
		if (tu->id == id)
			return tu;
	return NULL;
}

long create_trace_uprobe(const struct trace_work *work)
{
	char *end = (char *)work->text + 1;
	struct trace_uprobe *tu;
	int err;

	tu = kzalloc(sizeof(*tu), GFP_KERNEL);
	if (!tu)
		return -ENOMEM;
	tu->id = work->argument;
	if (work->text[0] == 'r')
		tu->consumer.ret_handler = uretprobe_dispatcher;
	else
		tu->consumer.handler = uprobe_dispatcher;
	tu->offset = simple_strtoull(end + 1, &end, 0);
	tu->ref_ctr_offset = simple_strtoull(end + 1, &end, 0);
	err = kern_path(end + 1, LOOKUP_FOLLOW, &tu->path);
	if (err) {
		kfree(tu);
		return err;
	}
	tu->inode = d_inode(tu->path.dentry);
	if (!S_ISREG(tu->inode->i_mode)) {
		path_put(&tu->path);
		kfree(tu);
		return -EINVAL;
	}
	list_add_tail(&tu->list, &trace_uprobes);
	return 0;
}

long trace_uprobe_enable(const struct trace_work *work)
{
	struct trace_uprobe *tu = find_trace_uprobe(work->argument);
	int err;

	if (!tu || tu->enabled)
		return -EINVAL;
	err = uprobe_register(tu->inode, tu->offset, tu->ref_ctr_offset,
			      &tu->consumer);
	tu->enabled = !err;
	return err;
}

static void disable(struct trace_uprobe *tu)
{
	if (tu->enabled)
		uprobe_unregister(tu->inode, tu->offset, &tu->consumer);
	tu->enabled = false;
}

long trace_uprobe_disable(const struct trace_work *work)
{
	struct trace_uprobe *tu = find_trace_uprobe(work->argument);

	if (!tu)
		return -EINVAL;
	disable(tu);
	return 0;
}

long trace_uprobe_remove(const struct trace_work *work)
{
	struct trace_uprobe *tu = find_trace_uprobe(work->argument);

	if (!tu)
		return -EINVAL;
	disable(tu);
	list_del(&tu->list);
	path_put(&tu->path);
	kfree(tu);
	return 0;
}
