/* SPDX-License-Identifier: GPL-2.0-only */
/* Who uses a module: references, and other modules. */
#include <linux/kernel.h>
#include <linux/slab.h>
#include <trace/events/module.h>
#include "internal.h"

/* A module that is not going away holds this one reference to itself. */
#define MODULE_REF_BASE	1

static void add_use(struct module_use *use, struct module *user,
		    struct module *used)
{
	use->source = user;
	use->target = used;
	list_add(&use->source_list, &used->source_list);
	list_add(&use->target_list, &user->target_list);
}

/* Its own reference, and one that keeps it until its init has run. */
void module_unload_init(struct module *mod)
{
	INIT_LIST_HEAD(&mod->source_list);
	INIT_LIST_HEAD(&mod->target_list);
	atomic_set(&mod->refcnt, MODULE_REF_BASE + 1);
}

bool try_module_get(struct module *module)
{
	if (!module)
		return true;
	if (!module_is_live(module) || !atomic_inc_not_zero(&module->refcnt))
		return false;
	trace_module_get(module, _RET_IP_);
	return true;
}

/* For whoever has a reference already. */
void __module_get(struct module *module)
{
	if (!module)
		return;
	atomic_inc(&module->refcnt);
	trace_module_get(module, _RET_IP_);
}

void module_put(struct module *module)
{
	if (!module)
		return;
	WARN_ON(atomic_dec_return(&module->refcnt) < 0);
	trace_module_put(module, _RET_IP_);
}

int module_refcount(struct module *module)
{
	return atomic_read(&module->refcnt) - MODULE_REF_BASE;
}

static int strong_try_module_get(struct module *mod)
{
	if (mod->state == MODULE_STATE_COMING)
		return -EBUSY;
	return try_module_get(mod) ? 0 : -ENOENT;
}

/* @user uses @used, which then cannot go before it. With module_mutex held. */
int ref_module(struct module *user, struct module *used)
{
	struct module_use *use;
	int err;

	if (!used)
		return 0;
	list_for_each_entry(use, &used->source_list, source_list)
		if (use->source == user)
			return 0;
	err = strong_try_module_get(used);
	if (err)
		return err;
	use = kmalloc(sizeof(*use), GFP_KERNEL);
	if (!use) {
		module_put(used);
		return -ENOMEM;
	}
	add_use(use, user, used);
	return 0;
}

/* @mod no longer uses others. */
void module_unload_free(struct module *mod)
{
	struct module_use *use, *next;

	mutex_lock(&module_mutex);
	list_for_each_entry_safe(use, next, &mod->target_list, target_list) {
		module_put(use->target);
		list_del(&use->source_list);
		list_del(&use->target_list);
		kfree(use);
	}
	mutex_unlock(&module_mutex);
}

/* Takes away the module's own reference, if it is the last one. */
static bool try_release_module_ref(struct module *mod)
{
	if (!atomic_sub_return(MODULE_REF_BASE, &mod->refcnt))
		return true;
	/* Those who have one may just be dropping it; then it may go after all. */
	return !atomic_inc_not_zero(&mod->refcnt);
}

/* With module_mutex held. */
int try_stop_module(struct module *mod)
{
	if (!try_release_module_ref(mod))
		return -EWOULDBLOCK;
	mod->state = MODULE_STATE_GOING;
	return 0;
}
