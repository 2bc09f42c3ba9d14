# SPDX-License-Identifier: GPL-2.0-only
"""Keeps a copy of each recorded event while events are printed immediately (tp_printk).

Python handles the events when a CPU wants to print, and when half of the room is used.
"""

from __future__ import annotations

import functools

from emu.cpu.native.cpu_records import Cpu
from emu.cpu.native.interrupts import stop
from emu.ftrace.native.context import PID, TYPE
from emu.ftrace.native.printed_events_record import PRINTS, ROOM, SILENT_TYPES, WANTS, WATCHES, PrintedEvents
from emu.ftrace.native.trace_records import ArrayCpu, Entry
from emu.native.functions import Compiled, callback, njit
from emu.native.memory import copy
from emu.native.records import Bytes, u64

__all__ = ["build"]

HALF = ROOM // 2


@njit
def is_silent(printed: PrintedEvents, number: u64) -> bool:
    """Whether events of this type do not make a CPU want to print."""
    silent = False
    for n in range(SILENT_TYPES):
        silent = silent or printed.silent[n] == number
    return silent


@functools.cache
def build() -> Compiled[[Cpu, ArrayCpu], None]:
    """Compiles void keep(cpu, array_cpu): keeps the event in the event_context."""

    @callback
    def keep(cpu: Cpu, array_cpu: ArrayCpu) -> None:
        told, printed = array_cpu.array.event_context, array_cpu.array.printed_events
        state = printed.states[cpu.index]
        if state == PRINTS:
            return
        used, size = printed.used, told.size
        end = used + 8 + (size + 7) // 8 * 8
        if end > ROOM:  # they are taken out before the CPU executes another block, and no block makes so many
            return
        printed.copies[used // 8] = size
        copy(Bytes(printed.copies.address + used + 8), told.entry, size)
        printed.used = end
        common = Entry(told.entry.address).common
        if state == WATCHES and common >> PID != 0 and not is_silent(printed, common >> TYPE & 0xFFFF):
            printed.states[cpu.index] = WANTS
            stop(cpu)
        elif end > HALF:
            stop(cpu)

    return keep
