/* SPDX-License-Identifier: GPL-2.0-only */
/* Attributes: files of /sys, each with one value. */
#ifndef _LINUX_SYSFS_H
#define _LINUX_SYSFS_H

#include <linux/compiler.h>
#include <linux/types.h>

struct kobject;

struct attribute {
	const char	*name;
	umode_t		mode;
};

struct attribute_group {
	const char		*name;	/* of a subdirectory; NULL: none */
	umode_t			(*is_visible)(struct kobject *kobj,
					      struct attribute *attr, int n);
	struct attribute	**attrs;
};

/* @buf is a page; show fills it, store gets it with a NUL after its text. */
struct sysfs_ops {
	ssize_t (*show)(struct kobject *kobj, struct attribute *attr,
			char *buf);
	ssize_t (*store)(struct kobject *kobj, struct attribute *attr,
			 const char *buf, size_t size);
};

#define __ATTR(_name, _mode, _show, _store) {				\
	.attr	= { .name = #_name, .mode = (_mode) },			\
	.show	= (_show),						\
	.store	= (_store),						\
}
#define __ATTR_RO(_name)	__ATTR(_name, 0444, _name##_show, NULL)
#define __ATTR_RW(_name)	__ATTR(_name, 0644, _name##_show, _name##_store)

int sysfs_create_dir(struct kobject *kobj);
void sysfs_remove_dir(struct kobject *kobj);
int sysfs_create_file(struct kobject *kobj, const struct attribute *attr);
void sysfs_remove_file(struct kobject *kobj, const struct attribute *attr);
int sysfs_create_files(struct kobject *kobj,
		       const struct attribute *const *attrs);
int sysfs_create_group(struct kobject *kobj,
		       const struct attribute_group *group);
int sysfs_create_groups(struct kobject *kobj,
			const struct attribute_group **groups);
void sysfs_remove_group(struct kobject *kobj,
			const struct attribute_group *group);
/* An empty directory for something to be mounted on. */
int sysfs_create_mount_point(struct kobject *parent, const char *name);

/* What a show returns: the length of the text. */
int sysfs_emit(char *buf, const char *fmt, ...) __printf(2, 3);
int sysfs_emit_at(char *buf, int at, const char *fmt, ...) __printf(3, 4);

#endif
