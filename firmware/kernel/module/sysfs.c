/* SPDX-License-Identifier: GPL-2.0-only */
/* /sys/module/NAME: what there is to know of a module, and its parameters. */
#include <linux/kernel.h>
#include <linux/kobject.h>
#include <linux/slab.h>
#include <linux/string.h>
#include "internal.h"

static struct kobject *module_kset;		/* /sys/module */

struct param_attribute {
	struct attribute attr;
	const struct kernel_param *param;
};

/* Files may stay open when the module has gone. */
struct module_kobject {
	struct kobject kobj;
	struct module *mod;			/* under param_lock; NULL: gone */
	struct attribute_group parameters;
	struct attribute **attrs;
	struct param_attribute params[];
};

struct module_attribute {
	struct attribute attr;
	ssize_t (*show)(struct module *mod, char *buf);
};

/* A module's parameters change while it runs, one at a time. */
static DEFINE_MUTEX(param_lock);

static ssize_t show_initstate(struct module *mod, char *buf)
{
	switch (mod->state) {
	case MODULE_STATE_LIVE:
		return sysfs_emit(buf, "live\n");
	case MODULE_STATE_COMING:
		return sysfs_emit(buf, "coming\n");
	default:
		return sysfs_emit(buf, "going\n");
	}
}

static ssize_t show_refcnt(struct module *mod, char *buf)
{
	return sysfs_emit(buf, "%d\n", module_refcount(mod));
}

static ssize_t show_coresize(struct module *mod, char *buf)
{
	return sysfs_emit(buf, "%u\n", mod->core_layout.size);
}

static ssize_t show_initsize(struct module *mod, char *buf)
{
	return sysfs_emit(buf, "%u\n", mod->init_layout.size);
}

static ssize_t show_taint(struct module *mod, char *buf)
{
	return sysfs_emit(buf, "%s\n", mod->taints ? "P" : "");
}

static ssize_t show_version(struct module *mod, char *buf)
{
	return sysfs_emit(buf, "%s\n", mod->version);
}

#define MODULE_ATTR(name) \
	static struct module_attribute modinfo_##name = \
		{ { #name, 0444 }, show_##name }
MODULE_ATTR(initstate);
MODULE_ATTR(refcnt);
MODULE_ATTR(coresize);
MODULE_ATTR(initsize);
MODULE_ATTR(taint);
MODULE_ATTR(version);

static struct attribute *modinfo_attrs[] = {
	&modinfo_initstate.attr, &modinfo_refcnt.attr, &modinfo_coresize.attr,
	&modinfo_initsize.attr, &modinfo_taint.attr, &modinfo_version.attr,
	NULL
};

static struct module_kobject *to_module_kobject(struct kobject *kobj)
{
	return container_of(kobj, struct module_kobject, kobj);
}

static umode_t modinfo_is_visible(struct kobject *kobj, struct attribute *attr,
				  int n)
{
	return attr == &modinfo_version.attr &&
	       !to_module_kobject(kobj)->mod->version ? 0 : attr->mode;
}

static const struct attribute_group modinfo_group = {
	.is_visible	= modinfo_is_visible,
	.attrs		= modinfo_attrs,
};

/* NULL: it is an attribute of the module itself. */
static const struct kernel_param *param_of(struct module_kobject *mk,
					   struct attribute *attr)
{
	for (struct attribute **a = mk->attrs; *a; a++)
		if (*a == attr)
			return container_of(attr, struct param_attribute,
					    attr)->param;
	return NULL;
}

static ssize_t module_attr_show(struct kobject *kobj, struct attribute *attr,
				char *buf)
{
	struct module_kobject *mk = to_module_kobject(kobj);
	const struct kernel_param *kp = param_of(mk, attr);
	ssize_t ret = -ENODEV;

	mutex_lock(&param_lock);
	if (!mk->mod)
		ret = -ENODEV;
	else if (kp)
		ret = kp->ops->get ? kp->ops->get(buf, kp) : -EPERM;
	else
		ret = container_of(attr, struct module_attribute, attr)
			->show(mk->mod, buf);
	mutex_unlock(&param_lock);
	return ret;
}

static ssize_t module_attr_store(struct kobject *kobj, struct attribute *attr,
				 const char *buf, size_t len)
{
	struct module_kobject *mk = to_module_kobject(kobj);
	const struct kernel_param *kp = param_of(mk, attr);
	int err = -ENODEV;

	mutex_lock(&param_lock);
	if (mk->mod)
		err = kp && kp->ops->set ? kp->ops->set(buf, kp) : -EPERM;
	mutex_unlock(&param_lock);
	return err ? err : len;
}

static const struct sysfs_ops module_sysfs_ops = {
	.show	= module_attr_show,
	.store	= module_attr_store,
};

static void module_kobj_release(struct kobject *kobj)
{
	struct module_kobject *mk = to_module_kobject(kobj);

	kfree(mk->attrs);
	kfree(mk);
}

static const struct kobj_type module_ktype = {
	.release	= module_kobj_release,
	.sysfs_ops	= &module_sysfs_ops,
};

static struct module_kobject *alloc_module_kobject(struct module *mod)
{
	struct module_kobject *mk = kzalloc(sizeof(*mk) + mod->num_kp *
					    sizeof(mk->params[0]), GFP_KERNEL);
	unsigned int i, n = 0;

	if (!mk)
		return NULL;
	mk->attrs = kzalloc((mod->num_kp + 1) * sizeof(*mk->attrs), GFP_KERNEL);
	if (!mk->attrs) {
		kfree(mk);
		return NULL;
	}
	mk->mod = mod;
	for (i = 0; i < mod->num_kp; i++) {
		if (!mod->kp[i].perm)
			continue;
		mk->params[n].param = &mod->kp[i];
		mk->params[n].attr.name = mod->kp[i].name;
		mk->params[n].attr.mode = mod->kp[i].perm & 0777;
		mk->attrs[n] = &mk->params[n].attr;
		n++;
	}
	mk->parameters.name = "parameters";
	mk->parameters.attrs = mk->attrs;
	return mk;
}

/* Before its init, when what it is called with has been set. */
int mod_sysfs_setup(struct module *mod)
{
	struct module_kobject *mk = alloc_module_kobject(mod);
	int err;

	if (!mk)
		return -ENOMEM;
	err = kobject_init_and_add(&mk->kobj, &module_ktype, module_kset, "%s",
				   mod->name);
	if (!err)
		err = sysfs_create_group(&mk->kobj, &modinfo_group);
	if (!err && mk->attrs[0])
		err = sysfs_create_group(&mk->kobj, &mk->parameters);
	mod->mkobj = mk;
	if (err)
		mod_sysfs_teardown(mod);
	return err;
}

/* Who is in one of its files comes out first; nobody gets in any more. */
void mod_sysfs_teardown(struct module *mod)
{
	struct module_kobject *mk = mod->mkobj;

	if (!mk)
		return;
	mod->mkobj = NULL;
	kobject_del(&mk->kobj);
	mutex_lock(&param_lock);
	mk->mod = NULL;
	mutex_unlock(&param_lock);
	kobject_put(&mk->kobj);
}

static int __init param_sysfs_init(void)
{
	module_kset = kobject_create_and_add("module", NULL);
	return module_kset ? 0 : -ENOMEM;
}
subsys_initcall(param_sysfs_init);
