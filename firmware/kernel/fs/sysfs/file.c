/* SPDX-License-Identifier: GPL-2.0-only */
/* Attributes as files: a page of text, made by show and taken by store. */
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "sysfs.h"

/* A file's inode points to its attribute, its directory's to the object. */
static struct kobject *kobj_of(const struct file *file)
{
	return file->f_path.dentry->d_fsdata;
}

static struct attribute *attr_of(const struct file *file)
{
	return file_inode(file)->i_private;
}

static int sysfs_kf_seq_show(struct seq_file *m, void *v)
{
	struct kobject *kobj = kobj_of(m->file);
	char *page = (char *)get_zeroed_page(GFP_KERNEL);
	ssize_t len;

	if (!page)
		return -ENOMEM;
	len = kobj->ktype->sysfs_ops->show(kobj, attr_of(m->file), page);
	if (len > 0)
		seq_write(m, page, min_t(size_t, len, PAGE_SIZE - 1));
	free_page((unsigned long)page);
	return len < 0 ? len : 0;
}

static int kernfs_fop_open(struct inode *inode, struct file *file)
{
	struct kobject *kobj = sysfs_get_active(file->f_path.dentry);
	const struct sysfs_ops *ops;
	int err = -EACCES;

	if (!kobj)
		return -ENODEV;
	ops = kobj->ktype->sysfs_ops;
	if ((file->f_mode & FMODE_WRITE) &&
	    (!(inode->i_mode & S_IWUGO) || !ops->store))
		goto put;
	if ((file->f_mode & FMODE_READ) &&
	    (!(inode->i_mode & S_IRUGO) || !ops->show))
		goto put;
	err = single_open_size(file, sysfs_kf_seq_show, NULL, 2 * PAGE_SIZE);
	if (!err)
		return 0;
put:
	kobject_put(kobj);
	return err;
}

static int kernfs_fop_release(struct inode *inode, struct file *file)
{
	kobject_put(kobj_of(file));
	return single_release(inode, file);
}

static ssize_t kernfs_fop_write(struct file *file, const char __user *buf,
				size_t count, loff_t *pos)
{
	struct kobject *kobj = kobj_of(file);
	size_t len = min(count, PAGE_SIZE - 1);
	ssize_t ret = -ENODEV;
	char *text;

	if (!len)
		return 0;
	text = memdup_user_nul(buf, len);
	if (IS_ERR(text))
		return PTR_ERR(text);
	if (!d_unhashed(file->f_path.dentry))
		ret = kobj->ktype->sysfs_ops->store(kobj, attr_of(file), text,
						    len);
	if (ret > 0)
		*pos += ret;
	kfree(text);
	return ret;
}

static ssize_t kernfs_fop_read_iter(struct kiocb *iocb, struct iov_iter *iter)
{
	if (d_unhashed(iocb->ki_filp->f_path.dentry))
		return -ENODEV;
	return seq_read_iter(iocb, iter);
}

static const struct file_operations kernfs_file_fops = {
	.open		= kernfs_fop_open,
	.read_iter	= kernfs_fop_read_iter,
	.splice_read	= generic_file_splice_read,
	.write		= kernfs_fop_write,
	.llseek		= seq_lseek,
	.release	= kernfs_fop_release,
};

/* Its size is a page whatever is in it: O_TRUNC changes nothing. */
static int sysfs_setattr(struct dentry *dentry, struct iattr *attr)
{
	setattr_copy(d_inode(dentry), attr);
	return 0;
}

static const struct inode_operations sysfs_file_iops = {
	.setattr	= sysfs_setattr,
};

int sysfs_add_file(struct dentry *dir, struct kobject *kobj,
		   const struct attribute *attr, umode_t mode)
{
	struct dentry *dentry = simple_start_creating(dir, attr->name);
	struct inode *inode;

	if (IS_ERR(dentry))
		return PTR_ERR(dentry);
	inode = new_inode(dentry->d_sb);
	if (!inode) {
		simple_done_creating(dentry);
		dput(dentry);
		return -ENOMEM;
	}
	inode->i_mode = S_IFREG | (mode & S_IALLUGO);
	inode->i_op = &sysfs_file_iops;
	inode->i_fop = &kernfs_file_fops;
	inode->i_size = PAGE_SIZE;
	inode->i_private = (void *)attr;
	dentry->d_fsdata = kobj;
	d_instantiate(dentry, inode);
	simple_done_creating(dentry);
	return 0;
}

int sysfs_create_file(struct kobject *kobj, const struct attribute *attr)
{
	return sysfs_add_file(sysfs_dir_of(kobj), kobj, attr, attr->mode);
}

int sysfs_create_files(struct kobject *kobj,
		       const struct attribute *const *attrs)
{
	int err = 0;

	for (int i = 0; !err && attrs[i]; i++) {
		err = sysfs_create_file(kobj, attrs[i]);
		if (err)
			while (--i >= 0)
				sysfs_remove_file(kobj, attrs[i]);
	}
	return err;
}

void sysfs_remove_file(struct kobject *kobj, const struct attribute *attr)
{
	sysfs_remove_name(sysfs_dir_of(kobj), attr->name);
}

int sysfs_emit_at(char *buf, int at, const char *fmt, ...)
{
	va_list args;
	int len;

	if (WARN_ON(at < 0 || at >= PAGE_SIZE))
		return 0;
	va_start(args, fmt);
	len = vsnprintf(buf + at, PAGE_SIZE - at, fmt, args);
	va_end(args);
	return min_t(int, len, PAGE_SIZE - at - 1);
}

int sysfs_emit(char *buf, const char *fmt, ...)
{
	va_list args;
	int len;

	va_start(args, fmt);
	len = vsnprintf(buf, PAGE_SIZE, fmt, args);
	va_end(args);
	return min_t(int, len, PAGE_SIZE - 1);
}
