# SPDX-License-Identifier: GPL-2.0-only
"""A snapshot: swaps the ring buffer of each CPU with its spare one. Recording continues in the other one."""

from __future__ import annotations

from emu.ftrace.native.readers import await_event
from emu.ftrace.native.ring_record import PAUSED
from emu.ftrace.native.trace_records import ArrayCpu, TraceArray
from emu.native.functions import shared

__all__ = ["exchange", "take_snapshot"]


@shared
def exchange(array_cpu: ArrayCpu) -> None:
    """Swaps a CPU's buffers. The reasons that stopped recording in the old one apply to the new one.

    A reader that waits for pages of the old one checks again at the next event, and then waits for pages of the new one.
    Nothing happens without a spare buffer, or while recording is paused, when nothing may change.
    """
    ring, spare = array_cpu.ring, array_cpu.spare_ring
    if spare is None or ring.disabled & PAUSED:
        return
    spare.disabled = ring.disabled
    array_cpu.ring = spare
    array_cpu.spare_ring = ring
    if ring.awaited != 0:
        await_event(ring)


@shared
def take_snapshot(array: TraceArray) -> None:
    """Swaps the buffers of every CPU."""
    for n in range(array.cpu_count):
        exchange(array.cpus[n])
