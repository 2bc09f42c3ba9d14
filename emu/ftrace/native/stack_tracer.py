# SPDX-License-Identifier: GPL-2.0-only
"""The stack tracer: what runs once per call of a checked function. Only stacks of tasks count."""

from __future__ import annotations

from typing import Any

from numba import types

from emu.cpu.native import cpu_record
from emu.ftrace.native import array_cpu_record, event_context, stack_tracer_record
from emu.ftrace.native.context import Context
from emu.ftrace.native.guest_layout import GuestLayout
from emu.native import cfunc
from emu.native.pointers import Accessors, load_u64, store_u64

__all__ = ["build"]

_HANDLER = types.void(types.uint64, types.uint64)


def build(memory: Accessors, guest: GuestLayout, context: Context, stack_pointer: Any, unwind: Any) -> Any:
    """Compiles for a guest.

    Args:
        memory: accesses in its byte order.
        guest: its structures.
        context: compiled for it.
        stack_pointer: stack_pointer(cpu, array) -> where the stack of the function ends at whose call site a CPU stands.
        unwind: see `native.unwind`; with places.
    """
    guest_u64, current_task, preempt_count = memory.load_u64, context.current_task, context.preempt_count

    @cfunc(_HANDLER)
    def check(cpu, tracer):
        """If the stack is deeper than ever, keeps the calls on it. As in Linux, never in an NMI."""
        array_cpu = load_u64(cpu + cpu_record.CALLOUT)
        array = load_u64(array_cpu + array_cpu_record.ARRAY)
        top = guest_u64(current_task(array_cpu, array) + guest.task_stack) + guest.thread_size
        used = top - stack_pointer(cpu, array)
        if used <= load_u64(tracer + stack_tracer_record.MAX_SIZE) or used > guest.thread_size:
            return
        if preempt_count(array_cpu) & guest.nmi_mask != 0:
            return
        calls, place = tracer + stack_tracer_record.CALLS, event_context.PLACE_FUNCTION
        count = unwind(cpu, array, place, calls, stack_tracer_record.MOST)
        store_u64(tracer + stack_tracer_record.MAX_SIZE, used)
        store_u64(tracer + stack_tracer_record.COUNT, count)
        store_u64(tracer + stack_tracer_record.TOP, top)

    return check
