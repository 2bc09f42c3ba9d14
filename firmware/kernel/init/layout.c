/* SPDX-License-Identifier: GPL-2.0-only */
/* What the host knows of generic structures and constants. */
#include <linux/fs.h>
#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/mm_types.h>
#include <linux/module.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/syscalls.h>
#include <linux/trace_events.h>
#include <linux/trace_printk.h>
#include <linux/upcall.h>
#include <linux/utsname.h>
#include <emu/boot_params.h>
#include <emu/command.h>
#include <emu/hostcall.h>
#include <emu/layout.h>
#include <emu/race_lab.h>
#include <emu/ramdisk.h>
#include <emu/trace_work.h>
#include <asm/irq.h>
#include <asm/unistd.h>

#define HOST_CALL_LAYOUT(name, nr)	LAYOUT_CONST(name);
HOST_CALLS(HOST_CALL_LAYOUT)

LAYOUT_CONST(PREEMPT_MASK);
LAYOUT_CONST(SOFTIRQ_MASK);
LAYOUT_CONST(SOFTIRQ_OFFSET);
LAYOUT_CONST(HARDIRQ_MASK);
LAYOUT_CONST(NMI_MASK);
LAYOUT_CONST(PREEMPT_NEED_RESCHED);
LAYOUT_CONST(PREEMPT_ENABLED);
LAYOUT_CONST(_TIF_NEED_RESCHED);
LAYOUT_CONST(FTRACE_RETFUNC_DEPTH);
LAYOUT_CONST(THREAD_SIZE);
LAYOUT_CONST(PF_KTHREAD);
LAYOUT_CONST(LOCAL_TIMER_VECTOR);
LAYOUT_CONST(UPCALL_VECTOR);
LAYOUT_CONST(HOST_DEVICE_VECTOR);
LAYOUT_CONST(BLOCK_DEVICE_VECTOR);
LAYOUT_CONST(RESCHEDULE_VECTOR);
LAYOUT_CONST(WALL_CLOCK_AT_BOOT);
LAYOUT_CONST(COMMAND_SIZE);

LAYOUT(pcpu_hot, current_task);
LAYOUT(pcpu_hot, preempt_count);

LAYOUT(upcall, function);
LAYOUT(upcall, argument);

LAYOUT(upcall_stop, arrived);
LAYOUT(upcall_stop, released);

LAYOUT_SIZE(race_lab_cpu);
LAYOUT(race_lab_cpu, visit);
LAYOUT(race_lab_cpu, nmi_visit);

LAYOUT_CONST(BOOT_PARAMS_MAGIC);
LAYOUT(boot_params, magic);
LAYOUT(boot_params, memory_size);
LAYOUT(boot_params, nr_cpus);
LAYOUT(boot_params, initrd_start);
LAYOUT(boot_params, initrd_size);
LAYOUT(boot_params, tsc_hz);
LAYOUT(boot_params, seed);
LAYOUT(boot_params, command_line);

LAYOUT_CONST(RAMDISK_MAX_SEGMENTS);
LAYOUT(ramdisk_command, sector);
LAYOUT(ramdisk_command, operation);
LAYOUT(ramdisk_command, nr_segments);
LAYOUT(ramdisk_command, segments);

LAYOUT_SIZE(ramdisk_segment);
LAYOUT(ramdisk_segment, address);
LAYOUT(ramdisk_segment, length);

LAYOUT_CONST(TRACE_WORK_LOG);
LAYOUT_CONST(TRACE_WORK_EVENT_REG);
LAYOUT_CONST(TRACE_WORK_EVENT_UNREG);
LAYOUT_CONST(TRACE_WORK_DUMP);
LAYOUT_CONST(TRACE_WORK_SYNCHRONIZE_RCU_TASKS);
LAYOUT_CONST(TRACE_WORK_UPROBE_CREATE);
LAYOUT_CONST(TRACE_WORK_UPROBE_ENABLE);
LAYOUT_CONST(TRACE_WORK_UPROBE_DISABLE);
LAYOUT_CONST(TRACE_WORK_UPROBE_REMOVE);
LAYOUT_CONST(TRACE_WORK_HWLAT_START);
LAYOUT_CONST(TRACE_WORK_HWLAT_STOP);
LAYOUT_CONST(TRACE_WORK_OSNOISE_START);
LAYOUT_CONST(TRACE_WORK_OSNOISE_STOP);
LAYOUT_CONST(TRACE_WORK_MMIOTRACE);
LAYOUT(trace_work, kind);
LAYOUT(trace_work, argument);
LAYOUT(trace_work, text);

LAYOUT_SIZE(ftrace_ret_stack);
LAYOUT(ftrace_ret_stack, ret);
LAYOUT(ftrace_ret_stack, func);
LAYOUT(ftrace_ret_stack, calltime);
LAYOUT(ftrace_ret_stack, subtime);
LAYOUT(ftrace_ret_stack, fp);

LAYOUT(task_struct, thread_info_flags);
LAYOUT(task_struct, flags);
LAYOUT(task_struct, stack);
LAYOUT(task_struct, tasks);
LAYOUT(task_struct, prio);
LAYOUT(task_struct, static_prio);
LAYOUT(task_struct, rt_priority);
LAYOUT(task_struct, policy);
LAYOUT(task_struct, pid);
LAYOUT(task_struct, tgid);
LAYOUT(task_struct, comm);
LAYOUT(task_struct, mm);
LAYOUT(task_struct, curr_ret_stack);
LAYOUT(task_struct, trace_overrun);
LAYOUT(task_struct, ftrace_timestamp);
LAYOUT(task_struct, ret_stack);
LAYOUT(task_struct, rethooks);

LAYOUT_CONST(TASK_SIZE);
LAYOUT(mm_struct, pgd);
LAYOUT(mm_struct, mmap);
LAYOUT(vm_area_struct, vm_start);
LAYOUT(vm_area_struct, vm_end);
LAYOUT(vm_area_struct, vm_node);
LAYOUT(vm_area_struct, vm_file);
LAYOUT(file, f_path);

LAYOUT(module, name);
LAYOUT(module, core_layout);
LAYOUT(module, init_layout);
LAYOUT(module, kallsyms);
LAYOUT(module, refcnt);
LAYOUT(module, ftrace_callsites);
LAYOUT(module, num_ftrace_callsites);
LAYOUT(module, jump_entries);
LAYOUT(module, num_jump_entries);
LAYOUT(module, trace_events);
LAYOUT(module, num_trace_events);
LAYOUT(module, trace_evals);
LAYOUT(module, num_trace_evals);
LAYOUT(module, extable);
LAYOUT(module, num_exentries);

LAYOUT_SIZE(exception_table_entry);
LAYOUT(exception_table_entry, insn);

LAYOUT(module_layout, base);
LAYOUT(module_layout, size);
LAYOUT(module_layout, text_size);

LAYOUT(mod_kallsyms, symtab);
LAYOUT(mod_kallsyms, num_symtab);
LAYOUT(mod_kallsyms, strtab);
LAYOUT(mod_kallsyms, strtab_size);

LAYOUT_SIZE(jump_entry);
LAYOUT(jump_entry, code);
LAYOUT(jump_entry, target);
LAYOUT(jump_entry, key);
LAYOUT(static_key, enabled);

LAYOUT(trace_event_call, id);
LAYOUT(trace_event_call, system);
LAYOUT(trace_event_call, name);
LAYOUT(trace_event_call, print_fmt);
LAYOUT(trace_event_call, fields);
LAYOUT(trace_event_call, key);
LAYOUT(trace_event_call, hook);
LAYOUT(trace_event_call, size);
LAYOUT(trace_event_call, reg);
LAYOUT_SIZE(trace_event_field);
LAYOUT(trace_event_field, type);
LAYOUT(trace_event_field, name);
LAYOUT(trace_event_field, size);
LAYOUT(trace_event_field, align);
LAYOUT(trace_event_field, is_signed);
LAYOUT(trace_event_field, element);
LAYOUT(trace_eval_map, system);
LAYOUT(trace_eval_map, eval_string);
LAYOUT(trace_eval_map, eval_value);
LAYOUT_SIZE(trace_dynamic);
LAYOUT(trace_dynamic, data);
LAYOUT(trace_dynamic, size);
LAYOUT_CONST(TRACE_STRING);

LAYOUT_CONST(NR_syscalls);
LAYOUT(syscall_metadata, name);
LAYOUT(syscall_metadata, nb_args);
LAYOUT(syscall_metadata, types);
LAYOUT(syscall_metadata, args);

/* What print fmts of events ask for */
LAYOUT_SIZE(page);
LAYOUT_CONST(HRTIMER_MODE_ABS);
LAYOUT_CONST(HRTIMER_MODE_REL);
LAYOUT_CONST(HRTIMER_MODE_ABS_PINNED);
LAYOUT_CONST(HRTIMER_MODE_REL_PINNED);
LAYOUT_CONST(HRTIMER_MODE_ABS_SOFT);
LAYOUT_CONST(HRTIMER_MODE_REL_SOFT);
LAYOUT_CONST(HRTIMER_MODE_ABS_PINNED_SOFT);
LAYOUT_CONST(HRTIMER_MODE_REL_PINNED_SOFT);
LAYOUT_CONST(HRTIMER_MODE_ABS_HARD);
LAYOUT_CONST(HRTIMER_MODE_REL_HARD);
LAYOUT_CONST(HRTIMER_MODE_ABS_PINNED_HARD);
LAYOUT_CONST(HRTIMER_MODE_REL_PINNED_HARD);

LAYOUT(trace_bprintk_fmt, list);
LAYOUT(trace_bprintk_fmt, fmt);

LAYOUT(new_utsname, release);
