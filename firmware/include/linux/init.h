/* SPDX-License-Identifier: GPL-2.0-only */
/* Boot: entry points of the parts, in the order init/main.c calls them. */
#ifndef _LINUX_INIT_H
#define _LINUX_INIT_H

#include <linux/compiler.h>
#include <linux/types.h>
#include <asm/setup.h>

#define __init		__section(".init.text")
#define __initdata	__section(".init.data")

typedef int (*initcall_t)(void);

/*
 * Functions that the boot calls by level, and within a level in the order in
 * which they are linked (by file name). Early ones run before the other CPUs
 * do.
 */
#define __define_initcall(fn, level)					\
	static initcall_t const __initcall_##fn				\
	__section(".initcall" #level ".init") __used = (fn)

#define early_initcall(fn)	__define_initcall(fn, 0)
#define core_initcall(fn)	__define_initcall(fn, 1)
#define postcore_initcall(fn)	__define_initcall(fn, 2)
#define arch_initcall(fn)	__define_initcall(fn, 3)
#define subsys_initcall(fn)	__define_initcall(fn, 4)
#define fs_initcall(fn)		__define_initcall(fn, 5)
#define device_initcall(fn)	__define_initcall(fn, 6)
#define late_initcall(fn)	__define_initcall(fn, 7)

/*
 * A module's beginning and its end; code that is part of the kernel begins at
 * boot and never ends.
 */
#ifdef MODULE
#define module_init(fn)							\
	int init_module(void) __attribute__((alias(#fn)));		\
	typedef int __module_init_##fn
#define module_exit(fn)							\
	void cleanup_module(void) __attribute__((alias(#fn)));		\
	typedef int __module_exit_##fn
#define __exit			__section(".exit.text")
#else
#define module_init(fn)		device_initcall(fn)
#define module_exit(fn)		typedef int __module_exit_##fn
#endif

/*
 * Parameters on the kernel's command line: "name=" passes what follows to @fn,
 * "name" alone an empty text. Early ones are looked at before memory is set up;
 * @fn returns 0 if it does not like what it is given.
 */
struct obs_kernel_param {
	const char *str;
	int (*setup_func)(char *str);
	bool early;
};

#define __setup_param(text, fn, is_early)				\
	static const struct obs_kernel_param __setup_##fn		\
	__section(".init.setup") __used __aligned(8) =			\
		{ .str = (text), .setup_func = (fn), .early = (is_early) }
#define __setup(text, fn)	__setup_param(text, fn, false)
#define early_param(text, fn)	__setup_param(text, fn, true)

extern const struct obs_kernel_param __setup_start[], __setup_end[];

/* How many words of the command line init can get. */
#define MAX_INIT_ARGS		32
#define MAX_INIT_ENVS		32

/* What init is given, in kernel/init/params.c. */
extern const char *argv_init[], *envp_init[];

void parse_early_param(void);
void parse_params(void);
bool get_option(char **str, int *value);

/* Where each level's functions begin. */
extern const initcall_t __initcall0_start[], __initcall1_start[],
	__initcall2_start[], __initcall3_start[], __initcall4_start[],
	__initcall5_start[], __initcall6_start[], __initcall7_start[],
	__initcall_end[];

int do_one_initcall(initcall_t fn);

struct boot_params;

void start_kernel(void);
void setup_arch(void);
/* The first C code, called by head.S. */
void arch_start_kernel(struct boot_params *params) __noreturn;
void trap_init(void);
void mm_init(void);
void sched_init(void);
void fork_init(void);
void init_timers(void);
void hrtimers_init(void);

/* arch: the kernel's translations. */
void paging_init(void);

/* kernel/fs: caches and the root file system; the initramfs. */
void vfs_caches_init(void);
void populate_rootfs(void);

/* kernel/fs/exec/exec.c; the calling thread becomes a program as it returns. */
int kernel_execve(const char *filename, const char *const *argv,
		  const char *const *envp);

#endif
