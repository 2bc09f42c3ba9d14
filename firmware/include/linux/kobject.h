/* SPDX-License-Identifier: GPL-2.0-only */
/* What has a directory in /sys. */
#ifndef _LINUX_KOBJECT_H
#define _LINUX_KOBJECT_H

#include <linux/refcount.h>
#include <linux/sysfs.h>
#include <linux/types.h>

struct dentry;
struct kobject;

struct kobj_type {
	void (*release)(struct kobject *kobj);
	const struct sysfs_ops *sysfs_ops;
	const struct attribute_group **default_groups;
};

/* It holds a reference on its parent. */
struct kobject {
	const char		*name;
	struct kobject		*parent;
	const struct kobj_type	*ktype;
	struct dentry		*sd;		/* its directory, or NULL */
	refcount_t		kref;
};

/* An attribute with functions of its own, for kobj_sysfs_ops. */
struct kobj_attribute {
	struct attribute attr;
	ssize_t (*show)(struct kobject *kobj, struct kobj_attribute *attr,
			char *buf);
	ssize_t (*store)(struct kobject *kobj, struct kobj_attribute *attr,
			 const char *buf, size_t count);
};

extern const struct sysfs_ops kobj_sysfs_ops;
extern struct kobject *kernel_kobj;	/* /sys/kernel */

void kobject_init(struct kobject *kobj, const struct kobj_type *ktype);
/* Gives it a name and a directory in its parent's, or in /sys. */
int kobject_add(struct kobject *kobj, struct kobject *parent, const char *fmt,
		...) __printf(3, 4);
int kobject_init_and_add(struct kobject *kobj, const struct kobj_type *ktype,
			 struct kobject *parent, const char *fmt, ...)
	__printf(4, 5);
struct kobject *kobject_create_and_add(const char *name,
				       struct kobject *parent);
/* Takes the directory away; references may stay. */
void kobject_del(struct kobject *kobj);
struct kobject *kobject_get(struct kobject *kobj);
void kobject_put(struct kobject *kobj);

#endif
