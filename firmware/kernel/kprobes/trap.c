/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What happens at a probe. The CPU traps, the handlers run, and the CPU goes on
 * with a copy of the instruction, which the host has put elsewhere. If there is
 * a post_handler, it traps again behind the copy. Nothing here is traced.
 */
#define DISABLE_BRANCH_PROFILING
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/ptrace.h>
#include <linux/rethook.h>
#include <asm/sections.h>
#include "internal.h"

struct kprobe *kprobe_table[1 << KPROBE_HASH_BITS];

static DEFINE_PER_CPU(struct kprobe_ctlblk, kprobe_ctlblk);

static __always_inline bool in_copy(unsigned long addr)
{
	return addr >= (unsigned long)__ftrace_tramp_start &&
	       addr < (unsigned long)__ftrace_shared;
}

/* The next probe with that trap, from @p on. */
static __always_inline struct kprobe *probe_from(struct kprobe *p,
						 unsigned long trap)
{
	while (p && READ_ONCE(p->trap) != trap)
		p = READ_ONCE(p->next);
	return p;
}

#define for_each_probe(p, trap)						\
	for ((p) = probe_from(READ_ONCE(*kprobe_bucket(trap)), (trap));	\
	     (p); (p) = probe_from(READ_ONCE((p)->next), (trap)))

static __always_inline void begin(struct kprobe_ctlblk *kcb,
				  unsigned long trap)
{
	preempt_disable_notrace();
	kcb->running = trap;
}

static __always_inline void end(struct kprobe_ctlblk *kcb)
{
	kcb->running = 0;
	preempt_enable_no_resched_notrace();
}

/* Whether one has had the CPU go on elsewhere; then the others do nothing. */
static noinstr bool pre_handlers(struct pt_regs *regs, unsigned long trap)
{
	struct kprobe *p;

	for_each_probe(p, trap) {
		set_breakpoint_address(regs, (unsigned long)p->addr);
		if (p->pre_handler && p->pre_handler(p, regs))
			return true;
	}
	return false;
}

static noinstr void post_handlers(struct pt_regs *regs, unsigned long trap)
{
	struct kprobe *p;

	for_each_probe(p, trap)
		if (p->post_handler)
			p->post_handler(p, regs, 0);
}

static noinstr bool has_post_handler(unsigned long trap)
{
	struct kprobe *p;

	for_each_probe(p, trap)
		if (p->post_handler)
			return true;
	return false;
}

/* The CPU goes on with the instruction's copy, or behind the instruction. */
noinstr void kprobe_executed(struct pt_regs *regs, enum kprobe_trap trapped)
{
	struct kprobe_ctlblk *kcb = this_cpu_ptr(&kprobe_ctlblk);
	bool copied = in_copy(instruction_pointer(regs));

	if (trapped == KPROBE_REENTERED && KPROBE_COPY_TRAPS && copied)
		kcb->reentered++;
	if (trapped != KPROBE_HIT)
		return;
	if (copied && has_post_handler(kcb->running)) {
		arch_kprobe_step(regs, kcb);
		kcb->stepping = true;
		return;
	}
	if (!copied)
		post_handlers(regs, kcb->running);
	end(kcb);
}

static noinstr enum kprobe_trap hit(struct pt_regs *regs,
				    struct kprobe_ctlblk *kcb,
				    unsigned long trap)
{
	enum kprobe_trap trapped = KPROBE_HIT;
	struct kprobe *p;

	if (kcb->running) {
		trapped = KPROBE_REENTERED;
		for_each_probe(p, trap)
			p->nmissed++;
	} else {
		begin(kcb, trap);
		if (pre_handlers(regs, trap)) {
			end(kcb);
			return KPROBE_HANDLED;
		}
		set_breakpoint_address(regs, trap);
	}
	if (!in_copy(trap))
		return trapped;
	arch_kprobe_leave_copy(regs, kcb);
	kprobe_executed(regs, trapped);
	return KPROBE_HANDLED;
}

/*
 * Behind a copy: that of this CPU's probe, or of one inside it, or of nobody's.
 * One that is the host's alone is none of ours.
 */
static noinstr void copy_done(struct pt_regs *regs, struct kprobe_ctlblk *kcb)
{
	if (!arch_kprobe_leave_copy(regs, kcb))
		return;
	if (kcb->reentered) {
		kcb->reentered--;
	} else if (kcb->stepping) {
		kcb->stepping = false;
		post_handlers(regs, kcb->running);
		end(kcb);
	}
}

/* Probes in the handlers are missed. */
static noinstr void call_returned(struct pt_regs *regs,
				  struct kprobe_ctlblk *kcb, unsigned long trap)
{
	unsigned long running = kcb->running;

	begin(kcb, trap);
	kretprobe_call_returned(regs, arch_kretprobe_returned(regs));
	end(kcb);
	kcb->running = running;
}

noinstr enum kprobe_trap kprobe_handler(struct pt_regs *regs)
{
	struct kprobe_ctlblk *kcb = this_cpu_ptr(&kprobe_ctlblk);
	unsigned long trap = breakpoint_address(regs);

	if (probe_from(READ_ONCE(*kprobe_bucket(trap)), trap))
		return hit(regs, kcb, trap);
	if (trap == (unsigned long)kretprobe_trap)
		call_returned(regs, kcb, trap);
	else if (in_copy(trap))
		copy_done(regs, kcb);
	else
		return KPROBE_NOT_OURS;
	return KPROBE_HANDLED;
}
