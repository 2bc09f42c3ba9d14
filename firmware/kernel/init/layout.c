/* SPDX-License-Identifier: GPL-2.0-only */
/* What the host knows of generic structures and constants. */
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/upcall.h>
#include <emu/boot_params.h>
#include <emu/hostcall.h>
#include <emu/layout.h>
#include <asm/irq.h>

#define HOST_CALL_LAYOUT(name, nr)	LAYOUT_CONST(name);
HOST_CALLS(HOST_CALL_LAYOUT)

LAYOUT_CONST(NR_CPUS);
LAYOUT_CONST(PREEMPT_MASK);
LAYOUT_CONST(SOFTIRQ_MASK);
LAYOUT_CONST(SOFTIRQ_OFFSET);
LAYOUT_CONST(HARDIRQ_MASK);
LAYOUT_CONST(NMI_MASK);
LAYOUT_CONST(PREEMPT_NEED_RESCHED);
LAYOUT_CONST(PREEMPT_ENABLED);
LAYOUT_CONST(_TIF_NEED_RESCHED);
LAYOUT_CONST(FTRACE_RETFUNC_DEPTH);
LAYOUT_CONST(LOCAL_TIMER_VECTOR);
LAYOUT_CONST(UPCALL_VECTOR);
LAYOUT_CONST(HOST_DEVICE_VECTOR);
LAYOUT_CONST(BLOCK_DEVICE_VECTOR);
LAYOUT_CONST(CALL_FUNCTION_VECTOR);
LAYOUT_CONST(RESCHEDULE_VECTOR);
LAYOUT_CONST(THREAD_SIZE);

LAYOUT_SIZE(pcpu_hot);
LAYOUT(pcpu_hot, current_task);
LAYOUT(pcpu_hot, preempt_count);
LAYOUT(pcpu_hot, cpu_number);
LAYOUT(pcpu_hot, top_of_stack);

LAYOUT_SIZE(upcall_stop);
LAYOUT(upcall_stop, arrived);
LAYOUT(upcall_stop, released);

LAYOUT_CONST(BOOT_PARAMS_MAGIC);
LAYOUT_SIZE(boot_params);
LAYOUT(boot_params, magic);
LAYOUT(boot_params, memory_size);
LAYOUT(boot_params, nr_cpus);
LAYOUT(boot_params, initrd_start);
LAYOUT(boot_params, initrd_size);
LAYOUT(boot_params, tsc_hz);
LAYOUT(boot_params, seed);
LAYOUT(boot_params, command_line);

LAYOUT_SIZE(list_head);
LAYOUT(list_head, next);

LAYOUT_SIZE(ftrace_ret_stack);
LAYOUT(ftrace_ret_stack, ret);
LAYOUT(ftrace_ret_stack, func);
LAYOUT(ftrace_ret_stack, calltime);
LAYOUT(ftrace_ret_stack, fp);

LAYOUT_SIZE(task_struct);
LAYOUT(task_struct, thread_info_flags);
LAYOUT(task_struct, __state);
LAYOUT_CONST(WALL_CLOCK_AT_BOOT);

LAYOUT(task_struct, flags);
LAYOUT(task_struct, stack);
LAYOUT(task_struct, tasks);
LAYOUT(task_struct, prio);
LAYOUT(task_struct, pid);
LAYOUT(task_struct, tgid);
LAYOUT(task_struct, comm);
LAYOUT(task_struct, curr_ret_stack);
LAYOUT(task_struct, trace_overrun);
LAYOUT(task_struct, ftrace_timestamp);
LAYOUT(task_struct, ret_stack);

LAYOUT_SIZE(module);
LAYOUT(module, name);
LAYOUT(module, core_layout);
LAYOUT(module, init_layout);
LAYOUT(module, kallsyms);
LAYOUT(module, ftrace_callsites);
LAYOUT(module, num_ftrace_callsites);

LAYOUT_SIZE(module_layout);
LAYOUT(module_layout, base);
LAYOUT(module_layout, size);
LAYOUT(module_layout, text_size);

LAYOUT_SIZE(mod_kallsyms);
LAYOUT(mod_kallsyms, symtab);
LAYOUT(mod_kallsyms, num_symtab);
LAYOUT(mod_kallsyms, strtab);
LAYOUT(mod_kallsyms, strtab_size);
