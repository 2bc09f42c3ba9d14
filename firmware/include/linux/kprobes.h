/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kernel probes: functions that are called when a CPU comes to an instruction
 * of the kernel or of a module, or when a function returns. The host checks and
 * places them (docs/board.md); what they call runs here, in the trap.
 */
#ifndef _LINUX_KPROBES_H
#define _LINUX_KPROBES_H

#include <linux/compiler.h>
#include <linux/types.h>
#include <asm/kprobes.h>
#include <asm/ptrace.h>

struct kprobe;
struct kretprobe;
struct kretprobe_holder;
struct kretprobe_instance;
struct module;
struct task_struct;

/*
 * Called with preemption off, before the instruction. 0: it is executed next;
 * else the CPU goes on where @regs, changed by the handler, say.
 */
typedef int (*kprobe_pre_handler_t)(struct kprobe *p, struct pt_regs *regs);
/* The same when it has been executed; @flags are 0. */
typedef void (*kprobe_post_handler_t)(struct kprobe *p, struct pt_regs *regs,
				      unsigned long flags);
typedef int (*kretprobe_handler_t)(struct kretprobe_instance *ri,
				   struct pt_regs *regs);

struct kprobe {
	struct kprobe *next;		/* of those with its trap's hash */
	struct kprobe *next_registered;
	unsigned long nmissed;		/* hits while a handler was running */
	kprobe_opcode_t *addr;		/* this, or a symbol and an offset */
	const char *symbol_name;	/* "NAME" or "MODULE:NAME" */
	unsigned int offset;
	kprobe_pre_handler_t pre_handler;
	kprobe_post_handler_t post_handler;
	unsigned long trap;		/* where the CPU traps for it */
	u32 flags;
};

#define KPROBE_FLAG_GONE	1	/* its code has been freed */
#define KPROBE_FLAG_DISABLED	2

struct kretprobe {
	struct kprobe kp;
	kretprobe_handler_t handler;
	/* Not 0: this call is not watched. */
	kretprobe_handler_t entry_handler;
	int maxactive;			/* calls under way; 0 or less: a default */
	int nmissed;			/* calls beyond them */
	size_t data_size;		/* of the instance's data */
	struct kretprobe_holder *rph;
};

#define KRETPROBE_MAX_DATA_SIZE	4096

/* A call that is watched. */
struct kretprobe_instance {
	struct kretprobe_instance *next;	/* the task's call before it */
	struct kretprobe_holder *rph;
	unsigned long ret_addr;
	unsigned long fp;		/* identifies the call */
	bool used;
	char data[] __aligned(8);
};

/* What an instance belongs to; NULL: that is being unregistered. */
struct kretprobe *get_kretprobe(struct kretprobe_instance *ri);

static inline unsigned long get_kretprobe_retaddr(struct kretprobe_instance *ri)
{
	return ri->ret_addr;
}

static inline bool kprobe_gone(struct kprobe *p)
{
	return p->flags & KPROBE_FLAG_GONE;
}

static inline bool kprobe_disabled(struct kprobe *p)
{
	return p->flags & (KPROBE_FLAG_DISABLED | KPROBE_FLAG_GONE);
}

/* All of these may sleep. 0, or an error, and then nothing has changed. */
int register_kprobe(struct kprobe *p);
void unregister_kprobe(struct kprobe *p);
int register_kprobes(struct kprobe **kps, int num);
void unregister_kprobes(struct kprobe **kps, int num);
int register_kretprobe(struct kretprobe *rp);
void unregister_kretprobe(struct kretprobe *rp);
int register_kretprobes(struct kretprobe **rps, int num);
void unregister_kretprobes(struct kretprobe **rps, int num);
int enable_kprobe(struct kprobe *p);
int disable_kprobe(struct kprobe *p);

static inline int enable_kretprobe(struct kretprobe *rp)
{
	return enable_kprobe(&rp->kp);
}

static inline int disable_kretprobe(struct kretprobe *rp)
{
	return disable_kprobe(&rp->kp);
}

/*
 * A module's code from @start on is about to be freed: probes there are gone.
 * Those that the module itself has left behind are taken away, with a warning.
 */
void kprobes_free_mem(void *start, void *end);
void kprobes_release_mod(struct module *mod);
/* A task is freed: calls of its that have not returned never will. */
void kprobe_flush_task(struct task_struct *tsk);

enum kprobe_trap {
	KPROBE_NOT_OURS,	/* though perhaps the host's */
	KPROBE_HANDLED,		/* the registers say where to go on */
	KPROBE_HIT,		/* the instruction is to be executed */
	KPROBE_REENTERED,	/* the same, inside the handlers of another */
};

/* The kernel has trapped; interrupts are off. */
enum kprobe_trap kprobe_handler(struct pt_regs *regs);
/* Then, unless it is handled, the host has changed @regs to go on. */
void kprobe_executed(struct pt_regs *regs, enum kprobe_trap trapped);

#endif
