# SPDX-License-Identifier: GPL-2.0-only
"""Passes an event made by native code (`native.stages`) to the arrays.

This code is compiled when the first event is defined.
"""

from __future__ import annotations

from collections.abc import Callable

from emu.cpu.native.cpu_records import Cpu
from emu.ftrace.native import context
from emu.ftrace.native.event import record
from emu.ftrace.native.guest_records import Guest
from emu.ftrace.native.trace_records import ArrayCpu, Entry, Event, EventContext, EventFile, Stages
from emu.ftrace.native.trace_values import UNDERFLOWS
from emu.native.functions import Compiled, callback, njit
from emu.native.records import Bytes, u64

__all__ = ["build"]

BYTE = u64(0xFF)


@njit
def underflown(common: u64) -> u64:
    """The first word of an entry, with flags and depth, one number, minus 1: where the depth is 0, the flags also lose 1."""
    flags, depth = common >> context.FLAGS & BYTE, common >> context.PREEMPT_COUNT & BYTE
    if depth == 0:
        flags = flags - 1 & BYTE
    depth = depth - 1 & BYTE
    rest = common & ~(BYTE << context.FLAGS | BYTE << context.PREEMPT_COUNT)
    return rest | flags << context.FLAGS | depth << context.PREEMPT_COUNT


@njit
def give(cpu: Cpu, told: EventContext, event: Event, file: EventFile, staged: Bytes, size: u64) -> None:
    """Passes the entry to one array."""
    handler = file.handler
    if handler is not None:
        told.event = event
        told.entry = staged
        told.size = size
        told.newline = None
        handler(cpu, file)
    else:
        record(cpu, file, staged, size)


def build(guest: Guest, irqs_off: Callable[[u64], bool]) -> Compiled[[Cpu, Stages], None]:
    """Compiles void put(cpu, stages) for a guest. `irqs_off`: see `NativeCpu`."""
    current_task, preempt_count, common_fields = context.build(guest)

    @njit
    def common(cpu: Cpu, array_cpu: ArrayCpu, event: Event) -> u64:
        """The first word of the entry."""
        underflows = event.depth == UNDERFLOWS
        count = preempt_count(array_cpu) + (0 if underflows else event.depth)
        made = common_fields(event.number, current_task(array_cpu, array_cpu.array), count, irqs_off(cpu.env))
        return underflown(made) if underflows else made

    @callback
    def put(cpu: Cpu, stages: Stages) -> None:
        array_cpu = ArrayCpu(cpu.callout)
        array = array_cpu.array
        if not context.is_up(array_cpu, array):
            return
        event, only, staged, size = stages.event, stages.file, stages.entry, stages.size
        Entry(staged.address).common = common(cpu, array_cpu, event)
        told = array.event_context
        before, entry_before, size_before, newline_before = told.event, told.entry, told.size, told.newline
        if only is not None:
            give(cpu, told, event, only, staged, size)
        else:
            file = event.files
            while file is not None:
                give(cpu, told, event, file, staged, size)
                file = file.next
        told.event = before
        told.entry = entry_before
        told.size = size_before
        told.newline = newline_before

    return put
