# SPDX-License-Identifier: GPL-2.0-only
"""Keeps a copy of each event that is recorded while they are to be printed at once (tp_printk).

The copies lie one behind the other, each with a word before it: the size of its entry. Each CPU has a state behind them. Python
sees to the events when a CPU wants to print, and when half of the room is taken.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from numba import types

from emu.cpu.native import cpu_record
from emu.cpu.native.interrupts import stop
from emu.ftrace.native import array_cpu_record, array_record, event_context
from emu.native import cfunc, njit
from emu.native.memory import copy
from emu.native.pointers import load_u64, store_u64
from emu.native.record import Fields

__all__ = ["build"]

_fields = Fields()
USED = _fields.word()  # bytes
SILENT = _fields.words(4)  # types of events that do not make a CPU want to print
COPIES = _fields.words(8192)
STATES = _fields.words(0)  # a word for each CPU
WORDS = _fields.count  # without the states

WATCHES, WANTS, PRINTS = np.uint64(0), np.uint64(1), np.uint64(2)
"""A CPU's state: it has printed all that it wanted to; it wants to print; it prints, and what it records is not kept."""

WORD, EIGHT = np.uint64(8), np.uint64(7)
_ROOM, _HALF, _SILENT_TYPES = np.uint64(8 * 8192), np.uint64(8 * 4096), np.uint64(4)
ZERO, _PID, _TYPE = np.uint64(0), np.uint64(32), np.uint64(0xFFFF)


@functools.cache
def build() -> Any:
    """Compiles void keep(cpu, array_cpu): keeps the event in the event_context."""

    @cfunc(types.void(types.uint64, types.uint64))
    def keep(cpu, array_cpu):
        array = load_u64(array_cpu + array_cpu_record.ARRAY)
        context, printed = load_u64(array + array_record.EVENT_CONTEXT), load_u64(array + array_record.PRINTED_EVENTS)
        state = printed + STATES + WORD * load_u64(cpu + cpu_record.INDEX)
        if load_u64(state) == PRINTS:
            return
        staged, size = load_u64(context + event_context.ENTRY), load_u64(context + event_context.SIZE)
        used = load_u64(printed + USED)
        end = used + WORD + (size + EIGHT & ~EIGHT)
        if end > _ROOM:  # they are taken out before the CPU executes another block: a block has not so many
            return
        store_u64(printed + COPIES + used, size)
        copy(printed + COPIES + used + WORD, staged, size)
        store_u64(printed + USED, end)
        common = load_u64(staged)  # type, flags, preempt_count, pid
        if load_u64(state) == WATCHES and common >> _PID != ZERO and not is_silent(printed, common & _TYPE):
            store_u64(state, WANTS)
            stop(cpu)
        elif end > _HALF:
            stop(cpu)

    return keep


@njit
def is_silent(printed, number):
    """Whether events of this type do not make a CPU want to print."""
    silent = False
    for at in range(_SILENT_TYPES):
        silent |= load_u64(printed + SILENT + WORD * np.uint64(at)) == number
    return silent
