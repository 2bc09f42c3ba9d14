/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The dentry cache: the tree of names.
 *
 * A parent's d_lock protects the list of its hashed children, their names, and
 * the step of a child's d_count from one to zero: a lookup takes its reference
 * under that lock, so a child at zero can be freed. rename_lock (taken first)
 * protects d_parent; whoever follows d_parent without holding both ends takes
 * it. Only its holder takes two d_locks.
 */
#include <linux/dcache.h>
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>

static DEFINE_SPINLOCK(rename_lock);
static struct kmem_cache *dentry_cache;

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

	atomic_set(&dentry->d_count, 1);
	spin_lock_init(&dentry->d_lock);
	dentry->d_parent = dentry;
	dentry->d_name = *name;
	dentry->d_name.name = text;
	dentry->d_inode = NULL;
	dentry->d_sb = sb;
	INIT_LIST_HEAD(&dentry->d_subdirs);
	INIT_LIST_HEAD(&dentry->d_child);
	dentry->d_offset = 0;
	dentry->d_next_offset = 0;
	return dentry;
}

/* A negative dentry with one reference, not yet to be found by lookups. */
struct dentry *d_alloc(struct dentry *parent, const struct qstr *name)
{
	struct dentry *dentry = __d_alloc(parent->d_sb, name);

	if (dentry)
		dentry->d_parent = dget(parent);
	return dentry;
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
	struct dentry *dentry = __d_alloc(root->i_sb, &name);

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

/*
 * Hides it from lookups: the file has been unlinked. Who still uses it keeps
 * the dentry. The directory's i_rwsem is held.
 */
void d_delete(struct dentry *dentry)
{
	struct dentry *parent = dentry->d_parent;

	spin_lock(&parent->d_lock);
	list_del_init(&dentry->d_child);
	spin_unlock(&parent->d_lock);
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

/* The child of that name, with a reference, or NULL: then it is not known. */
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

/* Nobody can find it any more. */
static void __dentry_kill(struct dentry *dentry)
{
	if (dentry->d_inode)
		iput(dentry->d_inode);
	dentry_free(dentry);
}

/* Drops what may be the last reference; returns the parent to be dropped. */
static struct dentry *dentry_kill(struct dentry *dentry)
{
	struct dentry *parent;
	bool last;

	spin_lock(&rename_lock);
	parent = dentry->d_parent;
	spin_lock(&parent->d_lock);
	last = atomic_dec_and_test(&dentry->d_count);
	if (last)
		list_del_init(&dentry->d_child);
	spin_unlock(&parent->d_lock);
	spin_unlock(&rename_lock);

	if (!last)
		return NULL;
	if (parent == dentry)
		parent = NULL;
	__dentry_kill(dentry);
	return parent;
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
 * Nothing is kept for later: what exists in a ramfs is pinned, and remembering
 * that a name does not exist costs more than asking again.
 */
void dput(struct dentry *dentry)
{
	while (dentry && !fast_dput(dentry))
		dentry = dentry_kill(dentry);
}

void path_get(const struct path *path)
{
	dget(path->dentry);
}

void path_put(const struct path *path)
{
	dput(path->dentry);
}

/* Puts @len bytes before @end if they fit above @buf. */
static inline char *prepend(char *end, const char *buf, const char *text,
			    int len)
{
	if (end - buf < len)
		return NULL;
	return memcpy(end - len, text, len);
}

/*
 * Writes the path from @root at the end of @buf and returns where it starts.
 * -ENAMETOOLONG, or -ENOENT if the path is not below @root any more.
 */
char *d_absolute_path(const struct path *path, const struct path *root,
		      char *buf, int buflen)
{
	struct dentry *dentry = path->dentry;
	char *end = buf + buflen, *start = prepend(end, buf, "", 1);
	int err = 0;

	spin_lock(&rename_lock);
	while (start && dentry != root->dentry) {
		struct dentry *parent = dentry->d_parent;

		if (parent == dentry || d_unhashed(dentry)) {
			err = -ENOENT;
			break;
		}
		start = prepend(start, buf, dentry->d_name.name,
				dentry->d_name.len);
		if (start)
			start = prepend(start, buf, "/", 1);
		dentry = parent;
	}
	if (start && start == end - 1)
		start = prepend(start, buf, "/", 1);
	spin_unlock(&rename_lock);

	if (err)
		return ERR_PTR(err);
	return start ? start : ERR_PTR(-ENAMETOOLONG);
}

void dcache_init(void)
{
	dentry_cache = KMEM_CACHE(dentry, SLAB_PANIC);
}
