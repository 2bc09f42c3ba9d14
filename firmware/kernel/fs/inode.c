/* SPDX-License-Identifier: GPL-2.0-only */
/* Inodes: their life, permissions and attributes. */
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/slab.h>
#include <linux/time.h>

#include "internal.h"

static struct kmem_cache *inode_cachep;

static unsigned long get_next_ino(void)
{
	static atomic_long_t last_ino;

	return atomic_long_add_return(1, &last_ino);
}

struct timespec64 current_time(void)
{
	struct timespec64 now;

	ktime_get_coarse_real_ts64(&now);
	return now;
}

static struct inode *alloc_inode(struct super_block *sb)
{
	struct inode *inode = kmem_cache_zalloc(inode_cachep, GFP_KERNEL);

	if (!inode)
		return NULL;
	inode->i_sb = sb;
	inode->i_nlink = 1;
	atomic_set(&inode->i_count, 1);
	init_rwsem(&inode->i_rwsem);
	inode->i_mapping = &inode->i_data;
	inode->i_data.host = inode;
	xa_init(&inode->i_data.i_pages);
	return inode;
}

/* One link, one reference, no type yet. */
struct inode *new_inode(struct super_block *sb)
{
	struct inode *inode = alloc_inode(sb);

	if (!inode)
		return NULL;
	inode->i_ino = get_next_ino();
	inode->i_atime = inode->i_mtime = inode->i_ctime = current_time();
	return inode;
}

static void evict(struct inode *inode)
{
	truncate_inode_pages(inode->i_mapping, 0);
	if (S_ISLNK(inode->i_mode))
		kfree(inode->i_link);
	kmem_cache_free(inode_cachep, inode);
}

void iput(struct inode *inode)
{
	if (atomic_dec_and_test(&inode->i_count))
		evict(inode);
}

/*
 * Every process is root's: it may read and write anything, but executes only
 * what has an x bit.
 */
static int generic_permission(struct inode *inode, int mask)
{
	if (!(mask & MAY_EXEC) || S_ISDIR(inode->i_mode))
		return 0;
	return inode->i_mode & S_IXUGO ? 0 : -EACCES;
}

int inode_permission(struct inode *inode, int mask)
{
	return generic_permission(inode, mask);
}

/* Adds @delta to i_writecount unless the other side holds it. */
static inline int change_writecount(struct inode *inode, int delta)
{
	int count = atomic_read(&inode->i_writecount);

	while (delta > 0 ? count >= 0 : count <= 0) {
		int seen = atomic_cmpxchg(&inode->i_writecount, count,
					  count + delta);
		if (seen == count)
			return 0;
		count = seen;
	}
	return -ETXTBSY;
}

/* A file is either written or executed. */
int get_write_access(struct inode *inode)
{
	return change_writecount(inode, 1);
}

void put_write_access(struct inode *inode)
{
	atomic_dec(&inode->i_writecount);
}

int deny_write_access(struct file *file)
{
	return change_writecount(file_inode(file), -1);
}

void allow_write_access(struct file *file)
{
	atomic_inc(&file_inode(file)->i_writecount);
}

/* Changes mode or size; the inode is locked. */
int notify_change(struct dentry *dentry, struct iattr *attr)
{
	struct inode *inode = d_inode(dentry);

	if (attr->ia_valid & ATTR_SIZE) {
		truncate_setsize(inode, attr->ia_size);
		inode->i_mtime = current_time();
	}
	if (attr->ia_valid & ATTR_MODE)
		inode->i_mode = (inode->i_mode & S_IFMT) |
				(attr->ia_mode & S_IALLUGO);
	inode->i_ctime = current_time();
	return 0;
}

void inode_init(void)
{
	inode_cachep = KMEM_CACHE(inode, SLAB_PANIC);
}
