# SPDX-License-Identifier: GPL-2.0-only
"""Keeps a copy of each event that is recorded while they are to be printed at once (tp_printk).

The copies lie one behind the other, each with a HEADER before it: the CPU, the time, and the bytes of the event's entry.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from numba import types

from emu.cpu.native import cpu_record
from emu.cpu.native.interrupts import stop
from emu.ftrace.native import array_cpu_record, array_record, event_context
from emu.ftrace.native.context import now
from emu.native import cfunc
from emu.native.memory import copy
from emu.native.pointers import load_u64, store_u64
from emu.native.record import Fields

__all__ = ["HEADER", "build"]

_COPY_WORDS = 8192

_fields = Fields()
USED = _fields.word()  # bytes
COPIES = _fields.words(_COPY_WORDS)
WORDS = _fields.count

HEADER = np.dtype([("cpu", "u8"), ("time", "u8"), ("size", "u8")])
_HEADER = np.uint64(HEADER.itemsize)
ROOM, WORD, LOW_BITS = np.uint64(8 * _COPY_WORDS), np.uint64(8), np.uint64(7)


@functools.cache
def build() -> Any:
    """Compiles void keep(cpu, array_cpu): keeps the event in the event_context, and has Python see to it."""

    @cfunc(types.void(types.uint64, types.uint64))
    def keep(cpu, array_cpu):
        array = load_u64(array_cpu + array_cpu_record.ARRAY)
        context, printed = load_u64(array + array_record.EVENT_CONTEXT), load_u64(array + array_record.PRINTED_EVENTS)
        staged, size = load_u64(context + event_context.ENTRY), load_u64(context + event_context.SIZE)
        used = load_u64(printed + USED)
        end = used + _HEADER + (size + LOW_BITS & ~LOW_BITS)
        if end > ROOM:  # they are taken out before the CPU executes another block: a block has not so many
            return
        place = printed + COPIES + used
        store_u64(place, load_u64(cpu + cpu_record.INDEX))
        store_u64(place + WORD, now(cpu, array))
        store_u64(place + WORD + WORD, size)
        copy(place + _HEADER, staged, size)
        store_u64(printed + USED, end)
        stop(cpu)

    return keep
