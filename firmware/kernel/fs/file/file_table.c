/* SPDX-License-Identifier: GPL-2.0-only */
/* Open files: allocation and the last reference. */
#include <linux/errno.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/mount.h>
#include <linux/pagemap.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../internal.h"
#include "internal.h"

static struct kmem_cache *filp_cachep;

static struct file *__alloc_file(int flags)
{
	struct file *file = kmem_cache_zalloc(filp_cachep, GFP_KERNEL);

	if (!file)
		return ERR_PTR(-ENFILE);
	atomic_set(&file->f_count, 1);
	mutex_init(&file->f_pos_lock);
	spin_lock_init(&file->f_lock);
	file->f_flags = flags;
	file->f_mode = OPEN_FMODE(flags);
	return file;
}

/* A file that is not open yet. */
struct file *alloc_empty_file(int flags)
{
	return __alloc_file(flags);
}

/* Takes over the reference to @path, if it succeeds. */
static struct file *alloc_file(const struct path *path, int flags,
			       const struct file_operations *fops)
{
	struct file *file = alloc_empty_file(flags);

	if (IS_ERR(file))
		return file;
	file->f_path = *path;
	file->f_inode = d_inode(path->dentry);
	file->f_mapping = file->f_inode->i_mapping;
	file->f_wb_err = filemap_sample_wb_err(file->f_mapping);
	file->f_op = fops;
	file->f_mode |= can_do(file) | FMODE_OPENED;
	return file;
}

/*
 * Opens an inode that has no path. Takes over the reference to it, if it
 * succeeds.
 */
struct file *alloc_file_pseudo(struct inode *inode, struct vfsmount *mnt,
			       const char *name, int flags,
			       const struct file_operations *fops)
{
	struct qstr qname = { .len = strlen(name), .name = name };
	struct path path = { .dentry = d_alloc_pseudo(mnt->mnt_sb, &qname) };
	struct file *file;

	if (!path.dentry)
		return ERR_PTR(-ENOMEM);
	path.mnt = mntget(mnt);
	d_instantiate(path.dentry, inode);
	file = alloc_file(&path, flags, fops);
	if (IS_ERR(file)) {
		ihold(inode);
		path_put(&path);
	}
	return file;
}

/* A second file on the inode of @base, with another mode. */
struct file *alloc_file_clone(struct file *base, int flags,
			      const struct file_operations *fops)
{
	struct file *file = alloc_file(&base->f_path, flags, fops);

	if (!IS_ERR(file))
		path_get(&file->f_path);
	return file;
}

static void __fput(struct file *file)
{
	if (file->f_mode & FMODE_OPENED) {
		struct inode *inode = file->f_inode;

		if (file->f_op->release)
			file->f_op->release(inode, file);
		if (file->f_mode & FMODE_EXEC)
			allow_write_access(file);
		put_file_access(file);
		dput(file->f_path.dentry);
		mntput(file->f_path.mnt);
	}
	kmem_cache_free(filp_cachep, file);
}

void fput(struct file *file)
{
	if (atomic_dec_and_test(&file->f_count))
		__fput(file);
}

void files_init(void)
{
	filp_cachep = KMEM_CACHE(file, SLAB_PANIC);
}
