# SPDX-License-Identifier: GPL-2.0-only
"""The option func-no-repeats: counts repetitions of the CPU's latest call, and records them before the next different call.

This code is compiled when the option is first set.
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

MOST = 0xFFFF  # maximum count in an entry
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
    """Records the repetitions of the latest call. The entry has the next call's time, so it also stores the last one's age."""
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
    """Whether the call repeats the latest one. `common`: the first word of the call's entry, of any type."""
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
