/* SPDX-License-Identifier: GPL-2.0-only */
/* The way back from system calls, exceptions and interrupts. */
#ifndef _LINUX_ENTRY_COMMON_H
#define _LINUX_ENTRY_COMMON_H

struct pt_regs;

void syscall_exit_to_user_mode(struct pt_regs *regs);

/* With interrupts off, before every return from an exception. */
void irqentry_exit(struct pt_regs *regs);

#endif
