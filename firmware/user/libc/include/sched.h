/* SPDX-License-Identifier: GPL-2.0-only */
/* Threads as the kernel makes them. */
#ifndef SCHED_H
#define SCHED_H

#define CLONE_VM		0x00000100
#define CLONE_FS		0x00000200
#define CLONE_FILES		0x00000400
#define CLONE_SIGHAND		0x00000800
#define CLONE_VFORK		0x00004000
#define CLONE_PARENT		0x00008000
#define CLONE_THREAD		0x00010000
#define CLONE_SYSVSEM		0x00040000
#define CLONE_SETTLS		0x00080000
#define CLONE_PARENT_SETTID	0x00100000
#define CLONE_CHILD_CLEARTID	0x00200000
#define CLONE_CHILD_SETTID	0x01000000

/*
 * arch: has the new task call a function, and end with what it returns. Returns
 * its number, or -errno.
 */
long __clone(int (*function)(void *), void *stack, unsigned long flags,
	     void *argument, int *parent_tid, void *tls, int *child_tid);

#endif
