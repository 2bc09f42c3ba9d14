# SPDX-License-Identifier: GPL-2.0-only
"""Readers that wait for events of a trace array: when they are told to look again.

A reader waits for the next event (the array's `reader_waits`), or for pages of a CPU's buffer (the ring's `awaited`). The guest
is told by an interrupt, and looks on behalf of all who wait. The interrupt's own functions are traced: they may record the next
event, turn recording off, take a snapshot. So who waits says from when on there may be an interrupt for it, and nothing brings
one earlier.
"""

from __future__ import annotations

from emu.cpu.native.cpu_records import Cpu
from emu.cpu.native.interrupts import raise_at
from emu.ftrace.native.ring_record import Ring
from emu.ftrace.native.trace_records import TraceArray
from emu.native.functions import njit, shared

__all__ = ["await_event", "wake_reader", "wake_readers"]


@njit
def await_event(ring: Ring) -> None:
    """Has who waits for pages of a ring buffer wait for the next event instead."""
    ring.awaited = 0
    ring.wakes[0] = ring.earliest


@shared
def wake_reader(cpu: Cpu, array: TraceArray) -> None:
    """After an event: interrupts this CPU if a reader waits for one, at once or when the reader may be woken."""
    earliest = array.reader_waits
    if earliest != 0:
        array.reader_waits = 0
        raise_at(cpu, array.reader_vector, max(earliest, cpu.cycles))


@shared
def wake_readers(cpu: Cpu, array: TraceArray) -> None:
    """The same if any reader waits, for whatever: all of them look again, even if there is nothing new."""
    for n in range(array.cpu_count):
        ring = array.cpus[n].ring
        if ring.awaited != 0:
            await_event(ring)
    wake_reader(cpu, array)
