/* SPDX-License-Identifier: GPL-2.0-only */
/* Inodes: how they come and go. */
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/slab.h>

#include "../internal.h"
#include "internal.h"

static struct kmem_cache *inode_cachep;

unsigned long get_next_ino(void)
{
	static atomic_long_t last_ino;

	return atomic_long_add_return(1, &last_ino);
}

/* For those who keep inodes in structures of their own. */
void inode_init_once(struct inode *inode)
{
	memset(inode, 0, sizeof(*inode));
	INIT_HLIST_NODE(&inode->i_hash);
	INIT_LIST_HEAD(&inode->i_io_list);
	INIT_LIST_HEAD(&inode->i_sb_list);
}

static void inode_init_always(struct super_block *sb, struct inode *inode)
{
	inode_init_once(inode);
	inode->i_sb = sb;
	inode->i_blkbits = sb->s_blocksize_bits;
	inode->i_nlink = 1;
	inode->i_op = &empty_iops;
	inode->i_fop = &no_open_fops;
	atomic_set(&inode->i_count, 1);
	spin_lock_init(&inode->i_lock);
	init_rwsem(&inode->i_rwsem);
	inode->i_mapping = &inode->i_data;
	inode->i_data.host = inode;
	inode->i_data.a_ops = &empty_aops;
	xa_init(&inode->i_data.i_pages);
	spin_lock_init(&inode->i_data.private_lock);
	INIT_LIST_HEAD(&inode->i_data.i_mmap);
	init_rwsem(&inode->i_data.i_mmap_rwsem);
}

void free_inode_nonrcu(struct inode *inode)
{
	kmem_cache_free(inode_cachep, inode);
}

struct inode *alloc_inode(struct super_block *sb)
{
	struct inode *inode;

	if (sb->s_op->alloc_inode)
		inode = sb->s_op->alloc_inode(sb);
	else
		inode = kmem_cache_alloc(inode_cachep, GFP_KERNEL);
	if (inode)
		inode_init_always(sb, inode);
	return inode;
}

void destroy_inode(struct inode *inode)
{
	const struct super_operations *ops = inode->i_sb->s_op;

	if (ops->destroy_inode)
		ops->destroy_inode(inode);
	else if (ops->free_inode)
		ops->free_inode(inode);
	else
		free_inode_nonrcu(inode);
}

void inode_sb_list_add(struct inode *inode)
{
	struct super_block *sb = inode->i_sb;

	spin_lock(&sb->s_inode_list_lock);
	list_add_tail(&inode->i_sb_list, &sb->s_inodes);
	spin_unlock(&sb->s_inode_list_lock);
}

static void inode_sb_list_del(struct inode *inode)
{
	struct super_block *sb = inode->i_sb;

	if (list_empty(&inode->i_sb_list))
		return;
	spin_lock(&sb->s_inode_list_lock);
	list_del_init(&inode->i_sb_list);
	spin_unlock(&sb->s_inode_list_lock);
}

/* For what is on no list: pipes and the like. */
struct inode *new_inode_pseudo(struct super_block *sb)
{
	struct inode *inode = alloc_inode(sb);

	if (inode) {
		inode->i_ino = get_next_ino();
		inode->i_atime = inode->i_mtime = inode->i_ctime =
			current_time(inode);
	}
	return inode;
}

/* One link, one reference, no type yet. */
struct inode *new_inode(struct super_block *sb)
{
	struct inode *inode = new_inode_pseudo(sb);

	if (inode)
		inode_sb_list_add(inode);
	return inode;
}

/* The end of what a file system does to evict an inode. */
void clear_inode(struct inode *inode)
{
	if (inode->i_data.nrpages)
		BUG();
	inode->i_state = I_FREEING | I_CLEAR;
}

/*
 * Nobody uses it, and I_FREEING tells those who find it. Called with no
 * spinlock held; may sleep, and frees the inode.
 */
static void evict(struct inode *inode)
{
	const struct super_operations *ops = inode->i_sb->s_op;

	inode_io_list_del(inode);
	inode_sb_list_del(inode);
	if (ops->evict_inode) {
		ops->evict_inode(inode);
	} else {
		truncate_inode_pages(&inode->i_data, 0);
		clear_inode(inode);
	}
	remove_inode_hash(inode);
	inode_wake(inode);
	destroy_inode(inode);
}

int generic_delete_inode(struct inode *inode)
{
	return 1;
}

/* Nothing can find it any more. */
int generic_drop_inode(struct inode *inode)
{
	return !inode->i_nlink || inode_unhashed(inode);
}

/*
 * The last reference has gone. Called with i_lock held, and releases it; may
 * sleep, and frees the inode.
 */
static void iput_final(struct inode *inode)
{
	const struct super_operations *ops = inode->i_sb->s_op;
	int drop = ops->drop_inode ? ops->drop_inode(inode) :
				     generic_drop_inode(inode);

	if (!drop && (inode->i_state & I_DIRTY)) {
		inode->i_state |= I_WILL_FREE;
		spin_unlock(&inode->i_lock);
		write_inode_now(inode, 1);
		spin_lock(&inode->i_lock);
		inode->i_state &= ~I_WILL_FREE;
	}
	inode->i_state |= I_FREEING;
	spin_unlock(&inode->i_lock);
	evict(inode);
}

/*
 * With no spinlock held: the last reference has the inode written and freed.
 * May sleep.
 */
void iput(struct inode *inode)
{
	int count;

	if (!inode)
		return;
	count = atomic_read(&inode->i_count);
	while (count > 1) {
		int seen = atomic_cmpxchg(&inode->i_count, count, count - 1);

		if (seen == count)
			return;
		count = seen;
	}
	spin_lock(&inode->i_lock);
	if (atomic_dec_and_test(&inode->i_count))
		iput_final(inode);
	else
		spin_unlock(&inode->i_lock);
}

/* A reference, unless it is going: then NULL. */
struct inode *igrab(struct inode *inode)
{
	bool going;

	spin_lock(&inode->i_lock);
	going = inode->i_state & (I_FREEING | I_WILL_FREE);
	if (!going)
		ihold(inode);
	spin_unlock(&inode->i_lock);
	return going ? NULL : inode;
}

void inode_init(void)
{
	inode_cachep = KMEM_CACHE(inode, SLAB_PANIC);
}
