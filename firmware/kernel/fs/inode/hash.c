/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Inodes by file system and number. One that is being filled (I_NEW) or freed
 * (I_FREEING) is waited for.
 */
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/wait.h>

#include "internal.h"

#define INODE_HASH_SIZE	256

static struct hlist_head inode_hashtable[INODE_HASH_SIZE];
static DEFINE_SPINLOCK(inode_hash_lock);
static DECLARE_WAIT_QUEUE_HEAD(inode_waitq);

static inline struct hlist_head *hash(const struct super_block *sb,
				      unsigned long ino)
{
	return &inode_hashtable[(ino + MINOR(sb->s_dev) * 31) %
				INODE_HASH_SIZE];
}

static inline unsigned long inode_state(struct inode *inode)
{
	unsigned long state;

	spin_lock(&inode->i_lock);
	state = inode->i_state;
	spin_unlock(&inode->i_lock);
	return state;
}

/* Until it is filled. */
static void wait_on_inode(struct inode *inode)
{
	wait_event(inode_waitq, !(inode_state(inode) & I_NEW));
}

/* What waits for it looks again: it is filled, or no longer to be found. */
void inode_wake(struct inode *inode)
{
	wake_up_all(&inode_waitq);
}

/* With inode_hash_lock held. */
static struct inode *find_inode(struct super_block *sb, unsigned long ino)
{
	struct inode *inode;

	hlist_for_each_entry(inode, hash(sb, ino), i_hash)
		if (inode->i_ino == ino && inode->i_sb == sb)
			return inode;
	return NULL;
}

/* Whether one is still there, but going. */
static bool inode_freeing(struct super_block *sb, unsigned long ino)
{
	struct inode *inode;
	bool freeing = false;

	spin_lock(&inode_hash_lock);
	inode = find_inode(sb, ino);
	if (inode)
		freeing = inode_state(inode) & (I_FREEING | I_WILL_FREE);
	spin_unlock(&inode_hash_lock);
	return freeing;
}

/*
 * The inode with a reference; if there is none, @new, which may be NULL. Takes
 * inode_hash_lock; sleeps while the inode is being freed.
 */
static struct inode *find_or_hash(struct super_block *sb, unsigned long ino,
				  struct inode *new)
{
	struct inode *inode;

	for (;;) {
		spin_lock(&inode_hash_lock);
		inode = find_inode(sb, ino);
		if (!inode) {
			if (new)
				hlist_add_head(&new->i_hash, hash(sb, ino));
			spin_unlock(&inode_hash_lock);
			return new;
		}
		if (igrab(inode)) {
			spin_unlock(&inode_hash_lock);
			return inode;
		}
		spin_unlock(&inode_hash_lock);
		wait_event(inode_waitq, !inode_freeing(sb, ino));
	}
}

/*
 * The inode of that number: one that is known, or a new one with I_NEW set,
 * which the caller fills and unlocks. May sleep.
 */
struct inode *iget_locked(struct super_block *sb, unsigned long ino)
{
	struct inode *inode, *new;

again:
	inode = find_or_hash(sb, ino, NULL);
	if (!inode) {
		new = alloc_inode(sb);
		if (!new)
			return NULL;
		new->i_ino = ino;
		new->i_state = I_NEW;
		inode = find_or_hash(sb, ino, new);
		if (inode == new) {
			inode_sb_list_add(new);
			return new;
		}
		destroy_inode(new);
	}
	wait_on_inode(inode);
	if (inode_unhashed(inode)) {	/* it could not be filled */
		iput(inode);
		goto again;
	}
	return inode;
}

/* For a new inode whose number is known: -EBUSY if that is in use. */
int insert_inode_locked(struct inode *inode)
{
	struct inode *old;

	inode->i_state |= I_NEW;
	old = find_or_hash(inode->i_sb, inode->i_ino, inode);
	if (old == inode)
		return 0;
	wait_on_inode(old);
	iput(old);
	return -EBUSY;
}

void remove_inode_hash(struct inode *inode)
{
	spin_lock(&inode_hash_lock);
	hlist_del_init(&inode->i_hash);
	spin_unlock(&inode_hash_lock);
}

void unlock_new_inode(struct inode *inode)
{
	spin_lock(&inode->i_lock);
	inode->i_state &= ~I_NEW;
	spin_unlock(&inode->i_lock);
	inode_wake(inode);
}

/* One that came to nothing. */
void discard_new_inode(struct inode *inode)
{
	remove_inode_hash(inode);
	unlock_new_inode(inode);
	iput(inode);
}

/* Filling it has failed. */
void iget_failed(struct inode *inode)
{
	make_bad_inode(inode);
	unlock_new_inode(inode);
	iput(inode);
}

static int bad_inode_permission(struct inode *inode, int mask)
{
	return -EIO;
}

static int bad_inode_getattr(const struct path *path, struct kstat *stat,
			     u32 request_mask, unsigned int flags)
{
	return -EIO;
}

static int bad_inode_setattr(struct dentry *dentry, struct iattr *attr)
{
	return -EIO;
}

static const struct inode_operations bad_inode_ops = {
	.permission	= bad_inode_permission,
	.getattr	= bad_inode_getattr,
	.setattr	= bad_inode_setattr,
};

static int bad_file_open(struct inode *inode, struct file *file)
{
	return -EIO;
}

static const struct file_operations bad_file_ops = {
	.open	= bad_file_open,
};

/* Whatever one does with it gives -EIO; nobody finds it any more. */
void make_bad_inode(struct inode *inode)
{
	remove_inode_hash(inode);
	inode->i_mode = S_IFREG;
	inode->i_op = &bad_inode_ops;
	inode->i_fop = &bad_file_ops;
}

bool is_bad_inode(const struct inode *inode)
{
	return inode->i_op == &bad_inode_ops;
}
