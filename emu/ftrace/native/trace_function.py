# SPDX-License-Identifier: GPL-2.0-only
"""What a latency tracer records of a place in the code (Linux: __trace_function)."""

from __future__ import annotations

import numpy as np

from emu.ftrace.events import FUNCGRAPH_ENTRY, FUNCGRAPH_EXIT, FUNCTION, EventType
from emu.ftrace.native import array_cpu_record, array_record, max_latency_record
from emu.ftrace.native.context import complete, now, of_type
from emu.ftrace.native.ring_buffer import reserve
from emu.native import njit
from emu.native.pointers import load_u64, store_u32, store_u64
from emu.native.record import offset_of

__all__ = ["trace_function"]

ZERO, NO_DEPTH = np.uint64(0), np.uint32(0)

KIND, SIZE = np.uint64(EventType.FUNCTION), np.uint64(FUNCTION.itemsize)
IP, PARENT_IP = offset_of(FUNCTION, "ip"), offset_of(FUNCTION, "parent_ip")
ENTRY_KIND, ENTRY_SIZE = np.uint64(EventType.FUNCGRAPH_ENTRY), np.uint64(FUNCGRAPH_ENTRY.itemsize)
ENTRY_FUNC, ENTRY_DEPTH = offset_of(FUNCGRAPH_ENTRY, "func"), offset_of(FUNCGRAPH_ENTRY, "depth")
EXIT_KIND, EXIT_SIZE = np.uint64(EventType.FUNCGRAPH_EXIT), np.uint64(FUNCGRAPH_EXIT.itemsize)
EXIT_FUNC, EXIT_DEPTH = offset_of(FUNCGRAPH_EXIT, "func"), offset_of(FUNCGRAPH_EXIT, "depth")
EXIT_OVERRUN = offset_of(FUNCGRAPH_EXIT, "overrun")
EXIT_CALLTIME, EXIT_RETTIME = offset_of(FUNCGRAPH_EXIT, "calltime"), offset_of(FUNCGRAPH_EXIT, "rettime")


@njit
def put_function(ring, time, ip, parent_ip, common):
    entry = reserve(ring, time, SIZE)
    if entry != ZERO:
        store_u64(entry, of_type(common, KIND))
        store_u64(entry + IP, ip)
        store_u64(entry + PARENT_IP, parent_ip)


@njit
def put_call(ring, time, ip, common):
    entry = reserve(ring, time, ENTRY_SIZE)
    if entry == ZERO:
        return
    store_u64(entry, of_type(common, ENTRY_KIND))
    store_u64(entry + ENTRY_FUNC, ip)
    store_u32(entry + ENTRY_DEPTH, NO_DEPTH)
    entry = reserve(ring, time, EXIT_SIZE)
    if entry == ZERO:
        return
    store_u64(entry, of_type(common, EXIT_KIND))
    store_u64(entry + EXIT_FUNC, ip)
    store_u32(entry + EXIT_DEPTH, NO_DEPTH)
    store_u32(entry + EXIT_OVERRUN, NO_DEPTH)
    store_u64(entry + EXIT_CALLTIME, time)
    store_u64(entry + EXIT_RETTIME, time)


@njit
def trace_function(cpu, array_cpu, ip, parent_ip, common):
    """Records an entry of the function tracer; with display-graph, a call of `ip` that returns at once.

    `common`: the word that each entry begins with, of any type.
    """
    array = load_u64(array_cpu + array_cpu_record.ARRAY)
    ring, time = load_u64(array_cpu + array_cpu_record.RING), now(cpu, array)
    if load_u64(load_u64(array + array_record.MAX_LATENCY) + max_latency_record.GRAPH) != ZERO:
        put_call(ring, time, ip, common)
    else:
        put_function(ring, time, ip, parent_ip, common)
    complete(cpu, array_cpu, array)
