/* SPDX-License-Identifier: GPL-2.0-only */
/* The order in which the kernel comes to life. */
#include <linux/completion.h>
#include <linux/cpu.h>
#include <linux/device.h>
#include <linux/ftrace.h>
#include <linux/init.h>
#include <linux/init_task.h>
#include <linux/interrupt.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/utsname.h>
#include <linux/workqueue.h>
#include <emu/boot_params.h>

#define CREATE_TRACE_POINTS
#include <trace/events/initcall.h>

static DECLARE_COMPLETION(kthreadd_done);

enum system_states system_state;

/* The kernel's, and a module's. */
int do_one_initcall(initcall_t fn)
{
	int ret;

	trace_initcall_start(fn);
	ret = fn();
	trace_initcall_finish(fn, ret);
	return ret;
}

static const initcall_t *const initcall_levels[] = {
	__initcall0_start,
	__initcall1_start,
	__initcall2_start,
	__initcall3_start,
	__initcall4_start,
	__initcall5_start,
	__initcall6_start,
	__initcall7_start,
	__initcall_end,
};

static const char *const initcall_level_names[] = {
	"early", "core", "postcore", "arch", "subsys", "fs", "device", "late",
};

static void __init do_initcall_level(int level)
{
	const initcall_t *fn;
	int err;

	trace_initcall_level(initcall_level_names[level]);
	for (fn = initcall_levels[level]; fn < initcall_levels[level + 1];
	     fn++) {
		err = do_one_initcall(*fn);
		if (err)
			panic("initcall %p: error %d", *fn, -err);
	}
}

static void __init do_pre_smp_initcalls(void)
{
	do_initcall_level(0);
}

static void __init do_initcalls(void)
{
	for (int level = 1; level < ARRAY_SIZE(initcall_level_names); level++)
		do_initcall_level(level);
}

/* Process 1, before it is a program. */
static int kernel_init(void *unused)
{
	int err;

	system_state = SYSTEM_SCHEDULING;
	wait_for_completion(&kthreadd_done);
	set_task_comm(current, "init");
	do_pre_smp_initcalls();
	bringup_nonboot_cpus();
	spawn_ksoftirqd();
	do_initcalls();
	late_trace_init();
	populate_rootfs();
	console_on_rootfs();
	ftrace_boot_snapshot();
	system_state = SYSTEM_RUNNING;
	pr_info("Run %s as init process\n", argv_init[0]);
	err = kernel_execve(argv_init[0], argv_init, envp_init);
	if (err)
		panic("%s: error %d", argv_init[0], -err);
	return 0;
}

/* This task becomes CPU 0's idle task. */
static __noreturn void rest_init(void)
{
	pid_t pid;

	user_mode_thread(kernel_init, NULL, CLONE_FS | SIGCHLD);
	pid = kernel_thread(kthreadd, NULL, CLONE_FS | CLONE_FILES);
	kthreadd_task = find_get_task_by_vpid(pid);
	complete(&kthreadd_done);
	cpu_startup_entry();
}

void start_kernel(void)
{
	init_task_early();
	boot_cpu_init();
	setup_arch();
	parse_early_param();
	setup_per_cpu_areas();
	trap_init();
	cpu_ready();
	mm_init();
	sched_init();
	workqueue_init_early();
	rcu_init();
	pr_notice("%s", linux_banner);
	pr_notice("Kernel command line: %s\n", boot_params.command_line);
	init_timers();
	hrtimers_init();
	call_function_init();
	fork_init();
	vfs_caches_init();
	parse_params();
	rest_init();
}
