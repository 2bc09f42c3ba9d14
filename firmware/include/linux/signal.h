/* SPDX-License-Identifier: GPL-2.0-only */
/* Signals: default actions and ignoring; numbers come from asm/signal.h. */
#ifndef _LINUX_SIGNAL_H
#define _LINUX_SIGNAL_H

#include <linux/types.h>
#include <asm/signal.h>

struct task_struct;
struct pt_regs;

#define sigmask(sig)	(1UL << ((sig) - 1))

int send_sig(int sig, struct task_struct *p, int priv);
void force_sig(int sig);
int kill_pid_group(int sig, pid_t pgrp);
bool signal_wake_up(struct task_struct *p, bool fatal);
void flush_signal_handlers(struct task_struct *p);
void get_signal_and_act(struct pt_regs *regs);

#endif
