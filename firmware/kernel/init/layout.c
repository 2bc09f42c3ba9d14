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

LAYOUT_CONST(HC_CONSOLE_WRITE);
LAYOUT_CONST(HC_CONSOLE_READ);
LAYOUT_CONST(HC_POWER_OFF);
LAYOUT_CONST(HC_PANIC);
LAYOUT_CONST(HC_TIMER_SET);
LAYOUT_CONST(HC_IPI);
LAYOUT_CONST(HC_CPU_START);
LAYOUT_CONST(HC_CPU_ONLINE);
LAYOUT_CONST(HC_STALL_UNTIL);
LAYOUT_CONST(HC_UPCALL_NEXT);
LAYOUT_CONST(HC_UPCALL_DONE);
LAYOUT_CONST(HC_FLUSH_ICACHE_PAGE);
LAYOUT_CONST(HC_BREAKPOINT);
LAYOUT_CONST(HC_COMMAND_READ);
LAYOUT_CONST(HC_COMMAND_DONE);
LAYOUT_CONST(HC_COMMAND_GIVEN_UP);
LAYOUT_CONST(HC_BUG);
LAYOUT_CONST(HC_RELAX);
LAYOUT_CONST(HC_HALT);
LAYOUT_CONST(HC_NMI_TIMER_SET);
LAYOUT_CONST(HC_CONSOLE_SIZE);
LAYOUT_CONST(HC_FILE_REQUEST);
LAYOUT_CONST(HC_FILE_ANSWERED);
LAYOUT_CONST(HC_FILE_CANCEL);
LAYOUT_CONST(HC_BLOCK_INFO);
LAYOUT_CONST(HC_BLOCK_SUBMIT);
LAYOUT_CONST(HC_BLOCK_COMPLETED);
LAYOUT_CONST(HC_MODULE_INIT);
LAYOUT_CONST(HC_MODULE_ENABLE);
LAYOUT_CONST(HC_MODULE_FREE_MEM);
LAYOUT_CONST(HC_MODULE_RELEASE);
LAYOUT_CONST(HC_SHOW_REGS);
LAYOUT_CONST(HC_TRACE_PRINTK);
LAYOUT_CONST(HC_FTRACE_ENABLED);

LAYOUT_CONST(NR_CPUS);
LAYOUT_CONST(SOFTIRQ_SHIFT);
LAYOUT_CONST(HARDIRQ_SHIFT);
LAYOUT_CONST(NMI_SHIFT);
LAYOUT_CONST(PREEMPT_ENABLED);
LAYOUT_CONST(TIF_NEED_RESCHED);
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
