/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of files: a tree of dentries. */
#ifndef _LINUX_DCACHE_H
#define _LINUX_DCACHE_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/path.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/types.h>

struct inode;
struct super_block;
struct vfsmount;

#define DNAME_INLINE_LEN	32

struct qstr {
	u32		hash;
	u32		len;
	const char	*name;
};

/* dentry->d_flags */
#define DCACHE_MOUNTED		0x00010000	/* something is mounted here */
#define DCACHE_NEED_AUTOMOUNT	0x00020000	/* d_op->d_automount mounts it */
#define DCACHE_MANAGED_DENTRY	(DCACHE_MOUNTED | DCACHE_NEED_AUTOMOUNT)
#define DCACHE_CANT_MOUNT	0x00000100	/* removed */

/*
 * A name in a directory. Without an inode it is negative: known not to exist.
 *
 * Whoever uses a dentry holds a reference; a child holds one on its parent,
 * and a ramfs file's existence is one more. d_lock protects d_subdirs, with
 * the children's d_child, d_offset and d_name, and d_flags. d_parent changes
 * (by rename) under rename_lock and both parents' d_lock; see dcache.c.
 */
struct dentry {
	unsigned int		d_flags;
	atomic_t		d_count;
	spinlock_t		d_lock;
	struct dentry		*d_parent;	/* itself at a root */
	struct qstr		d_name;
	struct inode		*d_inode;
	const struct dentry_operations *d_op;
	struct super_block	*d_sb;
	unsigned long		d_time;		/* d_revalidate's */
	void			*d_fsdata;	/* the file system's */
	struct list_head	d_lru;		/* empty: was never unused */
	struct list_head	d_subdirs;	/* the hashed, by d_offset */
	struct list_head	d_child;	/* empty: unhashed */
	u64			d_offset;	/* its readdir position */
	u64			d_next_offset;	/* for the next child */
	unsigned int		d_mounts;	/* on it, under mount_lock */
	char			d_iname[DNAME_INLINE_LEN];
};

/* All of it may be absent. */
struct dentry_operations {
	/* > 0: still true, 0: look it up again, or an error */
	int (*d_revalidate)(struct dentry *dentry, unsigned int flags);
	/* 1: do not keep it once nobody uses it */
	int (*d_delete)(const struct dentry *dentry);
	void (*d_release)(struct dentry *dentry);
	void (*d_iput)(struct dentry *dentry, struct inode *inode);
	/* The name of what no path leads to */
	char *(*d_dname)(struct dentry *dentry, char *buf, int len);
	struct vfsmount *(*d_automount)(struct path *path);
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

/* Removed while it was in use. */
static inline bool d_unlinked(const struct dentry *dentry)
{
	return d_unhashed(dentry) && !IS_ROOT(dentry);
}

static inline bool d_mountpoint(const struct dentry *dentry)
{
	return READ_ONCE(dentry->d_flags) & DCACHE_MOUNTED;
}

static inline bool d_managed(const struct dentry *dentry)
{
	return READ_ONCE(dentry->d_flags) & DCACHE_MANAGED_DENTRY;
}

static inline bool cant_mount(const struct dentry *dentry)
{
	return READ_ONCE(dentry->d_flags) & DCACHE_CANT_MOUNT;
}

u32 full_name_hash(const char *name, unsigned int len);

#define QSTR(text) \
	((struct qstr){ .hash = full_name_hash(text, strlen(text)), \
			.len = strlen(text), .name = (text) })

struct dentry *d_alloc(struct dentry *parent, const struct qstr *name);
struct dentry *d_alloc_name(struct dentry *parent, const char *name);
struct dentry *d_alloc_pseudo(struct super_block *sb, const struct qstr *name);
struct dentry *d_make_root(struct inode *root);
void d_set_d_op(struct dentry *dentry, const struct dentry_operations *op);
void d_instantiate(struct dentry *dentry, struct inode *inode);
void d_instantiate_new(struct dentry *dentry, struct inode *inode);
void d_add(struct dentry *dentry, struct inode *inode);
struct dentry *d_splice_alias(struct inode *inode, struct dentry *dentry);
void d_drop(struct dentry *dentry);
void d_delete(struct dentry *dentry);
void d_move(struct dentry *dentry, struct dentry *target);
struct dentry *d_lookup(struct dentry *parent, const struct qstr *name);
struct dentry *__d_lookup(struct dentry *parent, const struct qstr *name);
struct dentry *d_hash_and_lookup(struct dentry *dir, const char *name);
struct dentry *dget_parent(struct dentry *dentry);
bool is_subdir(struct dentry *dentry, struct dentry *ancestor);
void dput(struct dentry *dentry);
void dont_mount(struct dentry *dentry);
void dcache_init(void);

/* dcache/shrink.c: letting go of what nobody uses */
void d_invalidate(struct dentry *dentry);
void shrink_dcache_parent(struct dentry *parent);
void shrink_dcache_sb(struct super_block *sb);
void shrink_dcache_for_umount(struct super_block *sb);
long prune_dcache_sb(struct super_block *sb, long nr);
void d_genocide(struct dentry *root);

/* dcache/d_path.c: from a place to its name, at the end of @buf */
char *d_path(const struct path *path, char *buf, int buflen);
char *dentry_path(const struct dentry *dentry, char *buf, int buflen);
char *__d_path(const struct path *path, const struct path *root, char *buf,
	       int buflen);
__printf(4, 5) char *dynamic_dname(struct dentry *dentry, char *buf,
				   int buflen, const char *fmt, ...);

#endif
