# SPDX-License-Identifier: GPL-2.0-only
"""What the guest's structures look like to native code: numbers of the image's layout table, which are compiled in."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Self

from emu.native.records import u64

if TYPE_CHECKING:
    from emu.kernel.arch import SavedRegisters
    from emu.kernel.image import Image

__all__ = ["GuestLayout"]

NONE = u64(0)


class GuestLayout(NamedTuple):
    """Offsets, sizes and masks. Images in which they are equal share the compiled code."""

    # struct pcpu_hot
    current_task: u64
    preempt_count: u64
    percpu_offset: u64

    # struct task_struct
    task_flags: u64
    task_pid: u64
    task_tgid: u64
    task_comm: u64
    task_mm: u64
    task_stack: u64
    thread_size: u64  # bytes of a task's stack
    task_state: u64
    task_exit_state: u64
    task_report: u64  # the bits of both states that are shown
    task_idle: u64  # the state of one that waits, but not for anything that counts as load
    task_prio: u64
    task_static_prio: u64  # 120 + nice
    task_policy: u64
    task_rt_priority: u64
    task_pf: u64  # task_struct.flags
    pf_kthread: u64
    curr_ret_stack: u64  # index of the return stack's latest entry, -1 if there is none
    trace_overrun: u64
    ftrace_timestamp: u64  # when the task was switched out
    ret_stack: u64
    rethooks: u64  # number of the latest node (native.rethook_nodes)

    # struct mm_struct
    mm_pgd: u64
    task_size: u64  # where user memory ends

    # struct ftrace_ret_stack. Its fp identifies a call: where the return address lies, or the frame pointer, by architecture.
    entry_ret: u64
    entry_func: u64
    entry_calltime: u64
    entry_subtime: u64
    entry_fp: u64
    entry_size: u64
    depth: u64  # entries of a return stack

    # thread_info's flags, and preempt_count
    tif_need_resched: u64
    preempt_mask: u64
    softirq_served: u64  # a softirq is being served
    softirq_disabled: u64  # how often softirqs are disabled, without the one being served
    hardirq_mask: u64
    nmi_mask: u64
    preempt_need_resched: u64
    preempt_enabled: u64  # PREEMPT_ENABLED: the count when preemption is allowed

    # struct trace_event_call, struct trace_dynamic
    event_id: u64
    dynamic_size: u64
    dynamic_data: u64
    dynamic_bytes: u64
    trace_string: u64  # in a size: the data is a string

    # struct pt_regs
    saved_pc: u64
    saved_sp: u64
    saved_link: u64  # what leads to the caller: the frame pointer, or where the latest call was made, by architecture
    of_user: u64  # that of a program, from its task's stack on

    # the same, only on SPARC V9
    saved_general: u64  # the globals, then the outs
    saved_state: u64  # TSTATE
    saved_next_pc: u64
    saved_y: u64

    # struct user_window, only on SPARC V9
    windows: u64  # of a task: those that belong on the program's stack, and are not there yet, the oldest first
    next_window: u64  # of a task: the address behind the last of them
    window_size: u64
    window_sp: u64  # the %sp of the place where it belongs
    window_fp: u64
    window_call: u64  # %i7

    @classmethod
    def of(cls, image: Image, saved: SavedRegisters) -> Self:
        """The layout of an image, and where its struct pt_regs has which registers.

        Raises:
            BadImage: its layout table has no such names.
        """

        def offset(name: str) -> u64:
            return u64(image.offset(name))

        def constant(name: str) -> u64:
            return u64(image.constant(name))

        has_windows = "user_window" in image.layout
        ins = image.offset("user_window.window") + 8 * 8 if has_windows else 0

        return cls(
            current_task=offset("pcpu_hot.current_task"),
            preempt_count=offset("pcpu_hot.preempt_count"),
            percpu_offset=offset("pcpu_hot.percpu_offset"),
            task_flags=offset("task_struct.thread_info_flags"),
            task_pid=offset("task_struct.pid"),
            task_tgid=offset("task_struct.tgid"),
            task_comm=offset("task_struct.comm"),
            task_mm=offset("task_struct.mm"),
            task_stack=offset("task_struct.stack"),
            thread_size=constant("THREAD_SIZE"),
            task_state=offset("task_struct.__state"),
            task_exit_state=offset("task_struct.exit_state"),
            task_report=constant("TASK_REPORT"),
            task_idle=constant("TASK_IDLE"),
            task_prio=offset("task_struct.prio"),
            task_static_prio=offset("task_struct.static_prio"),
            task_policy=offset("task_struct.policy"),
            task_rt_priority=offset("task_struct.rt_priority"),
            task_pf=offset("task_struct.flags"),
            pf_kthread=constant("PF_KTHREAD"),
            curr_ret_stack=offset("task_struct.curr_ret_stack"),
            trace_overrun=offset("task_struct.trace_overrun"),
            ftrace_timestamp=offset("task_struct.ftrace_timestamp"),
            ret_stack=offset("task_struct.ret_stack"),
            rethooks=offset("task_struct.rethooks"),
            mm_pgd=offset("mm_struct.pgd"),
            task_size=constant("TASK_SIZE"),
            entry_ret=offset("ftrace_ret_stack.ret"),
            entry_func=offset("ftrace_ret_stack.func"),
            entry_calltime=offset("ftrace_ret_stack.calltime"),
            entry_subtime=offset("ftrace_ret_stack.subtime"),
            entry_fp=offset("ftrace_ret_stack.fp"),
            entry_size=u64(image.size("ftrace_ret_stack")),
            depth=constant("FTRACE_RETFUNC_DEPTH"),
            tif_need_resched=constant("_TIF_NEED_RESCHED"),
            preempt_mask=constant("PREEMPT_MASK"),
            softirq_served=constant("SOFTIRQ_OFFSET"),
            softirq_disabled=constant("SOFTIRQ_MASK") & ~constant("SOFTIRQ_OFFSET"),
            hardirq_mask=constant("HARDIRQ_MASK"),
            nmi_mask=constant("NMI_MASK"),
            preempt_need_resched=constant("PREEMPT_NEED_RESCHED"),
            preempt_enabled=constant("PREEMPT_ENABLED"),
            event_id=offset("trace_event_call.id"),
            dynamic_size=u64(image.size("trace_dynamic")),
            dynamic_data=offset("trace_dynamic.data"),
            dynamic_bytes=offset("trace_dynamic.size"),
            trace_string=constant("TRACE_STRING"),
            saved_pc=u64(saved.pc),
            saved_sp=u64(saved.sp),
            saved_link=u64(saved.link),
            of_user=constant("THREAD_SIZE") - u64(image.size("pt_regs")),
            saved_general=offset("pt_regs.u_regs") if has_windows else NONE,
            saved_state=offset("pt_regs.tstate") if has_windows else NONE,
            saved_next_pc=offset("pt_regs.tnpc") if has_windows else NONE,
            saved_y=offset("pt_regs.y") if has_windows else NONE,
            windows=offset("task_struct.thread.windows") if has_windows else NONE,
            next_window=offset("task_struct.thread.next_window") if has_windows else NONE,
            window_size=u64(image.size("user_window")) if has_windows else NONE,
            window_sp=offset("user_window.sp") if has_windows else NONE,
            window_fp=u64(ins + 8 * 6),
            window_call=u64(ins + 8 * 7),
        )
