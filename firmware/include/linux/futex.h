/* SPDX-License-Identifier: GPL-2.0-only */
/* Futexes: sleeping until another thread says that a word has changed. */
#ifndef _LINUX_FUTEX_H
#define _LINUX_FUTEX_H

#include <linux/ktime.h>
#include <linux/types.h>

struct task_struct;

#define FUTEX_WAIT		0
#define FUTEX_WAKE		1
#define FUTEX_REQUEUE		3
#define FUTEX_CMP_REQUEUE	4
#define FUTEX_WAKE_OP		5
#define FUTEX_WAIT_BITSET	9
#define FUTEX_WAKE_BITSET	10

#define FUTEX_PRIVATE_FLAG	128
#define FUTEX_CLOCK_REALTIME	256
#define FUTEX_CMD_MASK		~(FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME)

#define FUTEX_BITSET_MATCH_ANY	0xffffffffu

#define FUTEX_WAITERS		0x80000000u
#define FUTEX_OWNER_DIED	0x40000000u
#define FUTEX_TID_MASK		0x3fffffffu

/* How a thread tells which locks it holds, should it die. */
struct robust_list {
	struct robust_list __user *next;
};

struct robust_list_head {
	struct robust_list list;
	long futex_offset;		/* from an entry to its word */
	struct robust_list __user *list_op_pending;
};

/* @timeout: absolute, or NULL. */
long do_futex(u32 __user *uaddr, int op, u32 val, const ktime_t *timeout,
	      u32 __user *uaddr2, u32 val2, u32 val3);
void exit_robust_list(struct task_struct *p);

#endif
