# SPDX-License-Identifier: GPL-2.0-only
"""A trace in numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from emu.ftrace.buffers.entries import ENTRY
from emu.ftrace.buffers.ring_buffer import RingBuffer
from emu.ftrace.native.ring_record import DATA_SIZE

__all__ = ["TraceSummary", "summarize"]


@dataclass(frozen=True)
class TraceSummary:
    """The contents of one trace array's ring buffers in numbers, and the events that were lost.

    Attributes:
        events: the number of events in the buffers; the header of `trace` calls them entries.
        cpus: the number of CPUs that recorded them.
        processes: the number of different pids in them, without the idle tasks' pid 0.
        lost: events that were overwritten or found no room.
        wanted_kb: roughly the buffer_size_kb that would have avoided losses.
    """

    events: int
    cpus: int
    processes: int
    lost: int
    wanted_kb: int


def summarize(rings: Sequence[RingBuffer]) -> TraceSummary:
    filled = [ring for ring in rings if ring.entries]
    pids = [np.unique(ring.unread().entries(ENTRY)["pid"]).tolist() for ring in filled]
    return TraceSummary(
        events=sum(ring.entries for ring in rings),
        cpus=len(filled),
        processes=len(set().union(*pids) - {0}),
        lost=sum(map(_lost, rings)),
        wanted_kb=max(map(_wanted_kb, filled), default=0),
    )


def _lost(ring: RingBuffer) -> int:
    return ring.overrun + ring.dropped_events


def _wanted_kb(ring: RingBuffer) -> int:
    return ring.pages * DATA_SIZE * (ring.entries + _lost(ring)) // ring.entries // 1024
