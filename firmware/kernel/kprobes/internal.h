/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _KPROBES_INTERNAL_H
#define _KPROBES_INTERNAL_H

#include <linux/kprobes.h>

#define KPROBE_HASH_BITS	6

/* By trap, the newest first; readers have preemption off. */
extern struct kprobe *kprobe_table[1 << KPROBE_HASH_BITS];

static __always_inline struct kprobe **kprobe_bucket(unsigned long trap)
{
	return &kprobe_table[(trap ^ trap >> KPROBE_HASH_BITS) %
			     (1 << KPROBE_HASH_BITS)];
}

/* Takes kprobe_mutex. */
bool kprobe_registered(const struct kprobe *p);
/* The pre_handler of every kretprobe. */
int pre_handler_kretprobe(struct kprobe *p, struct pt_regs *regs);
/* The current task's call @frame has returned: its instances' handlers run. */
void kretprobe_call_returned(struct pt_regs *regs, unsigned long frame);
/* Frees what calls needed of kretprobes that have been unregistered. */
void kretprobe_reap(void);

#endif
