# SPDX-License-Identifier: GPL-2.0-only
"""The option func-no-repeats: calls like the CPU's latest are counted, and an entry tells of them before the next other call.

This code is compiled when the option is set first.
"""

from __future__ import annotations

from emu.cpu.native.cpu_records import Cpu
from emu.ftrace.buffers.entries import FUNC_REPEATS, EventType
from emu.ftrace.native.context import complete, now, of_type
from emu.ftrace.native.ring_buffer import reserve
from emu.ftrace.native.trace_records import ArrayCpu, TraceArray
from emu.native.functions import callback, njit
from emu.native.records import Record, u16, u32, u64

__all__ = ["repeats"]

MOST = 0xFFFF  # of what an entry counts
KIND, SIZE = u64(EventType.FUNC_REPEATS), u64(FUNC_REPEATS.itemsize)


class RepeatsEntry(Record):
    common: u64
    ip: u64
    parent_ip: u64
    count: u16
    top_delta_ts: u16
    bottom_delta_ts: u32


@njit
def record(cpu: Cpu, array_cpu: ArrayCpu, array: TraceArray, common: u64) -> None:
    """Records that the latest call was repeated. The entry is the next call's, so that it says how long ago the last one was."""
    time = now(cpu, array)
    place = reserve(array_cpu.ring, time, SIZE)
    if place == 0:
        return
    entry, ago = RepeatsEntry(place), time - array_cpu.last_time
    entry.common = of_type(common, KIND)
    entry.ip = array_cpu.last_ip
    entry.parent_ip = array_cpu.last_parent_ip
    entry.count = array_cpu.last_repeats
    entry.top_delta_ts = ago >> 32
    entry.bottom_delta_ts = ago
    complete(cpu, array_cpu, array)


@callback
def repeats(cpu: Cpu, array_cpu: ArrayCpu, ip: u64, parent_ip: u64, common: u64, unused: u64) -> u64:
    """Whether the call is one like the latest. `common`: the word that each entry begins with, of any type."""
    array, count = array_cpu.array, array_cpu.last_repeats
    if array_cpu.last_ip == ip and array_cpu.last_parent_ip == parent_ip and count < MOST:
        array_cpu.last_time = now(cpu, array)
        array_cpu.last_repeats = count + 1
        return 1
    if count != 0:
        record(cpu, array_cpu, array, common)
        array_cpu.last_repeats = 0
    array_cpu.last_ip = ip
    array_cpu.last_parent_ip = parent_ip
    return 0
