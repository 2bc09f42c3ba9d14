/* SPDX-License-Identifier: GPL-2.0-only */
/* Functions that the host has CPUs run; found by their symbols. */
#ifndef _LINUX_UPCALL_H
#define _LINUX_UPCALL_H

#include <linux/types.h>

/* What HC_UPCALL_NEXT fills in: a function to call, and its argument. */
struct upcall {
	u64 function;
	u64 argument;
};

struct upcall_stop {
	u32 arrived;
	u32 released;
};

void run_upcalls(void);
u64 upcall_sync_core(u64 arg);
u64 upcall_stop_machine(u64 arg);
u64 upcall_output_printk(u64 arg);

#endif
