/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of files: a tree of dentries. */
#ifndef _LINUX_DCACHE_H
#define _LINUX_DCACHE_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/path.h>
#include <linux/spinlock.h>
#include <linux/types.h>

struct inode;
struct super_block;

#define DNAME_INLINE_LEN	32

struct qstr {
	u32		hash;
	u32		len;
	const char	*name;
};

/*
 * A name in a directory. Without an inode it is negative: known not to exist.
 *
 * Whoever uses a dentry holds a reference; a child holds one on its parent,
 * and a ramfs file's existence is one more. d_lock protects d_subdirs, with
 * the children's d_child, d_offset and d_name. d_parent changes (by rename)
 * under rename_lock and both parents' d_lock; see dcache.c.
 */
struct dentry {
	atomic_t		d_count;
	spinlock_t		d_lock;
	struct dentry		*d_parent;	/* itself at a root */
	struct qstr		d_name;
	struct inode		*d_inode;
	struct super_block	*d_sb;
	struct list_head	d_subdirs;	/* the hashed, by d_offset */
	struct list_head	d_child;	/* empty: unhashed */
	u64			d_offset;	/* its readdir position */
	u64			d_next_offset;	/* for the next child */
	char			d_iname[DNAME_INLINE_LEN];
};

#define IS_ROOT(dentry)	((dentry) == (dentry)->d_parent)

static inline struct dentry *dget(struct dentry *dentry)
{
	atomic_inc(&dentry->d_count);
	return dentry;
}

static inline struct inode *d_inode(const struct dentry *dentry)
{
	return READ_ONCE(dentry->d_inode);
}

static inline bool d_is_negative(const struct dentry *dentry)
{
	return !d_inode(dentry);
}

static inline bool d_is_positive(const struct dentry *dentry)
{
	return !d_is_negative(dentry);
}

static inline bool d_unhashed(const struct dentry *dentry)
{
	return list_empty(&dentry->d_child);
}

struct dentry *d_alloc(struct dentry *parent, const struct qstr *name);
struct dentry *d_alloc_pseudo(struct super_block *sb, const struct qstr *name);
struct dentry *d_make_root(struct inode *root);
void d_instantiate(struct dentry *dentry, struct inode *inode);
void d_add(struct dentry *dentry, struct inode *inode);
void d_delete(struct dentry *dentry);
void d_move(struct dentry *dentry, struct dentry *target);
struct dentry *d_lookup(struct dentry *parent, const struct qstr *name);
struct dentry *__d_lookup(struct dentry *parent, const struct qstr *name);
struct dentry *dget_parent(struct dentry *dentry);
bool is_subdir(struct dentry *dentry, struct dentry *ancestor);
void dput(struct dentry *dentry);
char *d_absolute_path(const struct path *path, const struct path *root,
		      char *buf, int buflen);
void dcache_init(void);

#endif
