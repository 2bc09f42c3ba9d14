# SPDX-License-Identifier: GPL-2.0-only
"""What records stacks of calls: functions that the function tracer and handlers of events call."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types

from emu.cpu.native import cpu_record
from emu.ftrace.native import array_cpu_record, array_record, event_context, hist_record, stacks, user_stack
from emu.ftrace.native.arch import StackCallbacks
from emu.ftrace.native.context import Context
from emu.ftrace.native.event import record
from emu.ftrace.native.guest_layout import GuestLayout
from emu.native import cfunc, njit
from emu.native.pointers import Accessors, load_u64, store_u64

__all__ = ["build"]

ZERO, WORD = np.uint64(0), np.uint64(8)
DEPTH = np.uint64(hist_record.STACK_DEPTH)
SKIPPED = np.uint64(2)  # trace_event_raw_event_NAME(), and the function that calls it
_HANDLER = types.void(types.uint64, types.uint64)


def build(
    memory: Accessors, guest: GuestLayout, context: Context, irqs_off: Any, unwind: Any, unwind_user: Any
) -> StackCallbacks:
    """Compiles for a guest.

    Args:
        memory: accesses in its byte order.
        guest: its structures.
        context: compiled for it.
        irqs_off: see `NativeCpu`.
        unwind: see `native.unwind`.
        unwind_user: see `native.user_stack`.
    """
    record_stack, record_after, _ = stacks.build(context, unwind)
    record_user_stack = user_stack.build(memory, guest, context, unwind_user)

    @njit
    def happening(array_cpu):
        """The event_context, and the place in it."""
        event = load_u64(load_u64(array_cpu + array_cpu_record.ARRAY) + array_record.EVENT_CONTEXT)
        return event, load_u64(event + event_context.PLACE)

    @njit
    def common_fields(event):
        return load_u64(load_u64(event + event_context.ENTRY))

    @cfunc(_HANDLER)
    def function_stack(cpu, array_cpu):
        record_stack(cpu, array_cpu, event_context.PLACE_FUNCTION, irqs_off(load_u64(cpu + cpu_record.ENV)))

    @cfunc(_HANDLER)
    def event_stack(cpu, array_cpu):
        event, place = happening(array_cpu)
        if place != event_context.PLACE_NOWHERE:
            record_after(cpu, array_cpu, place, common_fields(event))

    @cfunc(_HANDLER)
    def event_with_stack(cpu, file):
        event, place = happening(load_u64(cpu + cpu_record.CALLOUT))
        staged = load_u64(event + event_context.ENTRY)
        array_cpu = record(cpu, file, staged, load_u64(event + event_context.SIZE))
        if array_cpu != ZERO:
            record_after(cpu, array_cpu, place, load_u64(staged))

    @cfunc(_HANDLER)
    def event_user_stack(cpu, array_cpu):
        event, place = happening(array_cpu)
        if place != event_context.PLACE_NOWHERE:
            record_user_stack(cpu, array_cpu, common_fields(event))

    @cfunc(_HANDLER)
    def key_stack(cpu, words):
        """Without what is between the function in which the event is and trace_event_buffer_commit()."""
        array_cpu = load_u64(cpu + cpu_record.CALLOUT)
        array, place = load_u64(array_cpu + array_cpu_record.ARRAY), happening(array_cpu)[1]
        stack = load_u64(array + array_record.STACK)
        skipped = SKIPPED if place == event_context.PLACE_EVENT else ZERO
        count = ZERO
        if place != event_context.PLACE_NOWHERE:
            count = unwind(cpu, array, place, stack, DEPTH + skipped)
        for n in range(hist_record.STACK_DEPTH):
            source = skipped + np.uint64(n)
            store_u64(words + np.uint64(n) * WORD, load_u64(stack + source * WORD) if source < count else ZERO)

    return StackCallbacks(
        function_stack.address, event_stack.address, event_with_stack.address, event_user_stack.address, key_stack.address
    )
