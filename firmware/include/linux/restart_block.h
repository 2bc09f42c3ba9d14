/* SPDX-License-Identifier: GPL-2.0-only */
/* How restart_syscall goes on with what a signal interrupted. */
#ifndef _LINUX_RESTART_BLOCK_H
#define _LINUX_RESTART_BLOCK_H

#include <linux/types.h>
#include <linux/compiler.h>

struct __kernel_timespec;

struct restart_block {
	long (*fn)(struct restart_block *restart);
	union {
		struct {
			u32 __user *uaddr;
			u32 val;
			u32 flags;
			u32 bitset;
			u64 time;
		} futex;
		struct {
			clockid_t clockid;
			struct __kernel_timespec __user *rmtp;
			u64 expires;
		} nanosleep;
		struct {
			void __user *ufds;
			unsigned int nfds;
			long long expires;
		} poll;
	};
};

long do_no_restart_syscall(struct restart_block *param);

/* Returns what the system call is to return. */
#define set_restart_fn(restart, function) \
	((restart)->fn = (function), -ERESTART_RESTARTBLOCK)

#endif
