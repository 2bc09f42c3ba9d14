# SPDX-License-Identifier: GPL-2.0-only
"""The native functions that run when the guest reaches a label in its .ftrace.text, by architecture.

The modules have functions that compile these for one layout of the guest's structures:

    NAME            build(guest, irqs_off, general) -> Callbacks
                    arguments(cpu) -> the first four of a C function at whose label the CPU is
                    set_result(cpu, value): has that function, whose label does nothing but return, return the value
                    callers(cpu) -> the first two arguments, where they are addresses of callers
                    called_from(cpu) -> the call site of that function
    NAME_rethook    build(guest) -> RethookCallbacks
    NAME_probe      build(guest) -> ProbeCallbacks
    NAME_uprobe     build(guest) -> UprobeCallbacks
    NAME_unwind     build(guest, context, with_places) -> the kernel unwinder (native.unwind), and stack_pointer()
    NAME_orc        build(orc_of, word_at, site_end, with_places) -> the same for a Linux with ORC tables
    NAME_watched    build(guest) -> WatchedProbes
    NAME_programs   build(guest) -> ProgramProbes
    NAME_user       build(guest, context) -> the unwinder of programs (native.user_stack), and PAGE_TABLES (native.user_memory)

The first is imported when a machine is made, the others when they are needed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from emu.cpu.native.cpu_records import Cpu
from emu.ftrace.native.trace_records import ArrayCpu, Consumer, EventContext, EventFile
from emu.native.functions import Compiled
from emu.native.records import Values, u64

__all__ = [
    "Callback", "Callbacks", "EventCallbacks", "OutsideCallbacks", "OutsideTaskCallbacks", "ProbeCallbacks", "ProgramProbes",
    "RethookCallbacks", "SectionCallbacks", "StackCallbacks", "SyscallCallbacks", "TaskCallbacks", "UprobeCallbacks",
    "WakeupCalls", "WatchedProbes", "WatchedSections",
]  # fmt: skip


class Callback(NamedTuple):
    """A native function that runs when a block starts at a label."""

    label: str
    function: Compiled[[Cpu, u64], None]  # arguments: the CPU and the label's address


class Callbacks(NamedTuple):
    """The callbacks for traced calls. The labels are the architecture's.

    They are compiled in two versions. If calls are recorded in the common way (`ftrace.callbacks`), the version without `general`
    has the same effect as the general one at a lower cost.
    """

    function_entry: Callback
    """At ftrace_caller, the function tracer's target of call sites: records the function and its caller."""

    graph_entry: Callback
    """In ftrace_graph_caller: records the entry, and makes the function return to return_to_handler."""

    graph_return: Callback
    """At ftrace_return_to_handler: records the return, and makes the guest continue at the real return address."""


class OutsideCallbacks(NamedTuple):
    """The native functions that trace calls from outside. They are compiled in two versions, as `Callbacks`; and the general one
    in a version that also records the arguments of calls, for the arrays that want them.
    """

    function_entry: Compiled[[Cpu, u64], None]
    """(cpu, ip): a function begins; `ip` is its site."""

    graph_entry: Compiled[[Cpu, u64], None]
    """The same, for function_graph."""

    graph_return: Compiled[[Cpu, u64], None]
    """(cpu, address): a block begins to which a call returns that function_graph has recorded."""

class OutsideTaskCallbacks(NamedTuple):
    """The native functions that follow tasks from outside. The first three run before functions of the kernel begin."""

    switched: Compiled[[Cpu, u64], None]
    """__switch_to(prev, next), on the stack of `next`."""

    forked: Compiled[[Cpu, u64], None]
    """wake_up_new_task(task)."""

    freed: Compiled[[Cpu, u64], None]
    """__put_task_struct(task)."""

    run_task: Callable[[Cpu, u64], None]
    """run_task(cpu, task): a task has a CPU already."""


class SyscallCallbacks(NamedTuple):
    """The native functions that make the events of system calls from outside. `argument`: the address of a SyscallPlace."""

    enter: Compiled[[Cpu, u64], None]
    """(cpu, argument): the kernel is about to obey a system call."""

    leave: Compiled[[Cpu, u64], None]
    """(cpu, argument): it begins to return to the program."""


class TaskCallbacks(NamedTuple):
    """The callbacks for tasks, traced or not."""

    sched_switch: Callback
    """ftrace_sched_switch(prev, next): the CPU switches to another task."""

    sched_process_fork: Callback
    """ftrace_sched_process_fork(parent, child): a task has a new child, which does not run yet."""

    sched_process_free: Callback
    """ftrace_sched_process_free(task): the kernel frees a task."""


class EventCallbacks(NamedTuple):
    """The callbacks for the guest's events."""

    buffer_commit: Callback
    """trace_event_buffer_commit(call, entry, dynamic, count): an event happened, and its entry has been filled in."""


class RethookCallbacks(NamedTuple):
    """The callbacks for return probes."""

    entry: Compiled[[Cpu, Consumer], None]
    """The handler of a probe at the function's entry: makes the call return to arch_rethook_trampoline."""

    trampoline: Callback
    """At arch_rethook_trampoline: runs the consumers of the call's probes, and makes the guest continue at the real
    return address."""

    find: Callback
    """rethook_find_ret_addr(task, frame): the guest looks up a replaced return address."""

    hook: Callback
    """rethook_hook(ret, frame): the guest itself wants to be told when the current task's call returns."""


class StackCallbacks(NamedTuple):
    """The functions that record stack traces."""

    function_stack: Compiled[[Cpu, ArrayCpu], None]
    """Called by a function tracer's callback after it has recorded a call."""

    event_stack: Compiled[[Cpu, ArrayCpu], None]
    """The same for a recorded event, which is in the event context."""

    event_with_stack: Compiled[[Cpu, EventFile], None]
    """Records the guest's event in the event context, followed by its stack trace."""

    event_user_stack: Compiled[[Cpu, ArrayCpu], None]
    """Like event_stack, but for the user stack of the task."""

    key_stack: Compiled[[Cpu, Values[u64]], None]
    """Stores hist_record.STACK_DEPTH words: the stack trace of the event in the event context, followed by
    zeros."""


class SectionCallbacks(NamedTuple):
    """The callbacks for the tracers of critical sections."""

    keep: Compiled[[Cpu, ArrayCpu], None]
    """See `MaxLatency.keep`."""

    # Called with (ip, parent_ip) of the hook; parent_ip may be 0:
    irqs_off: Callback
    """Interrupts have just been turned off."""

    irqs_on: Callback
    """Interrupts are about to be turned on."""

    preempt_off: Callback
    """Preemption has just been turned off."""

    preempt_on: Callback
    """Preemption is about to be turned on."""

    start: Callback
    """The CPU stops idling."""

    stop: Callback
    """The CPU is about to idle: the following time is not a latency."""


class WatchedSections(NamedTuple):
    """The same for a kernel that is looked at from outside."""

    keep: Compiled[[Cpu, ArrayCpu], None]
    """See `MaxLatency.keep`."""

    at_block: Compiled[[Cpu, u64], None]
    """(cpu, address): a block of the kernel begins, or the first one of a program behind it."""


class WakeupCalls(NamedTuple):
    """The functions that follow wakeups from outside. They run before functions of the kernel begin."""

    woken: Compiled[[Cpu, u64], None]
    """ttwu_do_activate(rq, p, ...), or another one whose second argument is a task that is woken."""

    enqueued: Compiled[[Cpu, u64], None]
    """enqueue_task(rq, p, flags), which may be a wakeup."""

    created: Compiled[[Cpu, u64], None]
    """post_init_entity_util_avg(p): a new task has a CPU, and is about to get on its run queue."""

    switched: Compiled[[Cpu, u64], None]
    """__switch_to_asm(prev, next), on the stack of `prev`."""

    migrated: Compiled[[Cpu, u64], None]
    """set_task_cpu(p, cpu)"""


class ProbeCallbacks(NamedTuple):
    """The callbacks for kprobes."""

    breakpoint: Callback
    """Called where the guest's breakpoint handler reports a breakpoint."""

    fill_at_breakpoint: Compiled[[Cpu, EventContext], None]
    """Stores the registers before the probed instruction."""

    fill_at_site: Compiled[[Cpu, EventContext], None]
    """The same at the call site of a function, for the registers before the function's first instruction; and after a
    function's return, for the registers with which its caller continues."""

    write_at_site: Compiled[[Cpu, EventContext], None]
    """Makes the CPU continue with the stored registers after a call site."""

    say_where: Compiled[[Cpu, Consumer], None]
    """See native.kprobe."""


class WatchedProbes(NamedTuple):
    """The native functions for kprobes on a kernel that is looked at from outside."""

    at_place: Compiled[[Cpu, u64], None]
    """(cpu, place): the CPU is about to execute the instruction of a `WatchedPlace`, given by its address."""

    entry: Compiled[[Cpu, Consumer], None]
    """The handler of a return probe's consumer at the function's entry (trace_records.Rethook)."""

    returned: Compiled[[Cpu, u64], None]
    """(cpu, address): a block begins to which such a call may return."""

    fill: Compiled[[Cpu, EventContext], None]
    """Stores the registers."""


class ProgramProbes(NamedTuple):
    """The native functions for uprobes on a kernel that is looked at from outside."""

    at_place: Compiled[[Cpu, u64], None]
    """(cpu, place): a program is about to execute the instruction of a `WatchedPlace`, given by its address."""

    entry: Compiled[[Cpu, Consumer], None]
    """The handler of a return probe's consumer at the function's entry (trace_records.Rethook)."""

    returned: Compiled[[Cpu, u64], None]
    """(cpu, address): a block begins to which such a call may return."""


class UprobeCallbacks(NamedTuple):
    """The callbacks for uprobes."""

    dispatch: Callback
    """uprobe_dispatch(id, regs): a user task has reached a probe."""

    dispatch_return: Callback
    """uretprobe_dispatch(id, regs, func): a user function has returned."""

    fill: Compiled[[Cpu, EventContext], None]
    """Stores the program's registers."""
