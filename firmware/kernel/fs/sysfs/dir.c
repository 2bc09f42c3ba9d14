/* SPDX-License-Identifier: GPL-2.0-only */
/* Directories, groups of attributes, links and mount points of /sys. */
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/namei.h>
#include <linux/slab.h>

#include "sysfs.h"

struct dentry *sysfs_dir_of(struct kobject *kobj)
{
	return kobj ? kobj->sd : sysfs_root();
}

struct dentry *sysfs_make_dir(struct dentry *parent, const char *name)
{
	struct dentry *dentry = simple_start_creating(parent, name);
	struct inode *inode;

	if (IS_ERR(dentry))
		return dentry;
	inode = new_inode(dentry->d_sb);
	if (!inode) {
		simple_done_creating(dentry);
		dput(dentry);
		return ERR_PTR(-ENOMEM);
	}
	inode->i_mode = S_IFDIR | 0755;
	inode->i_op = &simple_dir_inode_operations;
	inode->i_fop = &simple_dir_operations;
	inc_nlink(inode);	/* its own "." */
	d_instantiate(dentry, inode);
	inc_nlink(d_inode(parent));
	simple_done_creating(dentry);
	return dentry;
}

int sysfs_create_dir(struct kobject *kobj)
{
	struct dentry *dir = sysfs_make_dir(sysfs_dir_of(kobj->parent),
					    kobj->name);

	if (IS_ERR(dir))
		return PTR_ERR(dir);
	kobj->sd = dir;
	return 0;
}

/*
 * Between the removal of an object's directory and its end, files of it that
 * are being opened must find out.
 */
static DEFINE_MUTEX(sysfs_removal_mutex);

void sysfs_remove_dir(struct kobject *kobj)
{
	struct dentry *dir = kobj->sd;

	kobj->sd = NULL;
	if (!dir)
		return;
	mutex_lock(&sysfs_removal_mutex);
	simple_recursive_removal(dir);
	mutex_unlock(&sysfs_removal_mutex);
}

/* A file's object, with a reference; NULL if it is not there any more. */
struct kobject *sysfs_get_active(struct dentry *dentry)
{
	struct kobject *kobj = NULL;

	mutex_lock(&sysfs_removal_mutex);
	if (!d_unhashed(dentry))
		kobj = kobject_get(dentry->d_fsdata);
	mutex_unlock(&sysfs_removal_mutex);
	return kobj;
}

int sysfs_remove_name(struct dentry *dir, const char *name)
{
	struct dentry *dentry = d_hash_and_lookup(dir, name);

	if (!dentry)
		return -ENOENT;
	if (d_is_positive(dentry))
		simple_recursive_removal(dentry);
	dput(dentry);
	return 0;
}

static int add_attributes(struct dentry *dir, struct kobject *kobj,
			  const struct attribute_group *group)
{
	int err = 0;

	for (int i = 0; !err && group->attrs[i]; i++) {
		umode_t mode = group->attrs[i]->mode;

		if (group->is_visible) {
			mode = group->is_visible(kobj, group->attrs[i], i);
			if (!mode)
				continue;
		}
		err = sysfs_add_file(dir, kobj, group->attrs[i], mode);
	}
	return err;
}

void sysfs_remove_group(struct kobject *kobj,
			const struct attribute_group *group)
{
	struct dentry *dir = sysfs_dir_of(kobj);

	if (group->name) {
		sysfs_remove_name(dir, group->name);
		return;
	}
	for (int i = 0; group->attrs[i]; i++)
		sysfs_remove_name(dir, group->attrs[i]->name);
}

int sysfs_create_group(struct kobject *kobj,
		       const struct attribute_group *group)
{
	struct dentry *dir = sysfs_dir_of(kobj);
	int err;

	if (group->name) {
		dir = sysfs_make_dir(dir, group->name);
		if (IS_ERR(dir))
			return PTR_ERR(dir);
	}
	err = add_attributes(dir, kobj, group);
	if (err)
		sysfs_remove_group(kobj, group);
	return err;
}

int sysfs_create_groups(struct kobject *kobj,
			const struct attribute_group **groups)
{
	int err = 0;

	for (int i = 0; groups && groups[i]; i++) {
		err = sysfs_create_group(kobj, groups[i]);
		if (err) {
			while (--i >= 0)
				sysfs_remove_group(kobj, groups[i]);
			break;
		}
	}
	return err;
}

int sysfs_create_mount_point(struct kobject *parent, const char *name)
{
	return PTR_ERR_OR_ZERO(sysfs_make_dir(sysfs_dir_of(parent), name));
}
