# SPDX-License-Identifier: GPL-2.0-only
"""A snapshot: the ring buffer of each CPU and its spare one exchange their places, and recording goes on in the other."""

from __future__ import annotations

import numpy as np

from emu.ftrace.native import array_cpu_record, array_record, ring_record
from emu.ftrace.native.readers import await_event
from emu.native import njit
from emu.native.pointers import load_u64, store_u64

__all__ = ["exchange", "take_snapshot"]

ZERO, WORD = np.uint64(0), np.uint64(8)


@njit
def exchange(array_cpu):
    """Exchanges a CPU's buffers. What kept the old one from recording keeps the new one from it, too.

    A reader that waits for pages of the old one looks again at the next event, and then waits for pages of the new one.
    Nothing is done without a spare buffer, or while recording is paused: then nothing may change.
    """
    ring, spare = load_u64(array_cpu + array_cpu_record.RING), load_u64(array_cpu + array_cpu_record.SPARE_RING)
    disabled = load_u64(ring + ring_record.DISABLED)
    if spare == ZERO or disabled & ring_record.PAUSED != ZERO:
        return
    store_u64(spare + ring_record.DISABLED, disabled)
    store_u64(array_cpu + array_cpu_record.RING, spare)
    store_u64(array_cpu + array_cpu_record.SPARE_RING, ring)
    if load_u64(ring + ring_record.AWAITED) != ZERO:
        await_event(ring)


@njit
def take_snapshot(array):
    """Exchanges the buffers of every CPU."""
    place = load_u64(array + array_record.CPUS)
    while load_u64(place) != ZERO:
        exchange(load_u64(place))
        place += WORD
