/* SPDX-License-Identifier: GPL-2.0-only */
/* Tracing, which the host does: return stacks; telling it of tasks, modules. */
#ifndef _LINUX_FTRACE_H
#define _LINUX_FTRACE_H

#include <linux/compiler.h>
#include <linux/types.h>

struct module;
struct task_struct;
struct unwind_state;

#define FTRACE_RETFUNC_DEPTH	50

/* One traced call whose return address the host has replaced. */
struct ftrace_ret_stack {
	u64 ret;
	u64 func;
	u64 calltime;
	u64 subtime;		/* of the calls that it made, for the profiler */
	u64 fp;
};

/* What function_graph has calls return to instead. */
void return_to_handler(void);
/* Of a task that has not run yet no return address is replaced. */
void ftrace_graph_init_task(struct task_struct *t);
/* Where a frame of @task returns to, also if function_graph replaced that. */
unsigned long ftrace_graph_ret_addr(const struct task_struct *task,
				    const struct unwind_state *state);

/* With interrupts off, just before the stacks change. */
void ftrace_sched_switch(struct task_struct *prev, struct task_struct *next);
/* The child does not run yet. */
void ftrace_sched_process_fork(struct task_struct *parent,
			       struct task_struct *child);
/* After this its number can become another task's. */
void ftrace_sched_process_free(struct task_struct *task);

/*
 * Makes nops of a module's call sites, which nobody executes yet; from here on
 * they can be traced. -EINVAL if the file's table of them is wrong.
 */
int ftrace_module_init(struct module *mod);
/* The tracer in force gets the sites that its filters select. */
void ftrace_module_enable(struct module *mod);
/* Sites in [start, end) are gone: a module's init code. May sleep. */
void ftrace_free_mem(struct module *mod, void *start, void *end);
/* All of a module's sites are gone. May sleep. */
void ftrace_release_mod(struct module *mod);

/* An enum ftrace_dump_mode: what is dumped when the kernel fails. */
extern int ftrace_dump_on_oops;
/* As ftrace_dump(), of one CPU; of all with ALL_CPUS. */
void ftrace_dump_cpu(int cpu);
#define ALL_CPUS	(-1)

/* The kernel warns: is tracing to stop, so that it shows what led there? */
void disable_trace_on_warning(void);
/* What boot parameters want done when all is set up, and before init runs. */
void late_trace_init(void);
void ftrace_boot_snapshot(void);

/*
 * Where the function that says so was called, and where its caller was, which
 * nobody looks up.
 */
#define CALLER_ADDR0	((unsigned long)__builtin_return_address(0))
#define CALLER_ADDR1	0UL

extern char __lock_text_start[], __lock_text_end[];

static __always_inline bool in_lock_functions(unsigned long addr)
{
	return addr >= (unsigned long)__lock_text_start &&
	       addr < (unsigned long)__lock_text_end;
}

/* Who wanted a lock, if it is known, is asked for, not the lock's function. */
static __always_inline unsigned long get_lock_parent_ip(void)
{
	unsigned long addr = CALLER_ADDR0;

	return in_lock_functions(addr) ? CALLER_ADDR1 : addr;
}

/*
 * While trace_preempt_key is on: preemption is off; @val is subtracted, and
 * preemption may be about to be on.
 */
void trace_preempt_off(unsigned long a0, unsigned long a1);
void trace_preempt_sub(int val, unsigned long a0, unsigned long a1);

/* HOST_DEVICE_VECTOR's handler: the host may have work for ktraced. */
void trace_work_interrupt(void);

#endif
