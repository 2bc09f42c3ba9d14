/* SPDX-License-Identifier: GPL-2.0-only */
/* Registering kernel probes: what the host does not know of them. */
#include <linux/bug.h>
#include <linux/cpu.h>
#include <linux/err.h>
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/printk.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <emu/hostcall.h>
#include "internal.h"

static DEFINE_MUTEX(kprobe_mutex);
static struct kprobe *registered;

static bool is_kretprobe(const struct kprobe *p)
{
	return p->pre_handler == pre_handler_kretprobe;
}

/* Where a list names @p; with kprobe_mutex held. */
static struct kprobe **find_registered(const struct kprobe *p)
{
	struct kprobe **at = &registered;

	while (*at && *at != p)
		at = &(*at)->next_registered;
	return *at ? at : NULL;
}

bool kprobe_registered(const struct kprobe *p)
{
	bool found;

	mutex_lock(&kprobe_mutex);
	found = find_registered(p);
	mutex_unlock(&kprobe_mutex);
	return found;
}

/*
 * A host call, until the host is not changing code any more. Sleeps; with
 * kprobe_mutex held.
 */
static long ask(unsigned long nr, struct kprobe *p, unsigned long addr,
		unsigned long flags)
{
	long result;

	while ((result = hostcall3(nr, p, addr, flags)) == -EAGAIN)
		schedule_timeout_uninterruptible(1);
	return result;
}

/* It is placed from now on. The CPUs that trap for it find it from here on. */
static void found_from_here(struct kprobe *p, unsigned long trap)
{
	struct kprobe **bucket = kprobe_bucket(trap);

	p->trap = trap;
	p->next = *bucket;
	smp_store_release(bucket, p);
}

/* Those who look at it still find what comes behind it. */
static void not_found_any_more(struct kprobe *p)
{
	struct kprobe **at = kprobe_bucket(p->trap);

	while (*at && *at != p)
		at = &(*at)->next;
	if (*at)
		WRITE_ONCE(*at, p->next);
}

static kprobe_opcode_t *kprobe_addr(const struct kprobe *p)
{
	unsigned long addr = (unsigned long)p->addr;

	if (!p->symbol_name == !addr)
		return ERR_PTR(-EINVAL);
	if (p->symbol_name) {
		addr = kallsyms_lookup_name(p->symbol_name);
		if (!addr)
			return ERR_PTR(-ENOENT);
	}
	addr += p->offset;
	return addr ? (kprobe_opcode_t *)addr : ERR_PTR(-EINVAL);
}

/* With kprobe_mutex held. */
static int add_kprobe(struct kprobe *p)
{
	long trap;

	cpus_read_lock();
	trap = ask(HC_KPROBE_REGISTER, p, (unsigned long)p->addr,
		   is_kretprobe(p) | (p->flags & KPROBE_FLAG_DISABLED));
	cpus_read_unlock();
	if (IS_ERR_VALUE(trap))
		return trap;
	if (!kprobe_disabled(p))
		found_from_here(p, trap);
	p->next_registered = registered;
	registered = p;
	return 0;
}

int register_kprobe(struct kprobe *p)
{
	kprobe_opcode_t *addr = kprobe_addr(p);
	int err;

	if (IS_ERR(addr))
		return PTR_ERR(addr);
	mutex_lock(&kprobe_mutex);
	err = WARN_ON_ONCE(find_registered(p)) ? -EINVAL : 0;
	if (!err) {
		kretprobe_reap();
		p->addr = addr;
		p->flags &= KPROBE_FLAG_DISABLED;
		p->nmissed = 0;
		p->trap = 0;
		err = add_kprobe(p);
	}
	mutex_unlock(&kprobe_mutex);
	return err;
}

int register_kprobes(struct kprobe **kps, int num)
{
	if (num <= 0)
		return -EINVAL;
	for (int n = 0; n < num; n++) {
		int err = register_kprobe(kps[n]);

		if (err) {
			unregister_kprobes(kps, n);
			return err;
		}
	}
	return 0;
}

/* With kprobe_mutex held. Sleeps until nobody looks at it any more. */
static void remove_kprobe(struct kprobe *p)
{
	struct kprobe **at = find_registered(p);

	if (!at)
		return;
	*at = p->next_registered;
	not_found_any_more(p);
	ask(HC_KPROBE_UNREGISTER, p, 0, 0);
	synchronize_rcu();
}

void unregister_kprobe(struct kprobe *p)
{
	mutex_lock(&kprobe_mutex);
	remove_kprobe(p);
	kretprobe_reap();
	mutex_unlock(&kprobe_mutex);
}

void unregister_kprobes(struct kprobe **kps, int num)
{
	for (int n = 0; n < num; n++)
		unregister_kprobe(kps[n]);
}

int disable_kprobe(struct kprobe *p)
{
	int err = 0;

	mutex_lock(&kprobe_mutex);
	if (!find_registered(p)) {
		err = -EINVAL;
	} else if (!kprobe_disabled(p)) {
		p->flags |= KPROBE_FLAG_DISABLED;
		not_found_any_more(p);
		ask(HC_KPROBE_ENABLE, p, 0, 0);
		synchronize_rcu();
	}
	mutex_unlock(&kprobe_mutex);
	return err;
}

int enable_kprobe(struct kprobe *p)
{
	long trap = 0;

	mutex_lock(&kprobe_mutex);
	if (!find_registered(p) || kprobe_gone(p)) {
		trap = -EINVAL;
	} else if (kprobe_disabled(p)) {
		trap = ask(HC_KPROBE_ENABLE, p, 1, 0);
		if (!IS_ERR_VALUE(trap)) {
			p->flags &= ~KPROBE_FLAG_DISABLED;
			found_from_here(p, trap);
		}
	}
	mutex_unlock(&kprobe_mutex);
	return IS_ERR_VALUE(trap) ? trap : 0;
}

void kprobes_free_mem(void *start, void *end)
{
	struct kprobe *p;

	mutex_lock(&kprobe_mutex);
	for (p = registered; p; p = p->next_registered) {
		if ((void *)p->addr < start || (void *)p->addr >= end ||
		    kprobe_gone(p))
			continue;
		if (!kprobe_disabled(p))
			not_found_any_more(p);
		p->flags |= KPROBE_FLAG_GONE;
	}
	mutex_unlock(&kprobe_mutex);
}

static bool within(const struct module_layout *part, const void *address)
{
	return address >= part->base && address < part->base + part->size;
}

/* A probe of the module's own, or one whose handlers are; NULL: none is left. */
static struct kprobe *left_behind(const struct module *mod)
{
	struct kprobe *p, *found = NULL;

	mutex_lock(&kprobe_mutex);
	for (p = registered; p && !found; p = p->next_registered)
		if (within(&mod->core_layout, p) ||
		    within(&mod->core_layout, p->pre_handler) ||
		    within(&mod->core_layout, p->post_handler))
			found = p;
	mutex_unlock(&kprobe_mutex);
	return found;
}

void kprobes_release_mod(struct module *mod)
{
	struct kprobe *p;

	while ((p = left_behind(mod)) != NULL) {
		pr_warn("%s: the kprobe at %p was left behind, and is unregistered\n",
			mod->name, p->addr);
		if (is_kretprobe(p))
			unregister_kretprobe(container_of(p, struct kretprobe, kp));
		else
			unregister_kprobe(p);
	}
	kprobes_free_mem(mod->core_layout.base,
			 mod->core_layout.base + mod->core_layout.size);
	kprobes_free_mem(mod->init_layout.base,
			 mod->init_layout.base + mod->init_layout.size);
}
