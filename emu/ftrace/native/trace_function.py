# SPDX-License-Identifier: GPL-2.0-only
"""A latency tracer's entry for a place in the code (Linux: __trace_function)."""

from __future__ import annotations

from emu.cpu.native.cpu_records import Cpu
from emu.ftrace.native.context import complete, now, of_type
from emu.ftrace.native.function_entries import (
    ENTRY_KIND,
    ENTRY_SIZE,
    EXIT_KIND,
    EXIT_SIZE,
    FUNCTION_KIND,
    FUNCTION_SIZE,
    VALUED_EXIT_SIZE,
    CallEntry,
    FunctionEntry,
    ReturnEntry,
    ValuedReturnEntry,
    put_call,
    put_function,
    put_return,
    put_valued_return,
)
from emu.ftrace.native.ring_buffer import reserve
from emu.ftrace.native.ring_record import Ring
from emu.ftrace.native.trace_records import ArrayCpu, TraceArray
from emu.ftrace.native.tracer_cost import spend
from emu.native.functions import njit
from emu.native.records import u64

__all__ = ["trace_function"]


@njit
def record_function(ring: Ring, time: u64, ip: u64, parent_ip: u64, common: u64) -> None:
    entry = reserve(ring, time, FUNCTION_SIZE)
    if entry != 0:
        put_function(FunctionEntry(entry), of_type(common, FUNCTION_KIND), ip, parent_ip)


@njit
def record_call_and_return(cpu: Cpu, array: TraceArray, ring: Ring, time: u64, ip: u64, common: u64) -> None:
    entry = reserve(ring, time, ENTRY_SIZE)
    if entry == 0:
        return
    put_call(CallEntry(entry), of_type(common, ENTRY_KIND), ip, 0)
    with_result = array.with_results
    entry = reserve(ring, time, VALUED_EXIT_SIZE if with_result else EXIT_SIZE)
    if entry == 0:
        return
    if with_result:
        put_valued_return(ValuedReturnEntry(entry), of_type(common, EXIT_KIND), ip, 0, 0, 0, time, time)
    else:
        put_return(ReturnEntry(entry), of_type(common, EXIT_KIND), ip, 0, 0, time, time)
    spend(cpu, array.cost_entry)


@njit
def trace_function(cpu: Cpu, array_cpu: ArrayCpu, ip: u64, parent_ip: u64, common: u64) -> None:
    """Records an entry of the function tracer; with display-graph, a call of `ip` that returns at once.

    `common`: the first word of an entry, of any type.
    """
    array = array_cpu.array
    time = now(cpu, array)
    if array.max_latency.graph:
        record_call_and_return(cpu, array, array_cpu.ring, time, ip, common)
    else:
        record_function(array_cpu.ring, time, ip, parent_ip, common)
    complete(cpu, array_cpu, array)
