/* SPDX-License-Identifier: GPL-2.0-only */
/* Objects with a directory in /sys, and the first of them. */
#include <linux/errno.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/slab.h>

#include "sysfs.h"

#define KOBJ_NAME_MAX	64

struct kobject *kernel_kobj;

static ssize_t kobj_attr_show(struct kobject *kobj, struct attribute *attr,
			      char *buf)
{
	struct kobj_attribute *kattr = container_of(attr,
						    struct kobj_attribute,
						    attr);

	return kattr->show ? kattr->show(kobj, kattr, buf) : -EIO;
}

static ssize_t kobj_attr_store(struct kobject *kobj, struct attribute *attr,
			       const char *buf, size_t count)
{
	struct kobj_attribute *kattr = container_of(attr,
						    struct kobj_attribute,
						    attr);

	return kattr->store ? kattr->store(kobj, kattr, buf, count) : -EIO;
}

const struct sysfs_ops kobj_sysfs_ops = {
	.show	= kobj_attr_show,
	.store	= kobj_attr_store,
};

static void dynamic_kobj_release(struct kobject *kobj)
{
	kfree(kobj);
}

static const struct kobj_type dynamic_kobj_ktype = {
	.release	= dynamic_kobj_release,
	.sysfs_ops	= &kobj_sysfs_ops,
};

void kobject_init(struct kobject *kobj, const struct kobj_type *ktype)
{
	*kobj = (struct kobject){ .ktype = ktype };
	refcount_set(&kobj->kref, 1);
}

static __printf(3, 0) int kobject_add_varg(struct kobject *kobj,
					   struct kobject *parent,
					   const char *fmt, va_list args)
{
	char name[KOBJ_NAME_MAX];
	int err;

	if (vsnprintf(name, sizeof(name), fmt, args) >= sizeof(name))
		return -ENAMETOOLONG;
	kobj->name = kstrdup(name, GFP_KERNEL);
	if (!kobj->name)
		return -ENOMEM;
	kobj->parent = kobject_get(parent);
	err = sysfs_create_dir(kobj);
	if (!err)
		err = sysfs_create_groups(kobj, kobj->ktype->default_groups);
	if (err)
		kobject_del(kobj);
	return err;
}

int kobject_add(struct kobject *kobj, struct kobject *parent, const char *fmt,
		...)
{
	va_list args;
	int err;

	va_start(args, fmt);
	err = kobject_add_varg(kobj, parent, fmt, args);
	va_end(args);
	return err;
}

/* If it fails, the caller still has to put it. */
int kobject_init_and_add(struct kobject *kobj, const struct kobj_type *ktype,
			 struct kobject *parent, const char *fmt, ...)
{
	va_list args;
	int err;

	kobject_init(kobj, ktype);
	va_start(args, fmt);
	err = kobject_add_varg(kobj, parent, fmt, args);
	va_end(args);
	return err;
}

struct kobject *kobject_create_and_add(const char *name,
				       struct kobject *parent)
{
	struct kobject *kobj = kmalloc(sizeof(*kobj), GFP_KERNEL);

	if (!kobj)
		return NULL;
	kobject_init(kobj, &dynamic_kobj_ktype);
	if (kobject_add(kobj, parent, "%s", name)) {
		kobject_put(kobj);
		return NULL;
	}
	return kobj;
}

void kobject_del(struct kobject *kobj)
{
	struct kobject *parent = kobj->parent;

	sysfs_remove_dir(kobj);
	kobj->parent = NULL;
	kobject_put(parent);
}

struct kobject *kobject_get(struct kobject *kobj)
{
	if (kobj)
		refcount_inc(&kobj->kref);
	return kobj;
}

void kobject_put(struct kobject *kobj)
{
	const char *name;

	if (!kobj || !refcount_dec_and_test(&kobj->kref))
		return;
	kobject_del(kobj);
	name = kobj->name;
	if (kobj->ktype->release)
		kobj->ktype->release(kobj);
	kfree(name);
}

/* /sys/kernel, and in it where others are mounted. */
static int __init ksysfs_init(void)
{
	int err;

	sysfs_init();
	kernel_kobj = kobject_create_and_add("kernel", NULL);
	if (!kernel_kobj)
		return -ENOMEM;
	err = sysfs_create_mount_point(kernel_kobj, "debug");
	if (!err)
		err = sysfs_create_mount_point(kernel_kobj, "tracing");
	return err;
}
core_initcall(ksysfs_init);
