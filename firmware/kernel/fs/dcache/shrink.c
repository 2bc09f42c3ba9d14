/* SPDX-License-Identifier: GPL-2.0-only */
/* Letting go of dentries that nobody uses: the oldest, or whole trees. */
#include <linux/dcache.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/sched.h>

#include "../mount/mount.h"
#include "internal.h"

/*
 * Ends what has been collected; @dispose links them by d_child. With no
 * spinlock held; may sleep.
 */
static long shrink_dentry_list(struct list_head *dispose)
{
	long freed = 0;

	while (!list_empty(dispose)) {
		struct dentry *dentry = list_first_entry(dispose, struct dentry,
							 d_child);

		list_del_init(&dentry->d_child);
		dput(__dentry_kill(dentry));
		freed++;
	}
	return freed;
}

/*
 * Who frees memory should not wait for a disk first: an inode that is still to
 * be written keeps its dentry for now.
 */
static bool must_be_written(struct dentry *dentry)
{
	struct inode *inode = d_inode(dentry);

	return current->flags & PF_MEMALLOC && inode &&
	       READ_ONCE(inode->i_state) & I_DIRTY;
}

/*
 * Of up to @nr dentries, unused for longest, frees those that still are. With
 * no spinlock held; may sleep. The file system stays: s_umount is held, or a
 * reference.
 */
long prune_dcache_sb(struct super_block *sb, long nr)
{
	struct dentry *dentry, *parent;
	LIST_HEAD(dispose);

	spin_lock(&rename_lock);
	for (; nr > 0 && (dentry = d_lru_oldest(sb)); nr--) {
		parent = dentry->d_parent;
		spin_lock(&parent->d_lock);
		if (atomic_read(&dentry->d_count)) {
			;	/* it comes back when that ends */
		} else if (must_be_written(dentry)) {
			d_lru_add(dentry);
		} else {
			dentry_detach(dentry);
			list_add_tail(&dentry->d_child, &dispose);
		}
		spin_unlock(&parent->d_lock);
	}
	spin_unlock(&rename_lock);
	return shrink_dentry_list(&dispose);
}

/* All that are unused, and all that this makes unused. */
void shrink_dcache_sb(struct super_block *sb)
{
	while (prune_dcache_sb(sb, LONG_MAX))
		;
}

/* The first child of @dir, or the one after @child; rename_lock is held. */
static struct dentry *next_child(struct dentry *dir, struct dentry *child)
{
	struct list_head *next = child ? child->d_child.next :
					 dir->d_subdirs.next;

	return next == &dir->d_subdirs ? NULL :
	       list_entry(next, struct dentry, d_child);
}

/*
 * Calls @visit for everything below @top, children first, with rename_lock
 * held. A visit may take the dentry out of the tree.
 */
static void d_walk(struct dentry *top, void *data,
		   void (*visit)(void *data, struct dentry *dentry))
{
	struct dentry *dir = top, *child, *next, *leaf;

	spin_lock(&rename_lock);
	spin_lock(&dir->d_lock);
	child = next_child(dir, NULL);
	for (;;) {
		if (child) {
			spin_unlock(&dir->d_lock);
			dir = child;
			spin_lock(&dir->d_lock);
			child = next_child(dir, NULL);
			continue;
		}
		leaf = dir;
		spin_unlock(&leaf->d_lock);
		if (leaf == top)
			break;
		dir = leaf->d_parent;
		spin_lock(&dir->d_lock);
		next = next_child(dir, leaf);
		visit(data, leaf);
		child = next;
	}
	spin_unlock(&rename_lock);
}

static void select_collect(void *data, struct dentry *dentry)
{
	if (atomic_read(&dentry->d_count))
		return;
	dentry_detach(dentry);
	list_add_tail(&dentry->d_child, (struct list_head *)data);
}

/*
 * Everything unused below @parent. What is freed lets its directory go in the
 * next round.
 */
void shrink_dcache_parent(struct dentry *parent)
{
	LIST_HEAD(dispose);

	do {
		d_walk(parent, &dispose, select_collect);
	} while (shrink_dentry_list(&dispose));
}

static void genocide_one(void *data, struct dentry *dentry)
{
	if (d_is_positive(dentry))
		atomic_dec(&dentry->d_count);
}

/* Takes the reference from every file that is pinned by existing. */
void d_genocide(struct dentry *root)
{
	d_walk(root, NULL, genocide_one);
}

static void umount_check(void *data, struct dentry *dentry)
{
	pr_warn("BUG: dentry %s still in use (%d) [unmount of %s]\n",
		dentry->d_name.name, atomic_read(&dentry->d_count),
		dentry->d_sb->s_type->name);
}

/* The file system goes: nobody uses anything in it. */
void shrink_dcache_for_umount(struct super_block *sb)
{
	struct dentry *root = sb->s_root;

	sb->s_root = NULL;
	shrink_dcache_parent(root);
	d_walk(root, NULL, umount_check);
	/* Not to be kept: nobody would ever let go of it. */
	sb->s_flags &= ~SB_ACTIVE;
	dput(root);
}

struct find_mounted {
	struct dentry *found;
};

static void find_submount(void *data, struct dentry *dentry)
{
	struct find_mounted *f = data;

	if (!f->found && d_mountpoint(dentry))
		f->found = dget(dentry);
}

/*
 * Revalidation says that the name means something else by now: it is
 * forgotten, with all below it and whatever is mounted there.
 */
void d_invalidate(struct dentry *dentry)
{
	if (d_unhashed(dentry))
		return;
	d_drop(dentry);
	if (d_is_negative(dentry))
		return;
	shrink_dcache_parent(dentry);
	for (;;) {
		struct find_mounted f = { NULL };

		d_walk(dentry, &f, find_submount);
		if (!f.found)
			break;
		detach_mounts(f.found);
		dput(f.found);
	}
	detach_mounts(dentry);
}
