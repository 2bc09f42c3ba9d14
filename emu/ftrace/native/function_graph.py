# SPDX-License-Identifier: GPL-2.0-only
"""The function_graph tracer: recording entries, taking over return addresses, recording returns.

Return addresses that were taken over are kept where Linux keeps them: on the task's return stack in the guest's memory.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from emu.cpu.native import cpu_record
from emu.cpu.native.interrupts import stop
from emu.ftrace.native import array_cpu_record, array_record, profiler
from emu.ftrace.native.context import Context, complete, linear_time, local_time, now
from emu.ftrace.native.filter_program import keeps
from emu.ftrace.native.function_entries import ENTRY_KIND, ENTRY_SIZE, EXIT_KIND, EXIT_SIZE, put_call, put_return
from emu.ftrace.native.guest_layout import GuestLayout
from emu.ftrace.native.ring_buffer import reserve
from emu.ftrace.native.sites import site_flags
from emu.native import njit
from emu.native.pointers import Accessors, load_u64, store_u64

__all__ = ["HIDDEN", "GraphTracer", "build"]

ZERO, ONE = np.uint64(0), np.uint64(1)

# In the calltime of a return stack's entry
HIDDEN = np.uint64(0xFFFF_FFFF_FFFF_FFFF)  # instead of a time: set_graph_notrace hides this call and all inside it
CHOSEN = np.uint64(1 << 63)  # a bit of the time: set_graph_function selects this call or a call around it


class GraphTracer(NamedTuple):
    """The compiled functions that an architecture's callbacks call."""

    record_graph_entry: Any
    """record_graph_entry(cpu, function, returns_to, frame, irqs_off) -> whether the call is to return to the return
    trampoline instead of `returns_to`. `frame` identifies the call; the trampoline gives it to
    `record_graph_return`."""

    record_graph_return: Any
    """record_graph_return(cpu, frame, irqs_off) -> the real return address of the call that returns now; 0 if it is not
    known. `frame` identifies the call."""


def build(memory: Accessors, guest: GuestLayout, context: Context, general: bool, entry_depth: int) -> GraphTracer:
    """Compiles for a guest.

    Args:
        memory: accesses in its byte order.
        guest: its structures.
        context: compiled for it.
        general: see `Callbacks`.
        entry_depth: how often Linux itself has disabled preemption on this architecture when it records an entry, which the
            event shows.
    """
    disabled = np.uint32(entry_depth)
    guest_u32, guest_i32, guest_u64 = memory.load_u32, memory.load_i32, memory.load_u64
    guest_store_u32, guest_store_u64 = memory.store_u32, memory.store_u64
    current_task, preempt_count, common_fields = context
    clock = now if general else linear_time
    count_call, add_time = profiler.build(memory, guest)

    @njit
    def record_call(cpu, array_cpu, array, task, function, depth, time, irqs_off):
        """Records the entry of `function`, called at `depth`; False if there was no room for the event."""
        common = common_fields(ENTRY_KIND, task, np.uint32(preempt_count(array_cpu) + disabled), irqs_off)
        program = load_u64(array + array_record.GRAPH_ENTRY_FILTER) if general else ZERO
        if program != ZERO:
            staged = load_u64(array + array_record.STAGE)
            put_call(staged, common, function, depth)
            if not keeps(program, cpu, array_cpu, staged, ENTRY_SIZE):
                return True
        entry = reserve(load_u64(array_cpu + array_cpu_record.RING), time, ENTRY_SIZE)
        if entry == ZERO:
            return False
        put_call(entry, common, function, depth)
        complete(cpu, array_cpu, array)
        return True

    @njit
    def left_out(array_cpu, array, depth, chosen, hidden):
        """Whether the array does not want a call."""
        if not hidden:
            if chosen == ZERO and load_u64(array + array_record.ONLY_SELECTED) != ZERO:
                return True
            most = load_u64(array + array_record.MAX_DEPTH)
            if most != ZERO and np.uint64(depth) >= most:
                return True
        return preempt_count(array_cpu) & guest.hardirq_mask != 0 and load_u64(array + array_record.SKIP_INTERRUPTS) != ZERO

    @njit
    def count_overrun(task):
        """Counts a call for which the task's return stack has no room."""
        place = task + guest.trace_overrun
        guest_store_u32(place, guest_u32(place) + np.uint32(1))

    @njit
    def push(task, call, depth, returns_to, function, calltime, frame):
        """Makes `call` the latest entry of the task's return stack, at `depth`."""
        guest_store_u64(call + guest.entry_ret, returns_to)
        guest_store_u64(call + guest.entry_func, function)
        guest_store_u64(call + guest.entry_calltime, calltime)
        guest_store_u64(call + guest.entry_fp, frame)
        guest_store_u32(task + guest.curr_ret_stack, np.uint32(depth))

    @njit
    def profile_entry(cpu, array_cpu, array, function, returns_to, frame):
        """record_graph_entry for the function profiler, which asks no tracer's filter but set_ftrace_filter."""
        if site_flags(array, function) & array_record.PROFILED == 0:
            return False
        task = current_task(array_cpu, array)
        depth = guest_i32(task + guest.curr_ret_stack) + 1
        if np.uint64(depth) >= guest.depth:
            count_overrun(task)
            return False
        call = task + guest.ret_stack + np.uint64(depth) * guest.entry_size
        count_call(array_cpu, array, function, call)
        push(task, call, depth, returns_to, function, local_time(cpu, array), frame)
        return True

    @njit
    def record_graph_entry(cpu, function, returns_to, frame, irqs_off):
        array_cpu = load_u64(load_u64(cpu + cpu_record.CALLOUT) + array_cpu_record.GRAPHS)
        array = load_u64(array_cpu + array_cpu_record.ARRAY)
        user = load_u64(array + array_record.GRAPH_RUNNING)
        if general and user == array_record.PROFILES:
            return profile_entry(cpu, array_cpu, array, function, returns_to, frame)
        if user != array_record.RECORDS or load_u64(array_cpu + array_cpu_record.IGNORED) != ZERO:
            return False
        task = current_task(array_cpu, array)
        depth = guest_i32(task + guest.curr_ret_stack) + 1
        if np.uint64(depth) > guest.depth:  # the guest has overwritten it
            return False
        call = task + guest.ret_stack + np.uint64(depth) * guest.entry_size
        flags = site_flags(array, function) if general else array_record.NO_SITE_FLAGS
        # Calls that began before set_graph_function was written are on the return stack, too, but without CHOSEN.
        chosen = CHOSEN if flags & array_record.GRAPH_FUNCTION != 0 else ZERO
        if depth > 0:
            outer = guest_u64(call - guest.entry_size + guest.entry_calltime)
            if outer == HIDDEN:
                return False
            chosen |= outer & CHOSEN
        hidden = flags & array_record.GRAPH_NOTRACE != 0
        if general and left_out(array_cpu, array, depth, chosen, hidden):
            return False
        if depth >= np.int64(guest.depth):
            count_overrun(task)
            return False
        time = clock(cpu, array)
        shown = not (general and (hidden or load_u64(array + array_record.THRESHOLD) != ZERO))
        if shown and not record_call(cpu, array_cpu, array, task, function, depth, time, irqs_off):
            return False
        push(task, call, depth, returns_to, function, HIDDEN if hidden else time | chosen, frame)
        return True

    @njit
    def matching_depth(stack, depth, frame):
        """The index of the topmost entry for `frame` on a return stack; -1 if there is none."""
        while depth >= 0 and guest_u64(stack + np.uint64(depth) * guest.entry_size + guest.entry_fp) != frame:
            depth -= 1
        return depth

    @njit
    def record_return(cpu, array_cpu, array, task, call, depth, time, irqs_off):
        """Records the return of `call`, the return stack's entry at `depth`."""
        common = common_fields(EXIT_KIND, task, preempt_count(array_cpu), irqs_off)
        function, calltime = guest_u64(call + guest.entry_func), guest_u64(call + guest.entry_calltime) & ~CHOSEN
        overrun = guest_u32(task + guest.trace_overrun)
        program = load_u64(array + array_record.GRAPH_EXIT_FILTER) if general else ZERO
        if program != ZERO:
            staged = load_u64(array + array_record.STAGE)
            put_return(staged, common, function, depth, overrun, calltime, time)
            if not keeps(program, cpu, array_cpu, staged, EXIT_SIZE):
                return
        entry = reserve(load_u64(array_cpu + array_cpu_record.RING), time, EXIT_SIZE)
        if entry == ZERO:
            return
        put_return(entry, common, function, depth, overrun, calltime, time)
        complete(cpu, array_cpu, array)

    @njit
    def record_graph_return(cpu, frame, irqs_off):
        array_cpu = load_u64(load_u64(cpu + cpu_record.CALLOUT) + array_cpu_record.GRAPHS)
        array = load_u64(array_cpu + array_cpu_record.ARRAY)
        task = current_task(array_cpu, array)
        stack = task + guest.ret_stack
        top = guest_i32(task + guest.curr_ret_stack)
        is_index = 0 <= top < np.int64(guest.depth)  # unless the guest has overwritten it
        depth = matching_depth(stack, top, frame) if is_index else -1
        if depth != top or not is_index:
            store_u64(array + array_record.MISMATCH, ONE)
            store_u64(array + array_record.MISMATCH_FRAME, frame)
            latest = stack + np.uint64(top) * guest.entry_size
            store_u64(array + array_record.MISMATCH_EXPECTED, guest_u64(latest + guest.entry_fp) if is_index else ZERO)
            store_u64(array + array_record.MISMATCH_FUNCTION, guest_u64(latest + guest.entry_func) if is_index else ZERO)
            store_u64(array + array_record.MISMATCH_RETURN, guest_u64(latest + guest.entry_ret) if is_index else ZERO)
            store_u64(array + array_record.GRAPH_RUNNING, ZERO)
            stop(cpu)
            if not is_index:
                return ZERO
            if depth < 0:
                depth = top  # the entry was damaged: the latest one is the best guess
        call = stack + np.uint64(depth) * guest.entry_size
        goes_on_at, calltime = guest_u64(call + guest.entry_ret), guest_u64(call + guest.entry_calltime)
        guest_store_u32(task + guest.curr_ret_stack, np.uint32(depth - 1))
        user = load_u64(array + array_record.GRAPH_RUNNING)
        if calltime == HIDDEN:
            return goes_on_at
        if general and user == array_record.PROFILES:
            add_time(array_cpu, array, call, depth, local_time(cpu, array) - (calltime & ~CHOSEN))
            return goes_on_at
        if user != array_record.RECORDS:
            return goes_on_at
        if load_u64(array_cpu + array_cpu_record.IGNORED) & array_cpu_record.NO_SECTION != ZERO:
            return goes_on_at
        time = clock(cpu, array)
        if not general or time - (calltime & ~CHOSEN) >= load_u64(array + array_record.THRESHOLD):
            record_return(cpu, array_cpu, array, task, call, depth, time, irqs_off)
        return goes_on_at

    return GraphTracer(record_graph_entry, record_graph_return)
