/* SPDX-License-Identifier: GPL-2.0-only */
/* Directories that live in the dentry cache only. */
#include <linux/errno.h>
#include <linux/dirent.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/statfs.h>

#include "../internal.h"

const struct inode_operations empty_iops;
const struct address_space_operations empty_aops;

int always_delete_dentry(const struct dentry *dentry)
{
	return 1;
}

/*
 * What exists is pinned, and to remember that a name does not exist costs more
 * than to ask again.
 */
const struct dentry_operations simple_dentry_operations = {
	.d_delete	= always_delete_dentry,
};

/* What is not cached does not exist. */
struct dentry *simple_lookup(struct inode *dir, struct dentry *dentry,
			     unsigned int flags)
{
	if (dentry->d_name.len > NAME_MAX)
		return ERR_PTR(-ENAMETOOLONG);
	if (!dentry->d_sb->s_d_op)
		d_set_d_op(dentry, &simple_dentry_operations);
	d_add(dentry, NULL);
	return NULL;
}

int simple_empty(struct dentry *dentry)
{
	struct dentry *child;
	int empty = 1;

	spin_lock(&dentry->d_lock);
	list_for_each_entry(child, &dentry->d_subdirs, d_child) {
		if (d_is_positive(child)) {
			empty = 0;
			break;
		}
	}
	spin_unlock(&dentry->d_lock);
	return empty;
}

int simple_link(struct dentry *old_dentry, struct inode *dir,
		struct dentry *dentry)
{
	struct inode *inode = d_inode(old_dentry);

	inode->i_ctime = dir->i_ctime = dir->i_mtime = current_time(inode);
	inc_nlink(inode);
	ihold(inode);
	dget(dentry);
	d_instantiate(dentry, inode);
	return 0;
}

/* dput ends the pin that the file's creation set. */
int simple_unlink(struct inode *dir, struct dentry *dentry)
{
	struct inode *inode = d_inode(dentry);

	inode->i_ctime = dir->i_ctime = dir->i_mtime = current_time(inode);
	drop_nlink(inode);
	dput(dentry);
	return 0;
}

int simple_rmdir(struct inode *dir, struct dentry *dentry)
{
	if (!simple_empty(dentry))
		return -ENOTEMPTY;
	drop_nlink(d_inode(dentry));
	simple_unlink(dir, dentry);
	drop_nlink(dir);
	return 0;
}

/* Makes room for the renamed file; vfs_rename then moves the dentry. */
int simple_rename(struct inode *old_dir, struct dentry *old_dentry,
		  struct inode *new_dir, struct dentry *new_dentry,
		  unsigned int flags)
{
	bool is_dir = S_ISDIR(d_inode(old_dentry)->i_mode);
	int err = 0;

	if (d_is_positive(new_dentry))
		err = is_dir ? simple_rmdir(new_dir, new_dentry) :
			       simple_unlink(new_dir, new_dentry);
	if (err)
		return err;
	if (is_dir) {
		drop_nlink(old_dir);
		inc_nlink(new_dir);
	}
	old_dir->i_ctime = old_dir->i_mtime = current_time(old_dir);
	new_dir->i_ctime = new_dir->i_mtime = old_dir->i_ctime;
	d_inode(old_dentry)->i_ctime = old_dir->i_ctime;
	return 0;
}

/* Positions 0 and 1 are "." and ".."; a child's is two after its d_offset. */
#define FIRST_CHILD	2

/* The first file at or after @pos, following @child if that is known. */
static struct dentry *scan_positives(struct dentry *dir, struct dentry *child,
				     loff_t pos)
{
	struct dentry *found = NULL;

	spin_lock(&dir->d_lock);
	child = child ? list_next_entry(child, d_child) :
			list_first_entry(&dir->d_subdirs, struct dentry,
					 d_child);
	for (; &child->d_child != &dir->d_subdirs;
	     child = list_next_entry(child, d_child)) {
		if (d_is_positive(child) &&
		    child->d_offset + FIRST_CHILD >= (u64)pos) {
			found = child;
			break;
		}
	}
	spin_unlock(&dir->d_lock);
	return found;
}

/* "." and "..", at positions 0 and 1. */
bool dir_emit_dots(struct file *file, struct dir_context *ctx)
{
	struct dentry *dir = file->f_path.dentry, *parent;
	u64 ino;

	if (ctx->pos == 0) {
		if (!dir_emit(ctx, ".", 1, d_inode(dir)->i_ino, DT_DIR))
			return false;
		ctx->pos = 1;
	}
	if (ctx->pos == 1) {
		parent = dget_parent(dir);
		ino = d_inode(parent)->i_ino;
		dput(parent);
		if (!dir_emit(ctx, "..", 2, ino, DT_DIR))
			return false;
		ctx->pos = FIRST_CHILD;
	}
	return true;
}

/*
 * The directory is locked, so files stay where they are and d_offset only
 * grows along the list.
 */
int dcache_readdir(struct file *file, struct dir_context *ctx)
{
	struct dentry *dir = file->f_path.dentry, *child = NULL;

	if (!dir_emit_dots(file, ctx))
		return 0;
	while ((child = scan_positives(dir, child, ctx->pos))) {
		struct inode *inode = d_inode(child);

		ctx->pos = child->d_offset + FIRST_CHILD;
		if (!dir_emit(ctx, child->d_name.name, child->d_name.len,
			      inode->i_ino, fs_umode_to_dtype(inode->i_mode)))
			return 0;
		ctx->pos++;
	}
	return 0;
}

/* Reading a directory as if it were a file. */
ssize_t generic_read_dir(struct file *file, char __user *buf, size_t size,
			 loff_t *pos)
{
	return -EISDIR;
}

const struct file_operations simple_dir_operations = {
	.llseek		= generic_file_llseek,
	.read		= generic_read_dir,
	.iterate_shared	= dcache_readdir,
	.fsync		= noop_fsync,
};

const struct inode_operations simple_dir_inode_operations = {
	.lookup		= simple_lookup,
};

/* For files whose data is in the page cache only. */
int simple_setattr(struct dentry *dentry, struct iattr *attr)
{
	struct inode *inode = d_inode(dentry);
	int err = setattr_prepare(dentry, attr);

	if (err)
		return err;
	if (attr->ia_valid & ATTR_SIZE)
		truncate_setsize(inode, attr->ia_size);
	setattr_copy(inode, attr);
	mark_inode_dirty(inode);
	return 0;
}

int simple_getattr(const struct path *path, struct kstat *stat,
		   u32 request_mask, unsigned int flags)
{
	struct inode *inode = d_inode(path->dentry);

	generic_fillattr(inode, stat);
	stat->blocks = inode->i_data.nrpages * (PAGE_SIZE / 512);
	return 0;
}

int simple_statfs(struct dentry *dentry, struct kstatfs *buf)
{
	buf->f_type = dentry->d_sb->s_magic;
	buf->f_bsize = PAGE_SIZE;
	buf->f_namelen = NAME_MAX;
	return 0;
}

const char *simple_get_link(struct dentry *dentry, struct inode *inode,
			    struct delayed_call *done)
{
	return inode->i_link;
}

const struct inode_operations simple_symlink_inode_operations = {
	.get_link	= simple_get_link,
};

int noop_fsync(struct file *file, loff_t start, loff_t end, int datasync)
{
	return 0;
}
