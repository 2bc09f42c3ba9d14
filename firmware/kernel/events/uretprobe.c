/* SPDX-License-Identifier: GPL-2.0-only */
/* Calls whose return is probed: they return to a breakpoint. */
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/signal.h>
#include <linux/slab.h>
#include <asm/ptrace.h>

#include "internal.h"

#define MAX_URETPROBE_DEPTH	64

/* A call that has not returned, the newest first. */
struct return_instance {
	struct uprobe *uprobe;
	unsigned long func;
	unsigned long stack;		/* when it began */
	unsigned long orig_ret_vaddr;
	bool chained;			/* the next one returns with it */
	struct return_instance *next;
};

/* A task has one from its first such call on. */
struct uprobe_task {
	struct return_instance *return_instances;
	unsigned int depth;
};

/* Its end is the next one's beginning. */
static struct return_instance *free_ret_instance(struct return_instance *ri)
{
	struct return_instance *next = ri->next;

	put_uprobe(ri->uprobe);
	kfree(ri);
	return next;
}

static void drop_newest(struct uprobe_task *utask)
{
	utask->return_instances = free_ret_instance(utask->return_instances);
	utask->depth--;
}

void __uprobe_free_utask(struct task_struct *t)
{
	while (t->utask->return_instances)
		drop_newest(t->utask);
	kfree(t->utask);
	t->utask = NULL;
}

static struct uprobe_task *get_utask(void)
{
	if (!current->utask)
		current->utask = kzalloc(sizeof(struct uprobe_task),
					 GFP_KERNEL);
	return current->utask;
}

/* The same, of another task; without memory its calls never return. */
static int dup_utask(struct task_struct *t, const struct uprobe_task *utask)
{
	const struct return_instance *ri = utask->return_instances;
	struct return_instance **link;

	t->utask = kzalloc(sizeof(*t->utask), GFP_KERNEL);
	if (!t->utask)
		return -ENOMEM;
	link = &t->utask->return_instances;
	for (; ri; ri = ri->next) {
		*link = kmalloc(sizeof(**link), GFP_KERNEL);
		if (!*link)
			return -ENOMEM;
		**link = *ri;
		refcount_inc(&ri->uprobe->ref);
		(*link)->next = NULL;
		link = &(*link)->next;
		t->utask->depth++;
	}
	return 0;
}

void __uprobe_copy_process(struct task_struct *t, unsigned long flags)
{
	/* A thread has a stack of its own; vfork's child has its parent's. */
	if (flags & CLONE_VM && !(flags & CLONE_VFORK))
		return;
	if (dup_utask(t, current->utask))
		pr_warn("uprobe: %s:%d failed to dup utask\n", current->comm,
			task_pid_nr(current));
}

/* Those whose stack is gone never return: a longjmp, a signal's handler. */
static void cleanup_return_instances(struct uprobe_task *utask, bool chained,
				     struct pt_regs *regs)
{
	enum rp_check ctx = chained ? RP_CHECK_CHAIN_CALL : RP_CHECK_CALL;

	while (utask->return_instances &&
	       !arch_uretprobe_is_alive(utask->return_instances->stack, ctx,
					regs))
		drop_newest(utask);
}

void prepare_uretprobe(struct uprobe *uprobe, struct pt_regs *regs)
{
	unsigned long vaddr = instruction_pointer(regs), orig_ret_vaddr;
	struct uprobe_task *utask = get_utask();
	struct return_instance *ri;
	unsigned long trampoline;
	bool chained;

	if (!utask || utask->depth >= MAX_URETPROBE_DEPTH)
		return;
	trampoline = xol_get_trampoline(vaddr);
	if (!trampoline)
		return;
	ri = kmalloc(sizeof(*ri), GFP_KERNEL);
	if (!ri)
		return;
	orig_ret_vaddr = arch_uretprobe_hijack_return_addr(trampoline, regs);
	if (!orig_ret_vaddr) {
		kfree(ri);
		return;
	}
	/* A tail call, or several probes of one place. */
	chained = is_xol_trampoline(current->mm, orig_ret_vaddr);
	cleanup_return_instances(utask, chained, regs);
	if (chained) {
		if (!utask->return_instances) {
			/* Where it belongs only the program knows. */
			kfree(ri);
			force_sig(SIGSEGV);
			return;
		}
		orig_ret_vaddr = utask->return_instances->orig_ret_vaddr;
	}
	refcount_inc(&uprobe->ref);
	*ri = (struct return_instance){
		.uprobe = uprobe,
		.func = vaddr,
		.stack = user_stack_pointer(regs),
		.orig_ret_vaddr = orig_ret_vaddr,
		.chained = chained,
		.next = utask->return_instances,
	};
	utask->depth++;
	utask->return_instances = ri;
}

static void handle_uretprobe_chain(struct return_instance *ri,
				   struct pt_regs *regs)
{
	struct uprobe_consumer *uc;

	down_read(&ri->uprobe->register_rwsem);
	for (uc = ri->uprobe->consumers; uc; uc = uc->next)
		if (uc->ret_handler)
			uc->ret_handler(uc, ri->func, regs);
	up_read(&ri->uprobe->register_rwsem);
}

/* The first that does not return together with this one. */
static struct return_instance *find_next_ret_chain(struct return_instance *ri)
{
	bool chained;

	do {
		chained = ri->chained;
		ri = ri->next;
	} while (chained);
	return ri;
}

/*
 * Which call has returned: the newest one, but for those whose stack is gone,
 * as the next one can tell that still has its own.
 */
void handle_trampoline(struct pt_regs *regs)
{
	struct uprobe_task *utask = current->utask;
	struct return_instance *next;
	bool valid;

	do {
		if (!utask || !utask->return_instances) {
			/* The program came here by itself. */
			force_sig(SIGILL);
			return;
		}
		next = find_next_ret_chain(utask->return_instances);
		valid = !next || arch_uretprobe_is_alive(next->stack,
							 RP_CHECK_RET, regs);
		instruction_pointer_set(regs,
			utask->return_instances->orig_ret_vaddr);
		while (utask->return_instances != next) {
			if (valid)
				handle_uretprobe_chain(utask->return_instances,
						       regs);
			drop_newest(utask);
		}
	} while (!valid);
}
