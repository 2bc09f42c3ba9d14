/* SPDX-License-Identifier: GPL-2.0-only */
/* /sys/devices/system/cpu: which CPUs there are. */
#include <linux/cpumask.h>
#include <linux/errno.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/kobject.h>

/* As "0-3,5". */
static ssize_t show_mask(const struct cpumask *mask, char *buf)
{
	unsigned int first, last;
	int len = 0;

	for (first = cpumask_first(mask); first < nr_cpu_ids;
	     first = cpumask_next(last, mask)) {
		last = first;
		while (last + 1 < nr_cpu_ids && cpumask_test_cpu(last + 1, mask))
			last++;
		len += sysfs_emit_at(buf, len, "%s%u", len ? "," : "", first);
		if (last != first)
			len += sysfs_emit_at(buf, len, "-%u", last);
	}
	return len + sysfs_emit_at(buf, len, "\n");
}

static ssize_t online_show(struct kobject *kobj, struct kobj_attribute *attr,
			   char *buf)
{
	return show_mask(cpu_online_mask, buf);
}

/* All that are possible are there from the start. */
static ssize_t possible_show(struct kobject *kobj, struct kobj_attribute *attr,
			     char *buf)
{
	return show_mask(cpu_possible_mask, buf);
}

static const struct kobj_attribute online_attr = __ATTR_RO(online);
static const struct kobj_attribute possible_attr = __ATTR_RO(possible);
static const struct kobj_attribute present_attr =
	__ATTR(present, 0444, possible_show, NULL);

static int __init cpu_dev_init(void)
{
	static const struct attribute *const attrs[] = {
		&online_attr.attr, &possible_attr.attr, &present_attr.attr,
		NULL
	};
	struct kobject *devices = kobject_create_and_add("devices", NULL);
	struct kobject *system = kobject_create_and_add("system", devices);
	struct kobject *cpu = kobject_create_and_add("cpu", system);

	return cpu ? sysfs_create_files(cpu, attrs) : -ENOMEM;
}
subsys_initcall(cpu_dev_init);
