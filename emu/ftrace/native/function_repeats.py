# SPDX-License-Identifier: GPL-2.0-only
"""The option func-no-repeats: calls like the CPU's latest are counted, and an entry tells of them before the next other call.

This code is compiled when the option is set first.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from numba import types

from emu.ftrace.events import FUNC_REPEATS, EventType
from emu.ftrace.native import array_cpu_record
from emu.ftrace.native.context import complete, now, of_type
from emu.ftrace.native.ring_buffer import reserve
from emu.native import cfunc, njit
from emu.native.pointers import load_u64, store_u16, store_u32, store_u64
from emu.native.record import offset_of

__all__ = ["build"]

ZERO, ONE = np.uint64(0), np.uint64(1)
MOST = np.uint64(0xFFFF)  # of what an entry counts
HALF = np.uint64(32)
KIND, SIZE = np.uint64(EventType.FUNC_REPEATS), np.uint64(FUNC_REPEATS.itemsize)
IP, PARENT_IP, COUNT = offset_of(FUNC_REPEATS, "ip"), offset_of(FUNC_REPEATS, "parent_ip"), offset_of(FUNC_REPEATS, "count")
TOP, BOTTOM = offset_of(FUNC_REPEATS, "top_delta_ts"), offset_of(FUNC_REPEATS, "bottom_delta_ts")


@njit
def record(cpu, array_cpu, array, count, common):
    """Records that the latest call was repeated. The entry is the next call's, so that it says how long ago the last one was."""
    time = now(cpu, array)
    entry = reserve(load_u64(array_cpu + array_cpu_record.RING), time, SIZE)
    if entry == ZERO:
        return
    ago = time - load_u64(array_cpu + array_cpu_record.LAST_TIME)
    store_u64(entry, of_type(common, KIND))
    store_u64(entry + IP, load_u64(array_cpu + array_cpu_record.LAST_IP))
    store_u64(entry + PARENT_IP, load_u64(array_cpu + array_cpu_record.LAST_PARENT_IP))
    store_u16(entry + COUNT, np.uint16(count))
    store_u16(entry + TOP, np.uint16(ago >> HALF & MOST))
    store_u32(entry + BOTTOM, np.uint32(ago))
    complete(cpu, array_cpu, array)


@functools.cache
def build() -> Any:
    """Compiles uint64_t repeats(cpu, array_cpu, ip, parent_ip, common, unused): whether the call is one like the latest.

    `common`: the word that each entry begins with, of any type.
    """

    @cfunc(types.uint64(*[types.uint64] * 6))
    def repeats(cpu, array_cpu, ip, parent_ip, common, unused):
        array = load_u64(array_cpu + array_cpu_record.ARRAY)
        count = load_u64(array_cpu + array_cpu_record.LAST_REPEATS)
        same = load_u64(array_cpu + array_cpu_record.LAST_IP) == ip
        if same and load_u64(array_cpu + array_cpu_record.LAST_PARENT_IP) == parent_ip and count < MOST:
            store_u64(array_cpu + array_cpu_record.LAST_TIME, now(cpu, array))
            store_u64(array_cpu + array_cpu_record.LAST_REPEATS, count + ONE)
            return ONE
        if count != ZERO:
            record(cpu, array_cpu, array, count, common)
            store_u64(array_cpu + array_cpu_record.LAST_REPEATS, ZERO)
        store_u64(array_cpu + array_cpu_record.LAST_IP, ip)
        store_u64(array_cpu + array_cpu_record.LAST_PARENT_IP, parent_ip)
        return ZERO

    return repeats
