/* SPDX-License-Identifier: GPL-2.0-only */
/* Threads of which every CPU has one. */
#ifndef _LINUX_SMPBOOT_H
#define _LINUX_SMPBOOT_H

#include <linux/types.h>

struct task_struct;

struct smp_hotplug_thread {
	struct task_struct **store;		/* per CPU */
	int (*thread_should_run)(unsigned int cpu);
	void (*thread_fn)(unsigned int cpu);
	void (*create)(unsigned int cpu);	/* before it runs; may be NULL */
	const char *thread_comm;		/* with %u */
};

/* Makes and starts them; all CPUs are online. */
int smpboot_register_percpu_thread(struct smp_hotplug_thread *plug_thread);

#endif
