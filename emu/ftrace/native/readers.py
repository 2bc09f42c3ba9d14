# SPDX-License-Identifier: GPL-2.0-only
"""Readers that wait for events of a trace array, and when they are woken.

A reader waits for the next event (the array's `reader_waits`), or for pages of a CPU's buffer (the ring's `awaited`). The guest
is told by an interrupt, and checks on behalf of all waiting readers. The interrupt handler's own functions may be traced: they
may record the next event, turn recording off, or take a snapshot. So each waiter sets the earliest time of its interrupt, and
nothing causes an earlier one.
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
    """Makes a reader that waits for pages of a ring buffer wait for the next event instead."""
    ring.awaited = 0
    ring.wakes[0] = ring.earliest


@shared
def wake_reader(cpu: Cpu, array: TraceArray) -> None:
    """After an event: interrupts this CPU if a reader waits for one, now or when the reader may be woken."""
    earliest = array.reader_waits
    if earliest != 0:
        array.reader_waits = 0
        raise_at(cpu, array.reader_vector, max(earliest, cpu.cycles))


@shared
def wake_readers(cpu: Cpu, array: TraceArray) -> None:
    """The same if any reader waits, for whatever reason: all check again, even if there is nothing new."""
    for n in range(array.cpu_count):
        ring = array.cpus[n].ring
        if ring.awaited != 0:
            await_event(ring)
    wake_reader(cpu, array)
