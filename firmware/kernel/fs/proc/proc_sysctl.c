/* SPDX-License-Identifier: GPL-2.0-only */
/* /proc/sys: directories of variables, each with a handler. */
#include <linux/dirent.h>
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/sysctl.h>
#include <linux/uio.h>

#include "internal.h"

/* A name in a directory: a variable's, or a subdirectory's. */
struct ctl_node {
	struct list_head	list;
	const char		*name;
	unsigned int		len;
	unsigned int		ino;
	struct ctl_table	*entry;		/* NULL: a directory */
	struct ctl_dir		*dir;
	struct ctl_table_header	*header;
};

/* Directories stay once they are made. */
struct ctl_dir {
	struct list_head	nodes;		/* in order of name */
	struct ctl_node		node;		/* in its parent */
	char			name[];
};

/* What was registered by one call; freed with the last inode of it. */
struct ctl_table_header {
	refcount_t		refcnt;
	int			used;		/* calls of its handlers */
	bool			gone;
	unsigned int		nr_nodes;
	struct ctl_node		nodes[];
};

static struct ctl_dir sysctl_root = { .nodes = LIST_HEAD_INIT(sysctl_root.nodes) };

/* Protects directories and what headers count. */
static DEFINE_SPINLOCK(sysctl_lock);
static DECLARE_WAIT_QUEUE_HEAD(sysctl_unused);

static const struct file_operations proc_sys_file_operations;
static const struct file_operations proc_sys_dir_file_operations;
static const struct inode_operations proc_sys_inode_operations;
static const struct inode_operations proc_sys_dir_operations;

void sysctl_head_put(struct ctl_table_header *header)
{
	if (refcount_dec_and_test(&header->refcnt))
		kfree(header);
}

/* Whether a handler may be called; sysctl_head_finish() ends that. */
static bool sysctl_head_grab(struct ctl_table_header *header)
{
	bool ok;

	spin_lock(&sysctl_lock);
	ok = !header->gone;
	header->used += ok;
	spin_unlock(&sysctl_lock);
	return ok;
}

static void sysctl_head_finish(struct ctl_table_header *header)
{
	bool last;

	spin_lock(&sysctl_lock);
	last = !--header->used && header->gone;
	spin_unlock(&sysctl_lock);
	if (last)
		wake_up_all(&sysctl_unused);
}

static int namecmp(const char *a, unsigned int a_len, const char *b,
		   unsigned int b_len)
{
	int order = memcmp(a, b, min(a_len, b_len));

	return order ? order : (int)a_len - (int)b_len;
}

/* With sysctl_lock held. */
static struct ctl_node *find_entry(struct ctl_dir *dir, const char *name,
				   unsigned int len)
{
	struct ctl_node *node;

	list_for_each_entry(node, &dir->nodes, list)
		if (!namecmp(name, len, node->name, node->len))
			return node;
	return NULL;
}

/* -EEXIST if there is one of that name; sysctl_lock is held. */
static int insert_entry(struct ctl_dir *dir, struct ctl_node *new)
{
	struct ctl_node *node;
	int order;

	list_for_each_entry(node, &dir->nodes, list) {
		order = namecmp(new->name, new->len, node->name, node->len);
		if (!order)
			return -EEXIST;
		if (order < 0)
			break;
	}
	new->ino = get_next_ino();
	list_add_tail(&new->list, &node->list);
	return 0;
}

static struct ctl_dir *new_dir(const char *name, unsigned int len)
{
	struct ctl_dir *dir = kzalloc(sizeof(*dir) + len + 1, GFP_KERNEL);

	if (!dir)
		return NULL;
	memcpy(dir->name, name, len);
	INIT_LIST_HEAD(&dir->nodes);
	dir->node.name = dir->name;
	dir->node.len = len;
	dir->node.dir = dir;
	return dir;
}

/* The subdirectory of that name, made if there is none. */
static struct ctl_dir *get_subdir(struct ctl_dir *dir, const char *name,
				  unsigned int len)
{
	struct ctl_dir *new = new_dir(name, len), *subdir;
	struct ctl_node *node;

	if (!new)
		return ERR_PTR(-ENOMEM);
	spin_lock(&sysctl_lock);
	node = find_entry(dir, name, len);
	if (!node)
		insert_entry(dir, &new->node);
	subdir = node ? node->dir : new;
	spin_unlock(&sysctl_lock);
	if (subdir != new)
		kfree(new);
	return subdir ? subdir : ERR_PTR(-EROFS);
}

static struct ctl_dir *sysctl_mkdir_p(const char *path)
{
	struct ctl_dir *dir = &sysctl_root;
	const char *end;

	for (; *path && !IS_ERR(dir); path = *end ? end + 1 : end) {
		for (end = path; *end && *end != '/'; end++)
			;
		if (end != path)
			dir = get_subdir(dir, path, end - path);
	}
	return dir;
}

static void erase_header(struct ctl_table_header *header, unsigned int n)
{
	while (n--)
		list_del_init(&header->nodes[n].list);
}

/* All of the table's names, or none. */
static int insert_header(struct ctl_dir *dir, struct ctl_table_header *header)
{
	unsigned int i;
	int err = 0;

	spin_lock(&sysctl_lock);
	for (i = 0; i < header->nr_nodes; i++) {
		err = insert_entry(dir, &header->nodes[i]);
		if (err)
			break;
	}
	if (err)
		erase_header(header, i);
	spin_unlock(&sysctl_lock);
	return err;
}

struct ctl_table_header *register_sysctl(const char *path,
					 struct ctl_table *table)
{
	struct ctl_table_header *header;
	struct ctl_dir *dir;
	unsigned int n = 0;

	while (table[n].procname)
		n++;
	header = kzalloc(sizeof(*header) + n * sizeof(*header->nodes),
			 GFP_KERNEL);
	if (!header)
		return NULL;
	refcount_set(&header->refcnt, 1);
	header->nr_nodes = n;
	for (unsigned int i = 0; i < n; i++)
		header->nodes[i] = (struct ctl_node){
			.name	= table[i].procname,
			.len	= strlen(table[i].procname),
			.entry	= &table[i],
			.header	= header,
		};
	dir = sysctl_mkdir_p(path);
	if (IS_ERR(dir) || insert_header(dir, header)) {
		pr_warn("sysctl: cannot register %s\n", path);
		kfree(header);
		return NULL;
	}
	return header;
}

void register_sysctl_init(const char *path, struct ctl_table *table)
{
	if (!register_sysctl(path, table))
		panic("sysctl: cannot register %s", path);
}

static bool sysctl_is_unused(struct ctl_table_header *header)
{
	bool unused;

	spin_lock(&sysctl_lock);
	unused = !header->used;
	spin_unlock(&sysctl_lock);
	return unused;
}

void unregister_sysctl_table(struct ctl_table_header *header)
{
	if (!header)
		return;
	spin_lock(&sysctl_lock);
	erase_header(header, header->nr_nodes);
	header->gone = true;
	spin_unlock(&sysctl_lock);
	wait_event(sysctl_unused, sysctl_is_unused(header));
	sysctl_head_put(header);
}

/* An inode of a directory or, with a reference to its header, a variable. */
static struct inode *proc_sys_make_inode(struct super_block *sb,
					 const struct ctl_node *node)
{
	struct inode *inode = new_inode(sb);

	if (!inode) {
		if (node->header)
			sysctl_head_put(node->header);
		return ERR_PTR(-ENOMEM);
	}
	inode->i_ino = node->ino;
	if (node->entry) {
		PROC_I(inode)->sysctl = node->header;
		PROC_I(inode)->sysctl_entry = node->entry;
		inode->i_mode = S_IFREG | node->entry->mode;
		inode->i_op = &proc_sys_inode_operations;
		inode->i_fop = &proc_sys_file_operations;
	} else {
		inode->i_private = node->dir;
		inode->i_mode = S_IFDIR | S_IRUGO | S_IXUGO;
		inode->i_op = &proc_sys_dir_operations;
		inode->i_fop = &proc_sys_dir_file_operations;
	}
	return inode;
}

static inline struct ctl_dir *dir_of(const struct inode *inode)
{
	return inode->i_private ? inode->i_private : &sysctl_root;
}

static int proc_sys_revalidate(struct dentry *dentry, unsigned int flags)
{
	struct ctl_table_header *header = PROC_I(d_inode(dentry))->sysctl;

	return !header || !READ_ONCE(header->gone);
}

static int proc_sys_delete(const struct dentry *dentry)
{
	struct ctl_table_header *header = PROC_I(d_inode(dentry))->sysctl;

	return header && READ_ONCE(header->gone);
}

static const struct dentry_operations proc_sys_dentry_operations = {
	.d_revalidate	= proc_sys_revalidate,
	.d_delete	= proc_sys_delete,
};

static struct dentry *proc_sys_lookup(struct inode *dir, struct dentry *dentry,
				      unsigned int flags)
{
	struct ctl_node *node, found;
	struct inode *inode;

	spin_lock(&sysctl_lock);
	node = find_entry(dir_of(dir), dentry->d_name.name,
			  dentry->d_name.len);
	if (node) {
		found = *node;
		if (found.header)
			refcount_inc(&found.header->refcnt);
	}
	spin_unlock(&sysctl_lock);
	if (!node)
		return ERR_PTR(-ENOENT);
	inode = proc_sys_make_inode(dir->i_sb, &found);
	if (!IS_ERR(inode))
		d_set_d_op(dentry, &proc_sys_dentry_operations);
	return d_splice_alias(inode, dentry);
}

/* The place of a name among the others may change: it is found again. */
static int proc_sys_readdir(struct file *file, struct dir_context *ctx)
{
	struct ctl_dir *dir = dir_of(file_inode(file));
	struct ctl_node *node;
	char name[64];

	if (!dir_emit_dots(file, ctx))
		return 0;
	for (;;) {
		loff_t i = ctx->pos - 2;
		unsigned int ino, type;

		spin_lock(&sysctl_lock);
		list_for_each_entry(node, &dir->nodes, list)
			if (!i--)
				break;
		if (&node->list == &dir->nodes) {
			spin_unlock(&sysctl_lock);
			return 0;
		}
		strscpy(name, node->name, sizeof(name));
		ino = node->ino;
		type = fs_umode_to_dtype(node->entry ? S_IFREG : S_IFDIR);
		spin_unlock(&sysctl_lock);

		if (!dir_emit(ctx, name, strlen(name), ino, type))
			return 0;
		ctx->pos++;
	}
}

/* A text is a page at most. */
static ssize_t proc_sys_call_handler(struct kiocb *iocb, struct iov_iter *iter,
				     int write)
{
	struct proc_inode *ei = PROC_I(file_inode(iocb->ki_filp));
	struct ctl_table *table = (struct ctl_table *)ei->sysctl_entry;
	size_t count = iov_iter_count(iter);
	char *buf;
	ssize_t err;

	if (!sysctl_head_grab(ei->sysctl))
		return -ENOENT;
	err = -EINVAL;
	if (!table->proc_handler)
		goto out;
	err = -ENOMEM;
	if (write && count >= KMALLOC_MAX_SIZE)
		goto out;
	if (!write)
		count = min(count, PAGE_SIZE);
	buf = kzalloc(count + 1, GFP_KERNEL);
	if (!buf)
		goto out;
	err = -EFAULT;
	if (write && copy_from_iter(buf, count, iter) < count)
		goto free;
	err = table->proc_handler(table, write, buf, &count, &iocb->ki_pos);
	if (err)
		goto free;
	err = count;
	if (!write && copy_to_iter(buf, count, iter) < count)
		err = -EFAULT;
free:
	kfree(buf);
out:
	sysctl_head_finish(ei->sysctl);
	return err;
}

static ssize_t proc_sys_read(struct kiocb *iocb, struct iov_iter *iter)
{
	return proc_sys_call_handler(iocb, iter, 0);
}

static ssize_t proc_sys_write(struct kiocb *iocb, struct iov_iter *iter)
{
	return proc_sys_call_handler(iocb, iter, 1);
}

/* Root may do everything but what nobody may. */
static int proc_sys_permission(struct inode *inode, int mask)
{
	if ((mask & MAY_EXEC) && S_ISREG(inode->i_mode))
		return -EACCES;
	if ((mask & MAY_WRITE) && !(inode->i_mode & S_IWUGO))
		return S_ISDIR(inode->i_mode) ? 0 : -EACCES;
	return 0;
}

static int proc_sys_setattr(struct dentry *dentry, struct iattr *attr)
{
	if (attr->ia_valid & (ATTR_MODE | ATTR_UID | ATTR_GID))
		return -EPERM;
	return 0;
}

static const struct file_operations proc_sys_file_operations = {
	.read_iter	= proc_sys_read,
	.write_iter	= proc_sys_write,
	.splice_write	= iter_file_splice_write,
	.splice_read	= generic_file_splice_read,
	.llseek		= generic_file_llseek,
};

static const struct file_operations proc_sys_dir_file_operations = {
	.read		= generic_read_dir,
	.iterate_shared	= proc_sys_readdir,
	.llseek		= generic_file_llseek,
};

static const struct inode_operations proc_sys_inode_operations = {
	.permission	= proc_sys_permission,
	.setattr	= proc_sys_setattr,
};

static const struct inode_operations proc_sys_dir_operations = {
	.lookup		= proc_sys_lookup,
	.permission	= proc_sys_permission,
	.setattr	= proc_sys_setattr,
};

void __init proc_sys_init(void)
{
	proc_register_dir("sys", &proc_sys_dir_operations,
			  &proc_sys_dir_file_operations);
}
