/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Direct calls: call sites that call what a module names, without a tracer in
 * between, unless there is one. The host has the sites and all that they call.
 */
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/ftrace.h>
#include <linux/kernel.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <emu/hostcall.h>

/* The call sites that a filter selects. */
struct ftrace_hash {
	unsigned long count;
	unsigned long ips[];
};

/* Held to ask first and then change something, of calls or of a filter. */
static DEFINE_MUTEX(direct_mutex);

/* The call site of the function that begins at an address; 0: it has none. */
static unsigned long ftrace_location(unsigned long ip)
{
	return hostcall1(HC_FTRACE_LOCATION, ip);
}

/*
 * Call sites that call @old are to call @new (0: nothing); all of them or none.
 * Returns when no CPU calls @old there any more.
 */
static int ftrace_direct(const unsigned long *ips, unsigned long count,
			 unsigned long old, unsigned long new)
{
	int err;

	while ((err = hostcall(HC_FTRACE_DIRECT, (unsigned long)ips, count,
			       old, new)) == -EAGAIN)
		schedule_timeout_uninterruptible(1);
	if (err)
		return err;
	while (hostcall(HC_FTRACE_DIRECT, 0, 0, 0, 0) == -EAGAIN)
		schedule_timeout_uninterruptible(1);
	if (old)
		synchronize_rcu_tasks();
	return 0;
}

static int ftrace_direct_one(unsigned long ip, unsigned long old,
			     unsigned long new)
{
	int err = -ENODEV;

	mutex_lock(&direct_mutex);
	ip = ftrace_location(ip);
	if (ip)
		err = ftrace_direct(&ip, 1, old, new);
	mutex_unlock(&direct_mutex);
	return err;
}

int register_ftrace_direct(unsigned long ip, unsigned long addr)
{
	return addr ? ftrace_direct_one(ip, 0, addr) : -EINVAL;
}
EXPORT_SYMBOL_GPL(register_ftrace_direct);

int unregister_ftrace_direct(unsigned long ip, unsigned long addr)
{
	return addr ? ftrace_direct_one(ip, addr, 0) : -EINVAL;
}
EXPORT_SYMBOL_GPL(unregister_ftrace_direct);

int modify_ftrace_direct(unsigned long ip, unsigned long old_addr,
			 unsigned long new_addr)
{
	if (!old_addr || !new_addr)
		return -EINVAL;
	return ftrace_direct_one(ip, old_addr, new_addr);
}
EXPORT_SYMBOL_GPL(modify_ftrace_direct);

int register_ftrace_direct_multi(struct ftrace_ops *ops, unsigned long addr)
{
	int err = -EINVAL;

	mutex_lock(&direct_mutex);
	if (addr && !(ops->flags & FTRACE_OPS_FL_ENABLED) && ops->filter &&
	    ops->filter->count)
		err = ftrace_direct(ops->filter->ips, ops->filter->count, 0,
				    addr);
	if (!err) {
		ops->flags |= FTRACE_OPS_FL_ENABLED;
		ops->direct_call = addr;
	}
	mutex_unlock(&direct_mutex);
	return err;
}
EXPORT_SYMBOL_GPL(register_ftrace_direct_multi);

int unregister_ftrace_direct_multi(struct ftrace_ops *ops, unsigned long addr)
{
	int err = -EINVAL;

	mutex_lock(&direct_mutex);
	if ((ops->flags & FTRACE_OPS_FL_ENABLED) && ops->direct_call == addr)
		err = ftrace_direct(ops->filter->ips, ops->filter->count, addr,
				    0);
	if (!err) {
		ops->flags &= ~FTRACE_OPS_FL_ENABLED;
		ops->direct_call = 0;
	}
	mutex_unlock(&direct_mutex);
	return err;
}
EXPORT_SYMBOL_GPL(unregister_ftrace_direct_multi);

int modify_ftrace_direct_multi(struct ftrace_ops *ops, unsigned long addr)
{
	int err = -EINVAL;

	mutex_lock(&direct_mutex);
	if (addr && (ops->flags & FTRACE_OPS_FL_ENABLED))
		err = ftrace_direct(ops->filter->ips, ops->filter->count,
				    ops->direct_call, addr);
	if (!err)
		ops->direct_call = addr;
	mutex_unlock(&direct_mutex);
	return err;
}
EXPORT_SYMBOL_GPL(modify_ftrace_direct_multi);

/* Filters */

static struct ftrace_hash *alloc_ftrace_hash(unsigned long most)
{
	struct ftrace_hash *hash;

	hash = kmalloc(sizeof(*hash) + most * sizeof(hash->ips[0]), GFP_KERNEL);
	if (hash)
		hash->count = 0;
	return hash;
}

static bool ftrace_lookup_ip(const struct ftrace_hash *hash, unsigned long ip)
{
	unsigned long i;

	for (i = 0; i < hash->count; i++)
		if (hash->ips[i] == ip)
			return true;
	return false;
}

/*
 * Adds call sites to those of an ops, or takes them out: in a copy, so that
 * nothing has changed if something fails.
 */
static int ftrace_change_filter(struct ftrace_ops *ops,
				const struct ftrace_hash *wanted, bool remove,
				bool reset)
{
	static const struct ftrace_hash empty;
	const struct ftrace_hash *old = ops->filter;
	struct ftrace_hash *new;
	unsigned long i;

	if (ops->flags & FTRACE_OPS_FL_ENABLED)
		return -EBUSY;
	if (!old || reset)
		old = &empty;
	new = alloc_ftrace_hash(old->count + wanted->count);
	if (!new)
		return -ENOMEM;
	for (i = 0; i < old->count; i++)
		if (!remove || !ftrace_lookup_ip(wanted, old->ips[i]))
			new->ips[new->count++] = old->ips[i];
	for (i = 0; !remove && i < wanted->count; i++)
		if (!ftrace_lookup_ip(old, wanted->ips[i]))
			new->ips[new->count++] = wanted->ips[i];
	if (remove && new->count == old->count) {
		kfree(new);
		return -ENOENT;
	}
	kfree(ops->filter);
	ops->filter = new;
	ops->flags |= FTRACE_OPS_FL_INITIALIZED;
	return 0;
}

int ftrace_set_filter_ip(struct ftrace_ops *ops, unsigned long ip, int remove,
			 int reset)
{
	struct ftrace_hash *wanted = alloc_ftrace_hash(1);
	int err = -EINVAL;

	if (!wanted)
		return -ENOMEM;
	mutex_lock(&direct_mutex);
	wanted->ips[0] = ftrace_location(ip);
	wanted->count = 1;
	if (wanted->ips[0])
		err = ftrace_change_filter(ops, wanted, remove, reset);
	mutex_unlock(&direct_mutex);
	kfree(wanted);
	return err;
}
EXPORT_SYMBOL_GPL(ftrace_set_filter_ip);

/* The call sites of the functions that a word selects; NULL: no memory. */
static struct ftrace_hash *ftrace_match(const char *word, int len)
{
	struct ftrace_hash *hash;
	long count = 0, most;

	do {	/* a module may come in between */
		most = count;
		hash = alloc_ftrace_hash(most);
		if (!hash)
			return NULL;
		count = hostcall(HC_FTRACE_MATCH, (unsigned long)word, len,
				 (unsigned long)hash->ips, most);
		hash->count = max(count, 0L);
		if (count > most)
			kfree(hash);
	} while (count > most);
	return hash;
}

int ftrace_set_filter(struct ftrace_ops *ops, unsigned char *buf, int len,
		      int reset)
{
	bool remove = len > 0 && buf[0] == '!';
	struct ftrace_hash *wanted;
	int err = -EINVAL;

	if (len <= remove)
		return -EINVAL;
	wanted = ftrace_match((const char *)buf + remove, len - remove);
	if (!wanted)
		return -ENOMEM;
	mutex_lock(&direct_mutex);
	if (wanted->count)
		err = ftrace_change_filter(ops, wanted, remove, reset);
	mutex_unlock(&direct_mutex);
	kfree(wanted);
	return err;
}
EXPORT_SYMBOL_GPL(ftrace_set_filter);

void ftrace_free_filter(struct ftrace_ops *ops)
{
	mutex_lock(&direct_mutex);
	if (!(ops->flags & FTRACE_OPS_FL_ENABLED)) {
		kfree(ops->filter);
		ops->filter = NULL;
		ops->flags = 0;
	}
	mutex_unlock(&direct_mutex);
}
EXPORT_SYMBOL_GPL(ftrace_free_filter);
