/* SPDX-License-Identifier: GPL-2.0-only */
/* Signals: default actions and ignoring; numbers come from asm/signal.h. */
#ifndef _LINUX_SIGNAL_H
#define _LINUX_SIGNAL_H

#include <linux/types.h>
#include <asm/signal.h>

struct task_struct;
struct pt_regs;

#define sigmask(sig)	(1UL << ((sig) - 1))

int send_sig(int sig, struct task_struct *p);
void force_sig(int sig);
void ignore_signals(struct task_struct *p);
bool signal_ignored(int sig, const struct task_struct *p);
void flush_signal_handlers(struct task_struct *p);

/* Acts on what is pending; may not return. */
void arch_do_signal_or_restart(struct pt_regs *regs);

/* arch: */
void restart_syscall_if_interrupted(struct pt_regs *regs);

#endif
