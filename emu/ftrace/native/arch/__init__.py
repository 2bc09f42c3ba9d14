# SPDX-License-Identifier: GPL-2.0-only
"""The native functions that run when the guest comes to a label of its .ftrace.text, by architecture.

The modules have functions that compile them for one layout of the guest's structures:

    NAME            build(guest, irqs_off, general) -> Callbacks
                    arguments(cpu) -> the first four of a C function at whose label the CPU is
                    set_result(cpu, value): has that function, whose label does nothing but return, return the value
                    callers(cpu) -> the first two arguments, where they are addresses of callers
                    called_from(cpu) -> where that function was called
    NAME_rethook    build(guest) -> RethookCallbacks
    NAME_probe      build(guest) -> ProbeCallbacks
    NAME_uprobe     build(guest) -> UprobeCallbacks
    NAME_unwind     build(guest, context, with_places) -> what unwinds the kernel's stack (native.unwind), and stack_pointer()
    NAME_user       build(guest, context) -> the same for a program's (native.user_stack), and PAGE_TABLES (native.user_memory)

The first is imported when a machine is made, each of the others when it is needed.
"""

from __future__ import annotations

from typing import NamedTuple

from emu.cpu.native.cpu_records import Cpu
from emu.ftrace.native.trace_records import ArrayCpu, Consumer, EventContext, EventFile
from emu.native.functions import Compiled
from emu.native.records import Values, u64

__all__ = [
    "Callback", "Callbacks", "EventCallbacks", "ProbeCallbacks", "RethookCallbacks", "SectionCallbacks",
    "StackCallbacks", "TaskCallbacks", "UprobeCallbacks",
]  # fmt: skip


class Callback(NamedTuple):
    """A native function that runs when a block begins at a label."""

    label: str
    function: Compiled[[Cpu, u64], None]  # of the CPU and the label's address


class Callbacks(NamedTuple):
    """What traced calls need. The labels are the architecture's.

    They are compiled twice. If calls are recorded in the usual way (`ftrace.callbacks`), those without `general` do the same as
    the general ones at less cost.
    """

    function_entry: Callback
    """At ftrace_caller, which sites call for the function tracer: records the function and its caller."""

    graph_entry: Callback
    """In ftrace_graph_caller: records the entry, and makes the function return to return_to_handler."""

    graph_return: Callback
    """At ftrace_return_to_handler: records the return, and makes the guest go on at the real return address."""


class TaskCallbacks(NamedTuple):
    """What must be known of tasks, traced or not."""

    sched_switch: Callback
    """ftrace_sched_switch(prev, next): the CPU switches to another task."""

    sched_process_fork: Callback
    """ftrace_sched_process_fork(parent, child): a task has a child, which does not run yet."""

    sched_process_free: Callback
    """ftrace_sched_process_free(task): the kernel frees a task."""


class EventCallbacks(NamedTuple):
    """What the guest's events need."""

    buffer_commit: Callback
    """trace_event_buffer_commit(call, entry, dynamic, count): an event happened, and its entry is filled."""


class RethookCallbacks(NamedTuple):
    """What return probes need."""

    entry: Compiled[[Cpu, Consumer], None]
    """A probe's handler at the entry of the function: makes the call return to arch_rethook_trampoline."""

    trampoline: Callback
    """At arch_rethook_trampoline: has the consumers of the call's probes act, and makes the guest go on at the real
    return address."""

    find: Callback
    """rethook_find_ret_addr(task, frame): the guest looks for a return address that has been replaced."""

    hook: Callback
    """rethook_hook(ret, frame): the guest itself is to know when the current task's call returns."""


class StackCallbacks(NamedTuple):
    """What records stacks of calls."""

    function_stack: Compiled[[Cpu, ArrayCpu], None]
    """What a function tracer's callback calls after it has recorded a call."""

    event_stack: Compiled[[Cpu, ArrayCpu], None]
    """The same for an event that has been recorded, the one in the event context."""

    event_with_stack: Compiled[[Cpu, EventFile], None]
    """Records the guest's event in the event context, and then its stack."""

    event_user_stack: Compiled[[Cpu, ArrayCpu], None]
    """Like event_stack, for the stack of the task's program."""

    key_stack: Compiled[[Cpu, Values[u64]], None]
    """Stores hist_record.STACK_DEPTH words: the calls under way when the event in the event context happens, and zeros behind
    them."""


class SectionCallbacks(NamedTuple):
    """What the tracers of critical sections need."""

    keep: Compiled[[Cpu, ArrayCpu], None]
    """See `MaxLatency.keep`."""

    # With (ip, parent_ip), where the hook is; parent_ip may be 0:
    irqs_off: Callback
    """Interrupts have just been turned off."""

    irqs_on: Callback
    """They are about to be turned on."""

    preempt_off: Callback
    """Preemption has just been turned off."""

    preempt_on: Callback
    """It is about to be turned on."""

    start: Callback
    """The CPU idles no more."""

    stop: Callback
    """It is about to idle: what comes is no latency."""


class ProbeCallbacks(NamedTuple):
    """What kprobes need."""

    breakpoint: Callback
    """Where the guest's handler of breakpoints says that a CPU has come to one."""

    fill_at_breakpoint: Compiled[[Cpu, EventContext], None]
    """Stores the registers before the instruction there."""

    fill_at_site: Compiled[[Cpu, EventContext], None]
    """The same at the call site of a function, for the registers before the function's first instruction; and when the function
    has returned, for those with which its caller goes on."""

    write_at_site: Compiled[[Cpu, EventContext], None]
    """Has the CPU go on with the stored registers, from a call site."""

    say_where: Compiled[[Cpu, Consumer], None]
    """See native.kprobe."""


class UprobeCallbacks(NamedTuple):
    """What probes in programs need."""

    dispatch: Callback
    """uprobe_dispatch(id, regs): a program's task has come to a probe."""

    dispatch_return: Callback
    """uretprobe_dispatch(id, regs, func): a program's function has returned."""

    fill: Compiled[[Cpu, EventContext], None]
    """Stores the program's registers."""
