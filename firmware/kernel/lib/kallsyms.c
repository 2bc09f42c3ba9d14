/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * /proc/kallsyms. The image does not carry its own names; the host, which
 * shows them in traces, knows them, and those of modules.
 */
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/proc_fs.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <emu/hostcall.h>

#define LINES		16	/* in a record */
#define RECORD_SIZE	4096	/* for these; names are not that long */

/* The record's length; less than 1 if there is none. */
static long read_record(struct seq_file *m, loff_t pos)
{
	return hostcall(HC_KALLSYMS, pos * LINES, LINES,
			(unsigned long)m->private, RECORD_SIZE);
}

static void *s_start(struct seq_file *m, loff_t *pos)
{
	long len;

	if (!m->private)
		m->private = kmalloc(RECORD_SIZE, GFP_KERNEL);
	if (!m->private)
		return ERR_PTR(-ENOMEM);
	len = read_record(m, *pos);
	return len > 0 ? (void *)len : NULL;
}

static void *s_next(struct seq_file *m, void *v, loff_t *pos)
{
	long len = read_record(m, ++*pos);

	return len > 0 ? (void *)len : NULL;
}

static void s_stop(struct seq_file *m, void *v)
{
}

static int s_show(struct seq_file *m, void *v)
{
	seq_write(m, m->private, (long)v);
	return 0;
}

static const struct seq_operations kallsyms_op = {
	.start	= s_start,
	.next	= s_next,
	.stop	= s_stop,
	.show	= s_show,
};

static int kallsyms_open(struct inode *inode, struct file *file)
{
	return seq_open(file, &kallsyms_op);
}

static int kallsyms_release(struct inode *inode, struct file *file)
{
	kfree(((struct seq_file *)file->private_data)->private);
	return seq_release(inode, file);
}

static const struct proc_ops kallsyms_proc_ops = {
	.proc_open	= kallsyms_open,
	.proc_read_iter	= seq_read_iter,
	.proc_lseek	= seq_lseek,
	.proc_release	= kallsyms_release,
};

static int __init kallsyms_init(void)
{
	proc_create("kallsyms", 0444, NULL, &kallsyms_proc_ops);
	return 0;
}
device_initcall(kallsyms_init);
