/* SPDX-License-Identifier: GPL-2.0-only */
/* The tree of entries: finding, listing, making and removing them. */
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "internal.h"

#define PROC_DYNAMIC_FIRST	0xF0000000u

/* in_use once the entry is removed: no call can begin. */
#define PDE_GONE	INT_MIN

static DEFINE_SPINLOCK(proc_subdir_lock);
static DECLARE_WAIT_QUEUE_HEAD(pde_unused);

struct proc_dir_entry *pde_get(struct proc_dir_entry *de)
{
	refcount_inc(&de->refcnt);
	return de;
}

void pde_put(struct proc_dir_entry *de)
{
	if (refcount_dec_and_test(&de->refcnt)) {
		kfree(de->link);
		kfree(de);
	}
}

bool pde_is_gone(const struct proc_dir_entry *de)
{
	return atomic_read(&de->in_use) < 0;
}

/* Whether a call into what made the entry may begin; unuse_pde() ends it. */
bool use_pde(struct proc_dir_entry *de)
{
	int count = atomic_read(&de->in_use);

	while (count >= 0) {
		int seen = atomic_cmpxchg(&de->in_use, count, count + 1);

		if (seen == count)
			return true;
		count = seen;
	}
	return false;
}

void unuse_pde(struct proc_dir_entry *de)
{
	if (atomic_dec_return(&de->in_use) == PDE_GONE)
		wake_up_all(&pde_unused);
}

static int proc_match(const struct proc_dir_entry *de, const char *name,
		      unsigned int len)
{
	if (len != de->namelen)
		return len < de->namelen ? -1 : 1;
	return memcmp(name, de->name, len);
}

/* With the lock held. */
static struct proc_dir_entry *pde_subdir_find(struct proc_dir_entry *dir,
					      const char *name,
					      unsigned int len)
{
	struct proc_dir_entry *de;

	list_for_each_entry(de, &dir->subdir, subdir_node)
		if (!proc_match(de, name, len))
			return de;
	return NULL;
}

static int proc_misc_d_revalidate(struct dentry *dentry, unsigned int flags)
{
	return !pde_is_gone(PDE(d_inode(dentry)));
}

static int proc_misc_d_delete(const struct dentry *dentry)
{
	return pde_is_gone(PDE(d_inode(dentry)));
}

static const struct dentry_operations proc_misc_dentry_ops = {
	.d_revalidate	= proc_misc_d_revalidate,
	.d_delete	= proc_misc_d_delete,
};

struct dentry *proc_lookup_de(struct inode *dir, struct dentry *dentry,
			      struct proc_dir_entry *de)
{
	struct inode *inode;

	spin_lock(&proc_subdir_lock);
	de = pde_subdir_find(de, dentry->d_name.name, dentry->d_name.len);
	if (de)
		pde_get(de);
	spin_unlock(&proc_subdir_lock);
	if (!de)
		return ERR_PTR(-ENOENT);
	inode = proc_get_inode(dir->i_sb, de);
	if (!inode)
		return ERR_PTR(-ENOMEM);
	d_set_d_op(dentry, &proc_misc_dentry_ops);
	return d_splice_alias(inode, dentry);
}

struct dentry *proc_lookup(struct inode *dir, struct dentry *dentry,
			   unsigned int flags)
{
	return proc_lookup_de(dir, dentry, PDE(dir));
}

int proc_readdir_de(struct file *file, struct dir_context *ctx,
		    struct proc_dir_entry *dir)
{
	struct proc_dir_entry *de, *next;
	loff_t i = ctx->pos - 2;
	bool go_on;

	if (!dir_emit_dots(file, ctx))
		return 0;
	i = ctx->pos - 2;
	spin_lock(&proc_subdir_lock);
	list_for_each_entry(de, &dir->subdir, subdir_node)
		if (i-- <= 0)
			break;
	while (&de->subdir_node != &dir->subdir) {
		pde_get(de);
		spin_unlock(&proc_subdir_lock);
		go_on = dir_emit(ctx, de->name, de->namelen, de->low_ino,
				 fs_umode_to_dtype(de->mode));
		ctx->pos += go_on;
		spin_lock(&proc_subdir_lock);
		/* Removed meanwhile: its place is lost. */
		next = list_empty(&de->subdir_node) ? NULL :
		       list_next_entry(de, subdir_node);
		pde_put(de);
		if (!go_on || !next) {
			spin_unlock(&proc_subdir_lock);
			return 0;
		}
		de = next;
	}
	spin_unlock(&proc_subdir_lock);
	return 1;
}

int proc_readdir(struct file *file, struct dir_context *ctx)
{
	return proc_readdir_de(file, ctx, PDE(file_inode(file)));
}

const struct file_operations proc_dir_operations = {
	.llseek		= generic_file_llseek,
	.read		= generic_read_dir,
	.iterate_shared	= proc_readdir,
};

const struct inode_operations proc_dir_inode_operations = {
	.lookup		= proc_lookup,
};

static unsigned int proc_alloc_inum(void)
{
	static atomic_t last;

	return PROC_DYNAMIC_FIRST + (unsigned int)atomic_add_return(1, &last);
}

/* @name may begin with directories that exist. */
static struct proc_dir_entry *proc_find_parent(const char **name,
					       struct proc_dir_entry *parent)
{
	const char *slash;

	if (!parent)
		parent = &proc_root;
	spin_lock(&proc_subdir_lock);
	while (parent && (slash = strchr(*name, '/'))) {
		parent = pde_subdir_find(parent, *name, slash - *name);
		*name = slash + 1;
	}
	spin_unlock(&proc_subdir_lock);
	return parent;
}

/* In its place among its siblings; false if there is one of that name. */
static bool pde_subdir_insert(struct proc_dir_entry *dir,
			      struct proc_dir_entry *new)
{
	struct proc_dir_entry *de;
	int order = -1;

	spin_lock(&proc_subdir_lock);
	list_for_each_entry(de, &dir->subdir, subdir_node) {
		order = proc_match(de, new->name, new->namelen);
		if (order <= 0)
			break;
	}
	if (order || list_empty(&dir->subdir)) {
		list_add_tail(&new->subdir_node, &de->subdir_node);
		new->parent = dir;
		if (S_ISDIR(new->mode))
			dir->nlink++;
	}
	spin_unlock(&proc_subdir_lock);
	return !list_empty(&new->subdir_node);
}

static struct proc_dir_entry *proc_new(const char *name, umode_t mode)
{
	size_t len = strlen(name);
	struct proc_dir_entry *de = kzalloc(sizeof(*de) + len + 1, GFP_KERNEL);

	if (!de)
		return NULL;
	memcpy(de->name, name, len);
	de->namelen = len;
	de->mode = mode;
	de->nlink = S_ISDIR(mode) ? 2 : 1;
	de->low_ino = proc_alloc_inum();
	refcount_set(&de->refcnt, 1);
	INIT_LIST_HEAD(&de->subdir);
	INIT_LIST_HEAD(&de->subdir_node);
	return de;
}

/* Gives a finished entry its place; NULL if that fails. */
static struct proc_dir_entry *proc_register(const char *name,
					    struct proc_dir_entry *parent,
					    const struct proc_dir_entry *what)
{
	struct proc_dir_entry *de;

	parent = proc_find_parent(&name, parent);
	if (!parent || !*name)
		return NULL;
	de = proc_new(name, what->mode);
	if (!de)
		return NULL;
	de->proc_iops = what->proc_iops;
	de->proc_dir_ops = what->proc_dir_ops;
	de->proc_ops = what->proc_ops;
	de->seq_ops = what->seq_ops;
	de->single_show = what->single_show;
	de->data = what->data;
	de->link = what->link;
	de->size = what->size;
	if (!pde_subdir_insert(parent, de)) {
		WARN_ON(true);
		de->link = NULL;
		pde_put(de);
		return NULL;
	}
	return de;
}

struct proc_dir_entry *proc_mkdir_mode(const char *name, umode_t mode,
				       struct proc_dir_entry *parent)
{
	struct proc_dir_entry what = {
		.mode		= S_IFDIR | (mode ? mode : S_IRUGO | S_IXUGO),
		.proc_iops	= &proc_dir_inode_operations,
		.proc_dir_ops	= &proc_dir_operations,
	};

	return proc_register(name, parent, &what);
}

/* Directories and links of /proc itself that have ways of their own. */
void __init proc_register_dir(const char *name,
			      const struct inode_operations *iops,
			      const struct file_operations *fops)
{
	struct proc_dir_entry what = {
		.mode		= S_IFDIR | S_IRUGO | S_IXUGO,
		.proc_iops	= iops,
		.proc_dir_ops	= fops,
	};

	if (!proc_register(name, NULL, &what))
		panic("/proc/%s: cannot be made", name);
}

void __init proc_register_link(const char *name,
			       const struct inode_operations *iops)
{
	struct proc_dir_entry what = {
		.mode		= S_IFLNK | S_IRWXUGO,
		.proc_iops	= iops,
	};

	if (!proc_register(name, NULL, &what))
		panic("/proc/%s: cannot be made", name);
}

struct proc_dir_entry *proc_mkdir(const char *name,
				  struct proc_dir_entry *parent)
{
	return proc_mkdir_mode(name, 0, parent);
}

struct proc_dir_entry *proc_symlink(const char *name,
				    struct proc_dir_entry *parent,
				    const char *target)
{
	struct proc_dir_entry what = {
		.mode		= S_IFLNK | S_IRWXUGO,
		.proc_iops	= &proc_link_inode_operations,
		.link		= kstrdup(target, GFP_KERNEL),
		.size		= strlen(target),
	}, *de;

	if (!what.link)
		return NULL;
	de = proc_register(name, parent, &what);
	if (!de)
		kfree(what.link);
	return de;
}

static inline umode_t file_mode(umode_t mode)
{
	if (!(mode & S_IALLUGO))
		mode |= S_IRUGO;
	return mode | S_IFREG;
}

struct proc_dir_entry *proc_create_data(const char *name, umode_t mode,
					struct proc_dir_entry *parent,
					const struct proc_ops *ops, void *data)
{
	struct proc_dir_entry what = {
		.mode		= file_mode(mode),
		.proc_ops	= ops,
		.data		= data,
	};

	return proc_register(name, parent, &what);
}

struct proc_dir_entry *proc_create(const char *name, umode_t mode,
				   struct proc_dir_entry *parent,
				   const struct proc_ops *ops)
{
	return proc_create_data(name, mode, parent, ops, NULL);
}

struct proc_dir_entry *
proc_create_seq_data(const char *name, umode_t mode,
		     struct proc_dir_entry *parent,
		     const struct seq_operations *ops, void *data)
{
	struct proc_dir_entry what = {
		.mode		= file_mode(mode),
		.seq_ops	= ops,
		.data		= data,
	};

	return proc_register(name, parent, &what);
}

struct proc_dir_entry *
proc_create_single_data(const char *name, umode_t mode,
			struct proc_dir_entry *parent,
			int (*show)(struct seq_file *, void *), void *data)
{
	struct proc_dir_entry what = {
		.mode		= file_mode(mode),
		.single_show	= show,
		.data		= data,
	};

	return proc_register(name, parent, &what);
}

void *pde_data(const struct inode *inode)
{
	return PDE(inode)->data;
}

/* Takes one without children out of the tree, with the lock held. */
static void pde_erase(struct proc_dir_entry *de)
{
	list_del_init(&de->subdir_node);
	if (S_ISDIR(de->mode))
		de->parent->nlink--;
}

/* Ends the calls that are going on. */
static void proc_entry_rundown(struct proc_dir_entry *de)
{
	atomic_add(PDE_GONE, &de->in_use);
	wait_event(pde_unused, atomic_read(&de->in_use) == PDE_GONE);
	pde_put(de);
}

/* With everything below it. */
void proc_remove(struct proc_dir_entry *root)
{
	struct proc_dir_entry *de;

	if (!root)
		return;
	do {
		spin_lock(&proc_subdir_lock);
		de = root;
		while (!list_empty(&de->subdir))
			de = list_first_entry(&de->subdir,
					      struct proc_dir_entry,
					      subdir_node);
		pde_erase(de);
		spin_unlock(&proc_subdir_lock);
		proc_entry_rundown(de);
	} while (de != root);
}
