# SPDX-License-Identifier: GPL-2.0-only
"""An event that native code has made (`native.stages`) and that the arrays get now.

This code is compiled when the first event is defined.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types

from emu.cpu.native import cpu_record
from emu.ftrace.native import array_cpu_record, array_record, context, event_context, event_file, event_record, stage_record
from emu.ftrace.native.event import record
from emu.ftrace.native.guest_layout import GuestLayout
from emu.native import cfunc, njit
from emu.native.pointers import Accessors, call_handler, load_u64, store_u64

__all__ = ["build"]

ZERO, ONE = np.uint64(0), np.uint64(1)
UNDERFLOWS = np.uint64(event_record.UNDERFLOWS)
BYTE = np.uint64(0xFF)


@njit
def underflown(common):
    """The word that an entry begins with, with 1 less in flags and depth: where the depth is 0, each of both loses 1."""
    flags, depth = common >> context.FLAGS & BYTE, common >> context.PREEMPT_COUNT & BYTE
    if depth == ZERO:
        flags = flags - ONE & BYTE
    depth = depth - ONE & BYTE
    rest = common & ~(BYTE << context.FLAGS | BYTE << context.PREEMPT_COUNT)
    return rest | flags << context.FLAGS | depth << context.PREEMPT_COUNT


def build(memory: Accessors, guest: GuestLayout, irqs_off: Any) -> Any:
    """Compiles void put(cpu, stages) for a guest. `memory`: accesses in its byte order. `irqs_off`: see `NativeCpu`."""
    current_task, preempt_count, common_fields = context.build(memory, guest)

    @njit
    def give(cpu, told, event, file, staged, size):
        """Gives the entry to one array."""
        handler = load_u64(file + event_file.HANDLER)
        if handler != ZERO:
            store_u64(told + event_context.EVENT, event)
            store_u64(told + event_context.ENTRY, staged)
            store_u64(told + event_context.SIZE, size)
            store_u64(told + event_context.NEWLINE, ZERO)
            call_handler(handler, cpu, file)
        else:
            record(cpu, file, staged, size)

    @cfunc(types.void(types.uint64, types.uint64))
    def put(cpu, stages):
        array_cpu = load_u64(cpu + cpu_record.CALLOUT)
        array = load_u64(array_cpu + array_cpu_record.ARRAY)
        if not context.is_up(array_cpu, array):
            return
        event, only = load_u64(stages + stage_record.EVENT), load_u64(stages + stage_record.FILE)
        staged, size = load_u64(stages + stage_record.ENTRY), load_u64(stages + stage_record.SIZE)
        number = load_u64(event + event_record.NUMBER)
        depth = load_u64(event + event_record.DEPTH)
        count = preempt_count(array_cpu) + (ZERO if depth == UNDERFLOWS else depth)
        env = load_u64(cpu + cpu_record.ENV)
        common = common_fields(number, current_task(array_cpu, array), np.uint32(count), irqs_off(env))
        store_u64(staged, underflown(common) if depth == UNDERFLOWS else common)
        told = load_u64(array + array_record.EVENT_CONTEXT)
        before = load_u64(told + event_context.EVENT)
        entry_before, size_before = load_u64(told + event_context.ENTRY), load_u64(told + event_context.SIZE)
        newline_before = load_u64(told + event_context.NEWLINE)
        if only != ZERO:
            give(cpu, told, event, only, staged, size)
        else:
            file = load_u64(event + event_record.FILES)
            while file != ZERO:
                give(cpu, told, event, file, staged, size)
                file = load_u64(file + event_file.NEXT)
        store_u64(told + event_context.EVENT, before)
        store_u64(told + event_context.ENTRY, entry_before)
        store_u64(told + event_context.SIZE, size_before)
        store_u64(told + event_context.NEWLINE, newline_before)

    return put
