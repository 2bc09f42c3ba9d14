# SPDX-License-Identifier: GPL-2.0-only
"""Readers that wait for events of a trace array: when they are told to look again.

A reader waits for the next event (array_record.READER_WAITS), or for pages of a CPU's buffer (ring_record.AWAITED). The guest
is told by an interrupt, and looks on behalf of all who wait. The interrupt's own functions are traced: they may record the next
event, turn recording off, take a snapshot. So who waits says from when on there may be an interrupt for it, and nothing brings
one earlier.
"""

from __future__ import annotations

import numpy as np

from emu.cpu.native import cpu_record
from emu.cpu.native.interrupts import raise_at
from emu.ftrace.native import array_cpu_record, array_record, ring_record
from emu.native import njit
from emu.native.pointers import load_u64, store_u64

__all__ = ["await_event", "wake_reader", "wake_readers"]

ZERO, WORD = np.uint64(0), np.uint64(8)


@njit
def await_event(ring):
    """Has who waits for pages of a ring buffer wait for the next event instead."""
    store_u64(ring + ring_record.AWAITED, ZERO)
    store_u64(load_u64(ring + ring_record.WAKES), load_u64(ring + ring_record.EARLIEST))


@njit
def wake_reader(cpu, array):
    """After an event: interrupts this CPU if a reader waits for one, at once or when the reader may be woken."""
    earliest = load_u64(array + array_record.READER_WAITS)
    if earliest != ZERO:
        store_u64(array + array_record.READER_WAITS, ZERO)
        raise_at(cpu, load_u64(array + array_record.READER_VECTOR), max(earliest, load_u64(cpu + cpu_record.CYCLES)))


@njit
def wake_readers(cpu, array):
    """The same if any reader waits, for whatever: all of them look again, even if there is nothing new."""
    place = load_u64(array + array_record.CPUS)
    while load_u64(place) != ZERO:
        ring = load_u64(load_u64(place) + array_cpu_record.RING)
        if load_u64(ring + ring_record.AWAITED) != ZERO:
            await_event(ring)
        place += WORD
    wake_reader(cpu, array)
