# SPDX-License-Identifier: GPL-2.0-only
"""What a latency tracer records of a place in the code (Linux: __trace_function)."""

from __future__ import annotations

import numpy as np

from emu.ftrace.native import array_cpu_record, array_record, max_latency_record
from emu.ftrace.native.context import complete, now, of_type
from emu.ftrace.native.function_entries import (
    ENTRY_KIND,
    ENTRY_SIZE,
    EXIT_KIND,
    EXIT_SIZE,
    FUNCTION_KIND,
    FUNCTION_SIZE,
    put_call,
    put_function,
    put_return,
)
from emu.ftrace.native.ring_buffer import reserve
from emu.ftrace.native.tracer_cost import spend
from emu.native import njit
from emu.native.pointers import load_u64

__all__ = ["trace_function"]

ZERO, NO_DEPTH = np.uint64(0), np.uint32(0)


@njit
def record_function(ring, time, ip, parent_ip, common):
    entry = reserve(ring, time, FUNCTION_SIZE)
    if entry != ZERO:
        put_function(entry, of_type(common, FUNCTION_KIND), ip, parent_ip)


@njit
def record_call_and_return(cpu, array, ring, time, ip, common):
    entry = reserve(ring, time, ENTRY_SIZE)
    if entry == ZERO:
        return
    put_call(entry, of_type(common, ENTRY_KIND), ip, NO_DEPTH)
    entry = reserve(ring, time, EXIT_SIZE)
    if entry != ZERO:
        put_return(entry, of_type(common, EXIT_KIND), ip, NO_DEPTH, NO_DEPTH, time, time)
        spend(cpu, load_u64(array + array_record.COST_ENTRY))


@njit
def trace_function(cpu, array_cpu, ip, parent_ip, common):
    """Records an entry of the function tracer; with display-graph, a call of `ip` that returns at once.

    `common`: the word that each entry begins with, of any type.
    """
    array = load_u64(array_cpu + array_cpu_record.ARRAY)
    ring, time = load_u64(array_cpu + array_cpu_record.RING), now(cpu, array)
    if load_u64(load_u64(array + array_record.MAX_LATENCY) + max_latency_record.GRAPH) != ZERO:
        record_call_and_return(cpu, array, ring, time, ip, common)
    else:
        record_function(ring, time, ip, parent_ip, common)
    complete(cpu, array_cpu, array)
