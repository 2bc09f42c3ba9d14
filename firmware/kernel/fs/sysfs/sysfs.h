/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of sysfs share only among themselves. */
#ifndef _FS_SYSFS_H
#define _FS_SYSFS_H

#include <linux/fs.h>
#include <linux/kobject.h>

struct dentry *sysfs_root(void);
void sysfs_init(void);

/* dir.c: a directory in another, pinned */
struct dentry *sysfs_make_dir(struct dentry *parent, const char *name);
struct dentry *sysfs_dir_of(struct kobject *kobj);
int sysfs_remove_name(struct dentry *dir, const char *name);
struct kobject *sysfs_get_active(struct dentry *dentry);

/* file.c */
int sysfs_add_file(struct dentry *dir, struct kobject *kobj,
		   const struct attribute *attr, umode_t mode);

#endif
