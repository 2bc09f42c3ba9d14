/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kernel probes of returns. A call that is watched has an instance, on a list of
 * its task's, and the host has a node for it (linux/rethook.h). When the call
 * has returned, the host has the CPU trap at kretprobe_trap.
 */
#include <linux/bug.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/mutex.h>
#include <linux/rethook.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include "internal.h"

#define LEAST_MAXACTIVE	10

/*
 * All instances of a kretprobe. It outlives the kretprobe by the calls that
 * have not returned yet.
 */
struct kretprobe_holder {
	struct kretprobe *rp;
	struct kretprobe_holder *next;
	int count;
	struct kretprobe_instance *instances[];
};

/* Those of kretprobes that are gone. */
static DEFINE_MUTEX(gone_mutex);
static struct kretprobe_holder *gone;

struct kretprobe *get_kretprobe(struct kretprobe_instance *ri)
{
	return READ_ONCE(ri->rph->rp);
}

/* No lock: whoever holds it could be the one who is probed. */
static noinstr struct kretprobe_instance *take(struct kretprobe_holder *rph)
{
	for (int n = 0; n < rph->count; n++) {
		struct kretprobe_instance *ri = rph->instances[n];

		if (!__atomic_exchange_n(&ri->used, true, __ATOMIC_ACQUIRE))
			return ri;
	}
	return NULL;
}

static noinstr void give_back(struct kretprobe_instance *ri)
{
	__atomic_store_n(&ri->used, false, __ATOMIC_RELEASE);
}

noinstr int pre_handler_kretprobe(struct kprobe *p, struct pt_regs *regs)
{
	struct kretprobe *rp = container_of(p, struct kretprobe, kp);
	struct kretprobe_instance *ri = take(rp->rph);

	if (!ri) {
		rp->nmissed++;
		return 0;
	}
	if (rp->entry_handler && rp->entry_handler(ri, regs)) {
		give_back(ri);
		return 0;
	}
	if (!arch_kretprobe_hook(regs, &ri->ret_addr, &ri->fp)) {
		give_back(ri);
		rp->nmissed++;
		return 0;
	}
	ri->next = current->kretprobe_instances;
	current->kretprobe_instances = ri;
	return 0;
}

/*
 * A call has several instances if several kretprobes are there. Those of other
 * calls among them are of calls that the task has left without returning.
 */
noinstr void kretprobe_call_returned(struct pt_regs *regs, unsigned long frame)
{
	struct kretprobe_instance *ri, *last = NULL, *next;

	for (ri = current->kretprobe_instances; ri; ri = ri->next)
		if (ri->fp == frame)
			last = ri;
	if (!last)
		return;
	for (ri = current->kretprobe_instances;; ri = next) {
		struct kretprobe *rp = get_kretprobe(ri);

		if (ri->fp == frame && rp && rp->handler &&
		    !kprobe_disabled(&rp->kp))
			rp->handler(ri, regs);
		next = ri->next;
		current->kretprobe_instances = next;
		give_back(ri);
		if (ri == last)
			return;
	}
}

void kprobe_flush_task(struct task_struct *tsk)
{
	struct kretprobe_instance *ri = tsk->kretprobe_instances;

	tsk->kretprobe_instances = NULL;
	while (ri) {
		struct kretprobe_instance *next = ri->next;

		give_back(ri);
		ri = next;
	}
}

static void free_holder(struct kretprobe_holder *rph)
{
	for (int n = 0; n < rph->count; n++)
		kfree(rph->instances[n]);
	kfree(rph);
}

static struct kretprobe_holder *alloc_holder(struct kretprobe *rp)
{
	struct kretprobe_holder *rph;

	rph = kzalloc(sizeof(*rph) + rp->maxactive * sizeof(rph->instances[0]),
		      GFP_KERNEL);
	if (!rph)
		return NULL;
	rph->rp = rp;
	for (; rph->count < rp->maxactive; rph->count++) {
		struct kretprobe_instance *ri;

		ri = kzalloc(sizeof(*ri) + rp->data_size, GFP_KERNEL);
		if (!ri) {
			free_holder(rph);
			return NULL;
		}
		ri->rph = rph;
		rph->instances[rph->count] = ri;
	}
	return rph;
}

static bool in_use(const struct kretprobe_holder *rph)
{
	for (int n = 0; n < rph->count; n++)
		if (__atomic_load_n(&rph->instances[n]->used, __ATOMIC_ACQUIRE))
			return true;
	return false;
}

void kretprobe_reap(void)
{
	struct kretprobe_holder **at = &gone, *rph;

	mutex_lock(&gone_mutex);
	while ((rph = *at) != NULL) {
		if (in_use(rph)) {
			at = &rph->next;
		} else {
			*at = rph->next;
			free_holder(rph);
		}
	}
	mutex_unlock(&gone_mutex);
}

int register_kretprobe(struct kretprobe *rp)
{
	int err;

	if (WARN_ON_ONCE(kprobe_registered(&rp->kp)))
		return -EINVAL;
	if (rp->data_size > KRETPROBE_MAX_DATA_SIZE)
		return -E2BIG;
	rp->kp.pre_handler = pre_handler_kretprobe;
	rp->kp.post_handler = NULL;
	if (rp->maxactive <= 0)
		rp->maxactive = max_t(int, LEAST_MAXACTIVE, 2 * nr_cpu_ids);
	rp->nmissed = 0;
	rp->rph = alloc_holder(rp);
	if (!rp->rph)
		return -ENOMEM;
	err = register_kprobe(&rp->kp);
	if (err) {
		free_holder(rp->rph);
		rp->rph = NULL;
	}
	return err;
}

int register_kretprobes(struct kretprobe **rps, int num)
{
	if (num <= 0)
		return -EINVAL;
	for (int n = 0; n < num; n++) {
		int err = register_kretprobe(rps[n]);

		if (err) {
			unregister_kretprobes(rps, n);
			return err;
		}
	}
	return 0;
}

void unregister_kretprobe(struct kretprobe *rp)
{
	struct kretprobe_holder *rph = rp->rph;

	if (!rph)
		return;
	WRITE_ONCE(rph->rp, NULL);
	unregister_kprobe(&rp->kp);	/* nobody is in a handler any more */
	rp->rph = NULL;
	mutex_lock(&gone_mutex);
	rph->next = gone;
	gone = rph;
	mutex_unlock(&gone_mutex);
	kretprobe_reap();
}

void unregister_kretprobes(struct kretprobe **rps, int num)
{
	for (int n = 0; n < num; n++)
		unregister_kretprobe(rps[n]);
}
