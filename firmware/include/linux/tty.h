/* SPDX-License-Identifier: GPL-2.0-only */
/* Terminals. */
#ifndef _LINUX_TTY_H
#define _LINUX_TTY_H

#include <linux/types.h>

struct task_struct;

/* tty_jobctrl.c */
void proc_clear_tty(struct task_struct *p);
void disassociate_ctty(int on_exit);

#endif
