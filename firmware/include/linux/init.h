/* SPDX-License-Identifier: GPL-2.0-only */
/* Boot: entry points of the parts, in the order init/main.c calls them. */
#ifndef _LINUX_INIT_H
#define _LINUX_INIT_H

#include <linux/compiler.h>

#define __init		__section(".init.text")
#define __initdata	__section(".init.data")

void start_kernel(void);
void setup_arch(void);
void trap_init(void);
void mm_init(void);
void sched_init(void);
void fork_init(void);
void init_timers(void);
void hrtimers_init(void);

/* arch: this CPU takes exceptions, and upcalls once interrupts are on. */
void arch_cpu_ready(void);

/* kernel/fs: caches and the root file system; devices; the initramfs. */
void vfs_caches_init(void);
void do_basic_setup(void);
void populate_rootfs(void);

/* kernel/fs/exec.c; replaces the calling kernel thread's image. */
int kernel_execve(const char *filename, const char *const *argv,
		  const char *const *envp);

#endif
