/* SPDX-License-Identifier: GPL-2.0-only */
/* Functions that the host has CPUs run; found by their symbols. */
#ifndef _LINUX_UPCALL_H
#define _LINUX_UPCALL_H

#include <linux/types.h>

struct upcall_stop {
	u32 arrived;
	u32 released;
};

void run_upcalls(void);
u64 upcall_sync_core(u64 arg);
u64 upcall_stop_machine(u64 arg);

#endif
