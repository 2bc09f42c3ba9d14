/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The dentry cache: the tree of names.
 *
 * A dentry that nobody uses stays, in case it is looked up again, unless its
 * file system wants it gone (d_delete) or lookups cannot find it any more.
 *
 * A parent's d_lock protects the list of its hashed children, their names, and
 * the step of a child's d_count from one to zero: a lookup takes its reference
 * under that lock, so a child at zero can be freed. rename_lock (taken first)
 * protects d_parent; whoever follows d_parent without holding both ends takes
 * it. Only its holder takes two d_locks. Dentries are freed under rename_lock,
 * or after having been taken out of the tree under it. Locks are taken in the
 * order mount_lock, rename_lock, d_lock, dcache_lru_lock.
 */
#include <linux/dcache.h>
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "internal.h"

/* FNV-1a, for names */
#define FNV_BASIS	2166136261u
#define FNV_PRIME	16777619u

/* As many a file system may keep unused. */
#define DENTRY_UNUSED_MAX	4096
#define DENTRY_PRUNE_BATCH	128

DEFINE_SPINLOCK(rename_lock);
static DEFINE_SPINLOCK(dcache_lru_lock);
static struct kmem_cache *dentry_cache;

u32 full_name_hash(const char *name, unsigned int len)
{
	u32 hash = FNV_BASIS;

	while (len--)
		hash = (hash ^ (unsigned char)*name++) * FNV_PRIME;
	return hash;
}

static struct dentry *__d_alloc(struct super_block *sb, const struct qstr *name)
{
	struct dentry *dentry;
	char *text;

	dentry = kmem_cache_alloc(dentry_cache, GFP_KERNEL);
	if (!dentry)
		return NULL;
	text = dentry->d_iname;
	if (name->len >= DNAME_INLINE_LEN) {
		text = kmalloc(name->len + 1, GFP_KERNEL);
		if (!text) {
			kmem_cache_free(dentry_cache, dentry);
			return NULL;
		}
	}
	memcpy(text, name->name, name->len);
	text[name->len] = '\0';

	dentry->d_flags = 0;
	atomic_set(&dentry->d_count, 1);
	spin_lock_init(&dentry->d_lock);
	dentry->d_parent = dentry;
	dentry->d_name = *name;
	dentry->d_name.name = text;
	dentry->d_inode = NULL;
	dentry->d_op = NULL;
	dentry->d_sb = sb;
	dentry->d_time = 0;
	dentry->d_fsdata = NULL;
	INIT_LIST_HEAD(&dentry->d_lru);
	INIT_LIST_HEAD(&dentry->d_subdirs);
	INIT_LIST_HEAD(&dentry->d_child);
	dentry->d_offset = 0;
	dentry->d_next_offset = 0;
	dentry->d_mounts = 0;
	d_set_d_op(dentry, sb->s_d_op);
	return dentry;
}

void d_set_d_op(struct dentry *dentry, const struct dentry_operations *op)
{
	dentry->d_op = op;
}

/* A negative dentry with one reference, not yet to be found by lookups. */
struct dentry *d_alloc(struct dentry *parent, const struct qstr *name)
{
	struct dentry *dentry = __d_alloc(parent->d_sb, name);

	if (dentry)
		dentry->d_parent = dget(parent);
	return dentry;
}

struct dentry *d_alloc_name(struct dentry *parent, const char *name)
{
	struct qstr q = QSTR(name);

	return d_alloc(parent, &q);
}

/* For files that no path leads to. */
struct dentry *d_alloc_pseudo(struct super_block *sb, const struct qstr *name)
{
	return __d_alloc(sb, name);
}

/* Takes over the reference to @root. */
struct dentry *d_make_root(struct inode *root)
{
	static const struct qstr name = { .len = 1, .name = "/" };
	struct dentry *dentry;

	if (!root)
		return NULL;
	dentry = __d_alloc(root->i_sb, &name);
	if (dentry)
		d_instantiate(dentry, root);
	else
		iput(root);
	return dentry;
}

/* Turns a negative dentry positive; takes over the reference to @inode. */
void d_instantiate(struct dentry *dentry, struct inode *inode)
{
	WRITE_ONCE(dentry->d_inode, inode);
}

/* The same for an inode that others wait for. */
void d_instantiate_new(struct dentry *dentry, struct inode *inode)
{
	d_instantiate(dentry, inode);
	unlock_new_inode(inode);
}

static void __d_rehash(struct dentry *dentry, struct dentry *parent)
{
	dentry->d_offset = parent->d_next_offset++;
	list_add_tail(&dentry->d_child, &parent->d_subdirs);
}

/* From here on, lookups find it. The directory's i_rwsem is held. */
void d_add(struct dentry *dentry, struct inode *inode)
{
	struct dentry *parent = dentry->d_parent;

	d_instantiate(dentry, inode);
	spin_lock(&parent->d_lock);
	__d_rehash(dentry, parent);
	spin_unlock(&parent->d_lock);
}

/* Whether a directory would be within itself, as in a damaged file system. */
static bool would_cause_loop(const struct inode *inode, struct dentry *dentry)
{
	bool found = false;

	spin_lock(&rename_lock);
	while (!found && !IS_ROOT(dentry)) {
		dentry = dentry->d_parent;
		found = dentry->d_inode == inode;
	}
	spin_unlock(&rename_lock);
	return found;
}

/* What a directory's lookup returns: it has found @inode, NULL or an error. */
struct dentry *d_splice_alias(struct inode *inode, struct dentry *dentry)
{
	if (IS_ERR(inode))
		return ERR_CAST(inode);
	if (inode && S_ISDIR(inode->i_mode) && would_cause_loop(inode, dentry)) {
		pr_warn("VFS: Lookup of '%s' in %s %s would have caused loop\n",
			dentry->d_name.name, inode->i_sb->s_type->name,
			inode->i_sb->s_id);
		iput(inode);
		return ERR_PTR(-ELOOP);
	}
	d_add(dentry, inode);
	return NULL;
}

/* Hides it from lookups; who uses it keeps it. */
void d_drop(struct dentry *dentry)
{
	struct dentry *parent;

	spin_lock(&rename_lock);
	parent = dentry->d_parent;
	spin_lock(&parent->d_lock);
	list_del_init(&dentry->d_child);
	spin_unlock(&parent->d_lock);
	spin_unlock(&rename_lock);
}

/* The file has been unlinked. The directory's i_rwsem is held. */
void d_delete(struct dentry *dentry)
{
	d_drop(dentry);
}

/* Nothing may be mounted there any more. */
void dont_mount(struct dentry *dentry)
{
	spin_lock(&dentry->d_lock);
	dentry->d_flags |= DCACHE_CANT_MOUNT;
	spin_unlock(&dentry->d_lock);
}

static void swap_names(struct dentry *a, struct dentry *b)
{
	struct { char text[DNAME_INLINE_LEN]; } text;

	memcpy(&text, a->d_iname, DNAME_INLINE_LEN);
	memcpy(a->d_iname, b->d_iname, DNAME_INLINE_LEN);
	memcpy(b->d_iname, &text, DNAME_INLINE_LEN);
	swap(a->d_name, b->d_name);
	if (a->d_name.name == b->d_iname)
		a->d_name.name = a->d_iname;
	if (b->d_name.name == a->d_iname)
		b->d_name.name = b->d_iname;
}

/*
 * Gives @dentry the place of @target, which becomes unhashed. The i_rwsem of
 * both directories is held.
 */
void d_move(struct dentry *dentry, struct dentry *target)
{
	struct dentry *from = dentry->d_parent, *to = target->d_parent;

	spin_lock(&rename_lock);
	spin_lock(&from->d_lock);
	if (to != from)
		spin_lock(&to->d_lock);

	list_del_init(&dentry->d_child);
	list_del_init(&target->d_child);
	swap_names(dentry, target);
	/* Each keeps one reference on its parent: they are swapped, too. */
	dentry->d_parent = to;
	target->d_parent = from;
	__d_rehash(dentry, to);

	if (to != from)
		spin_unlock(&to->d_lock);
	spin_unlock(&from->d_lock);
	spin_unlock(&rename_lock);
}

/*
 * The child of that name, with a reference, or NULL: then it is not known.
 * Takes the parent's d_lock; does not sleep.
 */
struct dentry *__d_lookup(struct dentry *parent, const struct qstr *name)
{
	struct dentry *dentry, *found = NULL;

	spin_lock(&parent->d_lock);
	list_for_each_entry(dentry, &parent->d_subdirs, d_child) {
		if (dentry->d_name.hash == name->hash &&
		    dentry->d_name.len == name->len &&
		    !memcmp(dentry->d_name.name, name->name, name->len)) {
			found = dget(dentry);
			break;
		}
	}
	spin_unlock(&parent->d_lock);
	return found;
}

/* The same under the directory's i_rwsem, where the answer lasts. */
struct dentry *d_lookup(struct dentry *parent, const struct qstr *name)
{
	return __d_lookup(parent, name);
}

/* By a name that is not hashed yet. */
struct dentry *d_hash_and_lookup(struct dentry *dir, const char *name)
{
	struct qstr q = QSTR(name);

	return d_lookup(dir, &q);
}

struct dentry *dget_parent(struct dentry *dentry)
{
	struct dentry *parent;

	spin_lock(&rename_lock);
	parent = dget(dentry->d_parent);
	spin_unlock(&rename_lock);
	return parent;
}

/* Whether @dentry is @ancestor or below it. */
bool is_subdir(struct dentry *dentry, struct dentry *ancestor)
{
	spin_lock(&rename_lock);
	while (dentry != ancestor && !IS_ROOT(dentry))
		dentry = dentry->d_parent;
	spin_unlock(&rename_lock);
	return dentry == ancestor;
}

static void dentry_free(struct dentry *dentry)
{
	if (dentry->d_name.name != dentry->d_iname)
		kfree(dentry->d_name.name);
	kmem_cache_free(dentry_cache, dentry);
}

/* With no spinlock held: it may be the inode's last reference. May sleep. */
static void dentry_unlink_inode(struct dentry *dentry)
{
	struct inode *inode = dentry->d_inode;

	dentry->d_inode = NULL;
	if (dentry->d_op && dentry->d_op->d_iput)
		dentry->d_op->d_iput(dentry, inode);
	else
		iput(inode);
}

/*
 * Ends a dentry that nobody can find any more: dentry_detach() took it out of
 * the tree. With no spinlock held; may sleep. Returns the parent, whose
 * reference is the caller's to drop.
 */
struct dentry *__dentry_kill(struct dentry *dentry)
{
	struct dentry *parent = IS_ROOT(dentry) ? NULL : dentry->d_parent;

	if (dentry->d_inode)
		dentry_unlink_inode(dentry);
	if (dentry->d_op && dentry->d_op->d_release)
		dentry->d_op->d_release(dentry);
	dentry_free(dentry);
	return parent;
}

void d_lru_add(struct dentry *dentry)
{
	struct super_block *sb = dentry->d_sb;

	spin_lock(&dcache_lru_lock);
	if (list_empty(&dentry->d_lru))
		sb->s_nr_dentry_unused++;
	list_move_tail(&dentry->d_lru, &sb->s_dentry_lru);
	spin_unlock(&dcache_lru_lock);
}

static inline void d_lru_del(struct dentry *dentry)
{
	spin_lock(&dcache_lru_lock);
	if (!list_empty(&dentry->d_lru)) {
		list_del_init(&dentry->d_lru);
		dentry->d_sb->s_nr_dentry_unused--;
	}
	spin_unlock(&dcache_lru_lock);
}

/*
 * Takes a dentry whose count is zero out of the tree, with rename_lock and its
 * parent's d_lock held.
 */
void dentry_detach(struct dentry *dentry)
{
	list_del_init(&dentry->d_child);
	if (!list_empty(&dentry->d_lru))
		d_lru_del(dentry);
}

/* The one of @sb that has been unused for longest, or used again since. */
struct dentry *d_lru_oldest(struct super_block *sb)
{
	struct dentry *dentry;

	spin_lock(&dcache_lru_lock);
	dentry = list_first_entry_or_null(&sb->s_dentry_lru, struct dentry,
					  d_lru);
	if (dentry) {
		list_del_init(&dentry->d_lru);
		sb->s_nr_dentry_unused--;
	}
	spin_unlock(&dcache_lru_lock);
	return dentry;
}

/* Whether to keep a dentry whose count has become zero. */
static inline bool retain_dentry(const struct dentry *dentry)
{
	if (d_unhashed(dentry) || !(dentry->d_sb->s_flags & SB_ACTIVE))
		return false;
	return !dentry->d_op || !dentry->d_op->d_delete ||
	       !dentry->d_op->d_delete(dentry);
}

/*
 * Drops what may be the last reference; returns the parent to be dropped. With
 * no spinlock held; may sleep.
 */
static struct dentry *dentry_kill(struct dentry *dentry)
{
	struct super_block *sb = dentry->d_sb;
	struct dentry *parent;
	bool last, kill = false, prune = false;

	spin_lock(&rename_lock);
	parent = dentry->d_parent;
	spin_lock(&parent->d_lock);
	last = atomic_dec_and_test(&dentry->d_count);
	if (last && retain_dentry(dentry)) {
		d_lru_add(dentry);
		prune = READ_ONCE(sb->s_nr_dentry_unused) > DENTRY_UNUSED_MAX;
	} else if (last) {
		dentry_detach(dentry);
		kill = true;
	}
	spin_unlock(&parent->d_lock);
	spin_unlock(&rename_lock);

	if (prune)
		prune_dcache_sb(sb, DENTRY_PRUNE_BATCH);
	return kill ? __dentry_kill(dentry) : NULL;
}

/* Drops a reference if it is not the last. */
static inline bool fast_dput(struct dentry *dentry)
{
	int count = atomic_read(&dentry->d_count);

	while (count > 1) {
		int seen = atomic_cmpxchg(&dentry->d_count, count, count - 1);

		if (seen == count)
			return true;
		count = seen;
	}
	return false;
}

/*
 * With no spinlock held: the last reference may take the dentry, its inode and
 * its parents with it. May sleep.
 */
void dput(struct dentry *dentry)
{
	while (dentry && !fast_dput(dentry))
		dentry = dentry_kill(dentry);
}

void dcache_init(void)
{
	dentry_cache = KMEM_CACHE(dentry, SLAB_PANIC);
}
