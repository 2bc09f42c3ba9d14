/* SPDX-License-Identifier: GPL-2.0-only */
/* Tracing, which the host does: return stacks; telling it of tasks, modules. */
#ifndef _LINUX_FTRACE_H
#define _LINUX_FTRACE_H

#include <linux/compiler.h>
#include <linux/types.h>

struct ftrace_hash;
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

/*
 * Functions of which something is wanted. Zeroed memory is one that selects
 * none; ftrace_free_filter() frees what its filter takes. Its owner does not
 * change one while another task uses it.
 */
struct ftrace_ops {
	unsigned long flags;		/* FTRACE_OPS_FL_* */
	struct ftrace_hash *filter;	/* the call sites; NULL: none */
	unsigned long direct_call;	/* what they call */
};

#define FTRACE_OPS_FL_ENABLED		(1 << 0)	/* it is registered */
#define FTRACE_OPS_FL_INITIALIZED	(1 << 4)	/* its filter was set */

/*
 * Direct calls, on x86-64: a function's call site calls @addr, which finds the
 * function's arguments in registers, keeps them, and returns to the function;
 * or drops that address from the stack and returns to the function's caller.
 *
 * -ENODEV: no function can be traced that begins at @ip; -EBUSY: it has such a
 * call, or is replaced; -EINVAL: @addr is no code, or it is not what the
 * function calls. All may sleep. When a call is gone, no task is left in it
 * that does not sleep there.
 */
int register_ftrace_direct(unsigned long ip, unsigned long addr);
int unregister_ftrace_direct(unsigned long ip, unsigned long addr);
int modify_ftrace_direct(unsigned long ip, unsigned long old_addr,
			 unsigned long new_addr);

/* The same for all functions of a filter; -EINVAL if there are none. */
int register_ftrace_direct_multi(struct ftrace_ops *ops, unsigned long addr);
int unregister_ftrace_direct_multi(struct ftrace_ops *ops, unsigned long addr);
int modify_ftrace_direct_multi(struct ftrace_ops *ops, unsigned long addr);

/*
 * Adds the function at an address to a filter, or takes it out; @reset: nothing
 * was in it before. -EINVAL: there is none; -ENOENT: it is not in the filter;
 * -EBUSY: the filter is in use.
 */
int ftrace_set_filter_ip(struct ftrace_ops *ops, unsigned long ip, int remove,
			 int reset);
/* The same for functions by name, a word as set_ftrace_filter has. */
int ftrace_set_filter(struct ftrace_ops *ops, unsigned char *buf, int len,
		      int reset);
void ftrace_free_filter(struct ftrace_ops *ops);

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
