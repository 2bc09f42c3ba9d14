/* SPDX-License-Identifier: GPL-2.0-only */
/* Dirty inodes: noting that they are, and writing them, in time or at once. */
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/init.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/pagemap.h>
#include <linux/sysctl.h>
#include <linux/workqueue.h>
#include <linux/writeback.h>

#include "internal.h"

/*
 * How often old ones are looked for (0: never), and how old they may become,
 * in hundredths of a second.
 */
static unsigned int dirty_writeback_interval = 5 * 100;
static unsigned int dirty_expire_interval = 30 * 100;

static void wb_workfn(struct work_struct *work);

/* Whatever is dirty, the one that became so first at the end. */
static struct bdi_writeback {
	struct backing_dev_info *bdi;	/* the disk by which it is named */
	spinlock_t list_lock;		/* inside i_lock */
	struct list_head b_dirty;
	struct delayed_work dwork;
	bool start_all;			/* not only what is old */
	enum wb_reason start_all_reason;
} wb = {
	.b_dirty = LIST_HEAD_INIT(wb.b_dirty),
	.dwork = __DELAYED_WORK_INITIALIZER(wb.dwork, wb_workfn, 0),
};

/* Something to do for it. */
struct wb_writeback_work {
	long nr_pages;			/* dirty ones that are left */
	enum writeback_sync_modes sync_mode;
	bool for_kupdate;
	bool range_cyclic;
	enum wb_reason reason;
};

#define CREATE_TRACE_POINTS
#include <trace/events/writeback.h>

static struct workqueue_struct *bdi_wq;

void wb_init(struct backing_dev_info *bdi)
{
	wb.bdi = bdi;
}

static void wb_wakeup_delayed(void)
{
	unsigned int interval = READ_ONCE(dirty_writeback_interval);

	if (bdi_wq && interval)
		queue_delayed_work(bdi_wq, &wb.dwork,
				   msecs_to_jiffies(interval * 10));
}

/* With i_lock. Whether it was in no list. */
static bool inode_io_list_add(struct inode *inode)
{
	bool added;

	spin_lock(&wb.list_lock);
	added = list_empty(&inode->i_io_list);
	if (added) {
		inode->dirtied_when = jiffies;
		inode->io_list_when = inode->dirtied_when;
		list_add(&inode->i_io_list, &wb.b_dirty);
	}
	spin_unlock(&wb.list_lock);
	wb_wakeup_delayed();
	return added;
}

/* It is clean, or going. */
void inode_io_list_del(struct inode *inode)
{
	spin_lock(&wb.list_lock);
	list_del_init(&inode->i_io_list);
	spin_unlock(&wb.list_lock);
}

/*
 * Part of what is @flags must be written before the inode may go. Takes i_lock;
 * sleeps only if the file system's dirty_inode does.
 */
void __mark_inode_dirty(struct inode *inode, int flags)
{
	const struct super_operations *ops = inode->i_sb->s_op;
	bool enqueued = false;

	trace_writeback_mark_inode_dirty(inode, flags);
	if (flags & I_DIRTY_INODE) {
		trace_writeback_dirty_inode_start(inode, flags);
		if (ops->dirty_inode)
			ops->dirty_inode(inode, flags);
		trace_writeback_dirty_inode(inode, flags);
	}
	/* Without a place to write to, nothing is ever dirty. */
	if (!ops->write_inode && !ops->dirty_inode &&
	    !inode->i_mapping->a_ops->writepage)
		return;
	if ((READ_ONCE(inode->i_state) & flags) == (unsigned int)flags)
		return;
	spin_lock(&inode->i_lock);
	if (!(inode->i_state & I_FREEING)) {
		inode->i_state |= flags;
		enqueued = inode_io_list_add(inode);
	}
	spin_unlock(&inode->i_lock);
	if (enqueued)
		trace_writeback_dirty_inode_enqueue(inode);
}

static int write_inode(struct inode *inode, struct writeback_control *wbc)
{
	const struct super_operations *ops = inode->i_sb->s_op;

	int err;

	if (!ops->write_inode)
		return 0;
	trace_writeback_write_inode_start(inode, wbc);
	err = ops->write_inode(inode, wbc);
	trace_writeback_write_inode(inode, wbc);
	return err;
}

static unsigned long take_state(struct inode *inode, unsigned long flags)
{
	unsigned long taken;

	spin_lock(&inode->i_lock);
	taken = inode->i_state & flags;
	inode->i_state &= ~flags;
	if (!(inode->i_state & I_DIRTY))
		inode_io_list_del(inode);
	spin_unlock(&inode->i_lock);
	return taken;
}

/*
 * With a reference, or I_WILL_FREE set, and no spinlock held; may sleep. The
 * data first: to write that may change the inode. What is dirtied from then on
 * is dirty again.
 */
static __noclone int __writeback_single_inode(struct inode *inode,
					      struct writeback_control *wbc)
{
	struct address_space *mapping = inode->i_mapping;
	long nr_to_write = wbc->nr_to_write;
	int err, ret;

	trace_writeback_single_inode_start(inode, wbc, nr_to_write);
	take_state(inode, I_DIRTY_PAGES);
	ret = do_writepages(mapping, wbc);
	if (wbc->sync_mode == WB_SYNC_ALL) {
		err = filemap_fdatawait_range(mapping, 0, LLONG_MAX);
		if (!ret)
			ret = err;
	}
	if (wbc->pages_skipped || wbc->nr_to_write <= 0)
		__mark_inode_dirty(inode, I_DIRTY_PAGES);
	if (take_state(inode, I_DIRTY_INODE)) {
		err = write_inode(inode, wbc);
		if (!ret)
			ret = err;
	}
	trace_writeback_single_inode(inode, wbc, nr_to_write);
	return ret;
}

static __noclone int writeback_single_inode(struct inode *inode,
					    struct writeback_control *wbc)
{
	return __writeback_single_inode(inode, wbc);
}

int write_inode_now(struct inode *inode, int sync)
{
	struct writeback_control wbc = {
		.nr_to_write	= LONG_MAX,
		.range_end	= LLONG_MAX,
		.sync_mode	= sync ? WB_SYNC_ALL : WB_SYNC_NONE,
	};

	return writeback_single_inode(inode, &wbc);
}

/* Every inode of a file system; s_umount is held. */
void sync_inodes_sb(struct super_block *sb)
{
	struct inode *inode, *previous = NULL;

	spin_lock(&sb->s_inode_list_lock);
	list_for_each_entry(inode, &sb->s_inodes, i_sb_list) {
		spin_lock(&inode->i_lock);
		if (!(inode->i_state & I_DIRTY) ||
		    (inode->i_state & (I_FREEING | I_WILL_FREE | I_NEW))) {
			spin_unlock(&inode->i_lock);
			continue;
		}
		ihold(inode);
		spin_unlock(&inode->i_lock);
		spin_unlock(&sb->s_inode_list_lock);

		write_inode_now(inode, 1);
		/* It stays in the list until the next is at hand. */
		iput(previous);
		previous = inode;
		spin_lock(&sb->s_inode_list_lock);
	}
	spin_unlock(&sb->s_inode_list_lock);
	iput(previous);
}

/*
 * One that has been dirty since before @older, with a reference and s_umount
 * held shared. What cannot be had now goes back to the others.
 */
static struct inode *next_dirty_inode(unsigned long older)
{
	struct inode *inode, *found = NULL, *prev;

	spin_lock(&wb.list_lock);
	for (inode = list_last_entry(&wb.b_dirty, struct inode, i_io_list);
	     &inode->i_io_list != &wb.b_dirty; inode = prev) {
		struct super_block *sb = inode->i_sb;

		prev = list_prev_entry(inode, i_io_list);
		if (time_after(inode->io_list_when, older))
			break;
		if (!down_read_trylock(&sb->s_umount))
			continue;	/* it is written when that is over */
		/* The other way round i_lock comes first. */
		if (spin_trylock(&inode->i_lock)) {
			if (!(inode->i_state &
			      (I_FREEING | I_WILL_FREE | I_NEW))) {
				ihold(inode);
				found = inode;
			}
			spin_unlock(&inode->i_lock);
		}
		if (found)
			break;
		up_read(&sb->s_umount);
	}
	if (found) {
		inode->io_list_when = jiffies;
		list_move(&inode->i_io_list, &wb.b_dirty);
	}
	spin_unlock(&wb.list_lock);
	return found;
}

/* With no lock held; may sleep. */
static void writeback_sb_inodes(struct wb_writeback_work *work,
				unsigned long older)
{
	struct inode *inode;

	while ((inode = next_dirty_inode(older))) {
		struct super_block *sb = inode->i_sb;
		struct writeback_control wbc = {
			.nr_to_write	= LONG_MAX,
			.range_end	= LLONG_MAX,
			.sync_mode	= work->sync_mode,
			.for_kupdate	= work->for_kupdate,
			.range_cyclic	= work->range_cyclic,
		};

		writeback_single_inode(inode, &wbc);
		work->nr_pages -= LONG_MAX - wbc.nr_to_write;
		iput(inode);
		up_read(&sb->s_umount);
	}
}

/* What has been dirty since before @older. How many pages were written. */
static __noclone long wb_writeback(struct wb_writeback_work *work,
				   unsigned long older)
{
	long nr_pages = work->nr_pages;

	trace_writeback_start(&wb, work);
	writeback_sb_inodes(work, older);
	trace_writeback_written(&wb, work);
	return nr_pages - work->nr_pages;
}

static long wb_check_old_data_flush(void)
{
	struct wb_writeback_work work = {
		.nr_pages	= nr_dirty_pages(),
		.sync_mode	= WB_SYNC_NONE,
		.for_kupdate	= true,
		.range_cyclic	= true,
		.reason		= WB_REASON_PERIODIC,
	};

	return wb_writeback(&work, jiffies -
			    msecs_to_jiffies(dirty_expire_interval * 10));
}

static long wb_check_start_all(void)
{
	struct wb_writeback_work work = {
		.nr_pages	= nr_dirty_pages(),
		.sync_mode	= WB_SYNC_NONE,
		.range_cyclic	= true,
		.reason		= wb.start_all_reason,
	};

	if (!READ_ONCE(wb.start_all))
		return 0;
	WRITE_ONCE(wb.start_all, false);
	return wb_writeback(&work, jiffies);
}

static long wb_do_writeback(void)
{
	return wb_check_start_all() + wb_check_old_data_flush();
}

void wakeup_flusher_threads(enum wb_reason reason)
{
	if (!bdi_wq || READ_ONCE(wb.start_all))
		return;
	wb.start_all_reason = reason;
	WRITE_ONCE(wb.start_all, true);
	mod_delayed_work(bdi_wq, &wb.dwork, 0);
}

/* Runs again as long as anything is dirty: an idle machine can rest. */
static void wb_workfn(struct work_struct *work)
{
	long pages_written = wb_do_writeback();

	trace_writeback_pages_written(pages_written);
	if (!list_empty(&wb.b_dirty))
		wb_wakeup_delayed();
}

/* What has been dirty until now is looked for at the new interval, too. */
static int dirty_writeback_centisecs_handler(struct ctl_table *table, int write,
					     void *buffer, size_t *lenp,
					     loff_t *ppos)
{
	unsigned int old = dirty_writeback_interval;
	int err = proc_dointvec_minmax(table, write, buffer, lenp, ppos);

	if (!err && write && dirty_writeback_interval != old &&
	    !list_empty(&wb.b_dirty) && dirty_writeback_interval)
		mod_delayed_work(bdi_wq, &wb.dwork, 0);
	return err;
}

/* As many hundredths as are that many milliseconds at most. */
static const int interval_max = INT_MAX / 10;

static struct ctl_table vm_writeback_sysctls[] = {
	{
		.procname	= "dirty_writeback_centisecs",
		.data		= &dirty_writeback_interval,
		.maxlen		= sizeof(int),
		.mode		= 0644,
		.proc_handler	= dirty_writeback_centisecs_handler,
		.extra1		= SYSCTL_ZERO,
		.extra2		= (void *)&interval_max,
	},
	{
		.procname	= "dirty_expire_centisecs",
		.data		= &dirty_expire_interval,
		.maxlen		= sizeof(int),
		.mode		= 0644,
		.proc_handler	= proc_dointvec_minmax,
		.extra1		= SYSCTL_ZERO,
		.extra2		= (void *)&interval_max,
	},
	{ }
};

static int __init default_bdi_init(void)
{
	register_sysctl_init("vm", vm_writeback_sysctls);
	bdi_wq = alloc_workqueue("writeback", WQ_MEM_RECLAIM | WQ_UNBOUND, 0);
	return bdi_wq ? 0 : -ENOMEM;
}
subsys_initcall(default_bdi_init);
