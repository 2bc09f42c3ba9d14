/* SPDX-License-Identifier: GPL-2.0-only */
/* How many system call numbers there are. */
#ifndef _ASM_UNISTD_H
#define _ASM_UNISTD_H

#define __NR_restart_syscall	219

/* clone's thread pointer comes before the child's number. */
#define CLONE_BACKWARDS

#define NR_syscalls	450

#endif
