# SPDX-License-Identifier: GPL-2.0-only
"""Recording the calls under way: an event kernel_stack."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from emu.ftrace.events import KERNEL_STACK, EventType
from emu.ftrace.native import array_cpu_record, array_record
from emu.ftrace.native.context import Context, complete, now, of_type
from emu.ftrace.native.ring_buffer import reserve
from emu.native import njit
from emu.native.memory import copy
from emu.native.pointers import load_u64, store_u64
from emu.native.record import offset_of

__all__ = ["Stacks", "build"]

ZERO, ONE, WORD = np.uint64(0), np.uint64(1), np.uint64(8)
KIND = np.uint64(EventType.KERNEL_STACK)
COUNT, CALLERS = offset_of(KERNEL_STACK, "size"), np.uint64(KERNEL_STACK.itemsize)
MOST = np.uint64(array_record.STACK_LIMIT)


class Stacks(NamedTuple):
    """Compiled functions that record the stack of the calls under way on a CPU for one array. `place`: see `event_context`."""

    record_stack: Any
    """record_stack(cpu, array_cpu, place, irqs_off)"""

    record_after: Any
    """record_after(cpu, array_cpu, place, common): the same after an event that has these common fields, the type aside."""

    record_callers_of: Any
    """record_callers_of(cpu, array_cpu, place, common, address, calls): the same without the call that goes on at `address`, and
    those inside it. If none does, because function_graph has replaced the address: without so many calls."""


def build(context: Context, unwind: Any) -> Stacks:
    """Compiles for a guest. `unwind`: see native.unwind."""
    current_task, preempt_count, common_fields = context

    @njit
    def put(cpu, array_cpu, array, common, stack, count):
        if count == ZERO:
            return
        size = count * WORD
        entry = reserve(load_u64(array_cpu + array_cpu_record.RING), now(cpu, array), CALLERS + size)
        if entry == ZERO:
            return
        store_u64(entry, of_type(common, KIND))
        store_u64(entry + COUNT, count)
        copy(entry + CALLERS, stack, size)
        complete(cpu, array_cpu, array)

    @njit
    def record_after(cpu, array_cpu, place, common):
        array = load_u64(array_cpu + array_cpu_record.ARRAY)
        stack = load_u64(array + array_record.STACK)
        put(cpu, array_cpu, array, common, stack, unwind(cpu, array, place, stack, MOST))

    @njit
    def record_callers_of(cpu, array_cpu, place, common, address, calls):
        array = load_u64(array_cpu + array_cpu_record.ARRAY)
        stack = load_u64(array + array_record.STACK)
        count = unwind(cpu, array, place, stack, MOST)
        left_out = min(calls, count)
        for n in range(count):
            if load_u64(stack + np.uint64(n) * WORD) == address:
                left_out = np.uint64(n) + ONE
                break
        put(cpu, array_cpu, array, common, stack + left_out * WORD, count - left_out)

    @njit
    def record_stack(cpu, array_cpu, place, irqs_off):
        task = current_task(array_cpu, load_u64(array_cpu + array_cpu_record.ARRAY))
        record_after(cpu, array_cpu, place, common_fields(KIND, task, preempt_count(array_cpu), irqs_off))

    return Stacks(record_stack, record_after, record_callers_of)
