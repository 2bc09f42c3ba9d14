/* SPDX-License-Identifier: GPL-2.0-only */
/* Dirty inodes: noting that they are, and writing them. */
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/writeback.h>

#include "internal.h"

/* Part of what is @flags must be written before the inode may go. */
void __mark_inode_dirty(struct inode *inode, int flags)
{
	struct super_block *sb = inode->i_sb;

	/* Without a place to write to, nothing is ever dirty. */
	if (!sb->s_op->write_inode && !sb->s_op->dirty_inode)
		return;
	if ((flags & I_DIRTY_INODE) && sb->s_op->dirty_inode)
		sb->s_op->dirty_inode(inode, flags);
	if ((READ_ONCE(inode->i_state) & flags) == flags)
		return;
	spin_lock(&inode->i_lock);
	if (!(inode->i_state & I_FREEING))
		inode->i_state |= flags;
	spin_unlock(&inode->i_lock);
}

static int do_writepages(struct address_space *mapping,
			 struct writeback_control *wbc)
{
	if (!mapping->a_ops->writepages)
		return 0;
	return mapping->a_ops->writepages(mapping, wbc);
}

static int write_inode(struct inode *inode, struct writeback_control *wbc)
{
	const struct super_operations *ops = inode->i_sb->s_op;

	return ops->write_inode ? ops->write_inode(inode, wbc) : 0;
}

/* The data first: to write that may change the inode. */
static int writeback_single_inode(struct inode *inode,
				  struct writeback_control *wbc)
{
	unsigned long dirty;
	int err, ret;

	ret = do_writepages(inode->i_mapping, wbc);
	spin_lock(&inode->i_lock);
	dirty = inode->i_state & I_DIRTY;
	inode->i_state &= ~I_DIRTY;
	spin_unlock(&inode->i_lock);
	if (dirty & I_DIRTY_INODE) {
		err = write_inode(inode, wbc);
		if (!ret)
			ret = err;
	}
	return ret;
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

/* It is going. */
void inode_io_list_del(struct inode *inode)
{
	list_del_init(&inode->i_io_list);
}
