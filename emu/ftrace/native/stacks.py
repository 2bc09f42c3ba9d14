# SPDX-License-Identifier: GPL-2.0-only
"""Records stack traces: kernel_stack events."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from emu.cpu.native.cpu_records import Cpu
from emu.ftrace.buffers.entries import KERNEL_STACK, EventType
from emu.ftrace.native.context import Context, complete, now, of_type
from emu.ftrace.native.ring_buffer import reserve
from emu.ftrace.native.trace_records import ArrayCpu
from emu.ftrace.native.trace_values import STACK_LIMIT
from emu.ftrace.native.unwind import Unwind
from emu.native.functions import njit
from emu.native.memory import copy
from emu.native.records import Bytes, Record, Values, Words, inline, u32, u64

__all__ = ["Stacks", "build"]

KIND, HEADER = u64(EventType.KERNEL_STACK), u64(KERNEL_STACK.itemsize)


class StackEntry(Record):
    common: u64
    size: u32  # number of addresses
    padding: u32
    callers: Values[u64] = inline()


class Stacks(NamedTuple):
    """Compiled functions that record the stack trace of a CPU for one array. `place`: see `EventContext`."""

    record_stack: Callable[[Cpu, ArrayCpu, u64, bool], None]
    """record_stack(cpu, array_cpu, place, irqs_off)"""

    record_after: Callable[[Cpu, ArrayCpu, u64, u64], None]
    """record_after(cpu, array_cpu, place, common): the same, after an event with these common fields except the type."""

    record_callers_of: Callable[[Cpu, ArrayCpu, u64, u64, u64, u64], None]
    """record_callers_of(cpu, array_cpu, place, common, address, calls): the same, without the call that returns to `address`, and
    those inside it. If there is no such call, because function_graph has replaced the address: without the innermost `calls`
    calls."""


def build(context: Context, unwind: Unwind) -> Stacks:
    """Compiles for a guest. `unwind`: see native.unwind."""
    current_task, preempt_count, common_fields = context

    @njit
    def put(cpu: Cpu, array_cpu: ArrayCpu, common: u64, stack: Values[u64], count: u64) -> None:
        if count == 0:
            return
        array, size = array_cpu.array, count * 8
        place = reserve(array_cpu.ring, now(cpu, array), HEADER + size)
        if place == 0:
            return
        entry = StackEntry(place)
        entry.common = of_type(common, KIND)
        entry.size = count
        entry.padding = 0
        copy(Bytes(entry.callers.address), Bytes(stack.address), size)
        complete(cpu, array_cpu, array)

    @njit
    def record_after(cpu: Cpu, array_cpu: ArrayCpu, place: u64, common: u64) -> None:
        array = array_cpu.array
        put(cpu, array_cpu, common, array.stack, unwind(cpu, array, place, array.stack, STACK_LIMIT))

    @njit
    def record_callers_of(cpu: Cpu, array_cpu: ArrayCpu, place: u64, common: u64, address: u64, calls: u64) -> None:
        array, stack = array_cpu.array, array_cpu.array.stack
        count = unwind(cpu, array, place, stack, STACK_LIMIT)
        left_out = min(calls, count)
        for n in range(count):
            if stack[n] == address:
                left_out = n + 1
                break
        put(cpu, array_cpu, common, Words(stack.address + left_out * 8), count - left_out)

    @njit
    def record_stack(cpu: Cpu, array_cpu: ArrayCpu, place: u64, irqs_off: bool) -> None:
        task = current_task(array_cpu, array_cpu.array)
        record_after(cpu, array_cpu, place, common_fields(KIND, task, preempt_count(array_cpu), irqs_off))

    return Stacks(record_stack, record_after, record_callers_of)
