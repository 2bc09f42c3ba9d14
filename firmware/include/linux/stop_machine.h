/* SPDX-License-Identifier: GPL-2.0-only */
/* Making CPUs drop what they do, to run a function that nothing preempts. */
#ifndef _LINUX_STOP_MACHINE_H
#define _LINUX_STOP_MACHINE_H

#include <linux/list.h>
#include <linux/types.h>

typedef int (*cpu_stop_fn_t)(void *arg);

struct cpu_stop_done;

struct cpu_stop_work {
	struct list_head list;
	cpu_stop_fn_t fn;
	void *arg;
	struct cpu_stop_done *done;	/* NULL: nobody waits */
};

/* Waits for it; what @fn returned, or -ENOENT without stopper threads. */
int stop_one_cpu(unsigned int cpu, cpu_stop_fn_t fn, void *arg);

/* From anywhere, with preemption off. @work must live until @fn runs. */
bool stop_one_cpu_nowait(unsigned int cpu, cpu_stop_fn_t fn, void *arg,
			 struct cpu_stop_work *work);

#endif
