/* SPDX-License-Identifier: GPL-2.0-only */
/* /proc/sys/vm/drop_caches: what could be read again is forgotten. */
#include <linux/fs.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/pagemap.h>
#include <linux/sched.h>
#include <linux/shrinker.h>
#include <linux/sysctl.h>

#define DROP_PAGECACHE	1
#define DROP_SLAB	2
#define DROP_SILENTLY	4	/* from now on */

static int sysctl_drop_caches;

/* The list may change meanwhile: a referenced inode keeps its place in it. */
static void drop_pagecache_sb(struct super_block *sb, void *unused)
{
	struct inode *inode, *previous = NULL;

	spin_lock(&sb->s_inode_list_lock);
	list_for_each_entry(inode, &sb->s_inodes, i_sb_list) {
		spin_lock(&inode->i_lock);
		if ((inode->i_state & (I_FREEING | I_WILL_FREE | I_NEW)) ||
		    !inode->i_mapping->nrpages) {
			spin_unlock(&inode->i_lock);
			continue;
		}
		ihold(inode);
		spin_unlock(&inode->i_lock);
		spin_unlock(&sb->s_inode_list_lock);

		invalidate_mapping_pages(inode->i_mapping, 0, ~0UL);
		iput(previous);
		previous = inode;
		spin_lock(&sb->s_inode_list_lock);
	}
	spin_unlock(&sb->s_inode_list_lock);
	iput(previous);
}

static int drop_caches_sysctl_handler(struct ctl_table *table, int write,
				      void *buffer, size_t *length,
				      loff_t *ppos)
{
	static bool silent;
	int err = proc_dointvec_minmax(table, write, buffer, length, ppos);

	if (err || !write)
		return err;
	if (sysctl_drop_caches & DROP_PAGECACHE)
		iterate_supers(drop_pagecache_sb, NULL);
	if (sysctl_drop_caches & DROP_SLAB)
		drop_slab();
	if (!silent)
		pr_info("%s (%d): drop_caches: %d\n", current->comm,
			task_pid_nr(current), sysctl_drop_caches);
	silent |= sysctl_drop_caches & DROP_SILENTLY;
	return 0;
}

static struct ctl_table vm_drop_caches_table[] = {
	{
		.procname	= "drop_caches",
		.data		= &sysctl_drop_caches,
		.maxlen		= sizeof(int),
		.mode		= 0200,
		.proc_handler	= drop_caches_sysctl_handler,
		.extra1		= SYSCTL_ONE,
		.extra2		= SYSCTL_FOUR,
	},
	{ }
};

static int __init init_vm_drop_caches_sysctls(void)
{
	register_sysctl_init("vm", vm_drop_caches_table);
	return 0;
}
fs_initcall(init_vm_drop_caches_sysctls);
