# SPDX-License-Identifier: GPL-2.0-only
"""The ring buffers of one trace array."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator

import numpy as np
from numpy.typing import NDArray

from emu.cpu.python_handler import PythonHandler
from emu.ftrace.arrays.array_records import ArrayRecords
from emu.ftrace.buffers.ring_buffer import RingBuffer, pages_for
from emu.ftrace.native.snapshot import exchange, take_snapshot
from emu.native.records import u64

__all__ = ["ArrayBuffers", "Spill"]

Spill = Callable[[int, NDArray[np.uint8]], None]
"""spill(cpu, pages) gets the full pages, of shape (n, 4096), in order and in the host's byte order. The pages change with the
next event."""


class ArrayBuffers:
    """For each CPU: the ring buffer that records and, while there is room for a snapshot, a spare one.

    A snapshot swaps the two, and native code may take one at any event. The CPU's record says which is which.

    Args:
        records: the array's records.
    """

    def __init__(self, records: ArrayRecords) -> None:
        self._records = records
        self._buffers: dict[int, RingBuffer] = {}  # by their records' addresses
        self._spill: PythonHandler | None = None
        self._handlers: list[PythonHandler] = []  # kept, because a replaced one may still be running
        for cpu in range(len(records.cpus)):
            self._add(RingBuffer(cpu, pages_for(0)), spare=False)

    def _add(self, ring: RingBuffer, *, spare: bool) -> None:
        self._buffers[ring.record.address] = ring
        ring.spill_to(self._spill)
        if spare:
            self._records.cpus[ring.cpu].spare_ring = ring.record
        else:
            self._records.cpus[ring.cpu].ring = ring.record

    def of(self, cpu: int | None, *, spare: bool = False) -> list[RingBuffer]:
        """The recording buffers of one CPU, or of each; or the spare ones: none without room for a snapshot."""
        records = self._records.cpus if cpu is None else [self._records.cpus[cpu]]
        rings = (record.spare_ring if spare else record.ring for record in records)
        return [self._buffers[ring.address] for ring in rings if ring is not None]

    def ring(self, cpu: int) -> RingBuffer:
        """The recording buffer of a CPU."""
        (ring,) = self.of(cpu)
        return ring

    def __iter__(self) -> Iterator[RingBuffer]:
        """The recording buffers and the spare ones."""
        return iter(self._buffers.values())

    def disable(self, why: u64, cpus: Container[int]) -> None:
        """Sets a reason for not recording (a bit of a ring's `disabled`) on these CPUs, and clears it on the others."""
        for ring in self.of(None):
            ring.disable(why, ring.cpu in cpus)

    def resize(self, kb: int, cpu: int | None, *, spares: bool) -> None:
        """Gives the recording buffer of one CPU, or of each, at least so many KiB. `spares`: also the spare buffers.

        Raises:
            MemoryError: there is not enough memory; nothing has changed.
        """
        rings = [*self.of(cpu), *(self.of(cpu, spare=True) if spares else [])]
        _resize({ring: pages_for(kb * 1024) for ring in rings})

    @property
    def have_spares(self) -> bool:
        return len(self._buffers) > len(self._records.cpus)

    def spill_to(self, spill: Spill | None) -> None:
        """Makes a full buffer pass all its pages to `spill`, before one is overwritten. None: pages are overwritten.

        `spill` is called within an event, and must not raise.
        """

        def call(address: int, _: int) -> None:
            assert spill is not None
            ring = self._buffers[address]
            for pages in ring.take_full_pages():
                spill(ring.cpu, pages)

        self._spill = None
        if spill is not None:
            self._spill = PythonHandler(call)
            self._handlers.append(self._spill)
        for ring in self:
            ring.spill_to(self._spill)

    def make_spares(self, cpu: int | None = None) -> None:
        """Makes spare buffers of the same sizes as the others. If spare buffers exist, resizes that of one CPU, or of each.

        Raises:
            MemoryError: there is not enough memory; nothing has changed.
        """
        if self.have_spares:
            _resize({spare: ring.pages for ring, spare in zip(self.of(cpu), self.of(cpu, spare=True), strict=True)})
            return
        for spare in [RingBuffer(ring.cpu, ring.pages, overwrite=ring.overwrite) for ring in self.of(None)]:
            self._add(spare, spare=True)

    def free_spares(self) -> None:
        """Frees the spare buffers and their contents."""
        for spare in self.of(None, spare=True):
            del self._buffers[spare.record.address]
            self._records.cpus[spare.cpu].spare_ring = None

    def exchange(self, cpu: int | None) -> None:
        """Swaps the recording and the spare buffer, on one CPU or on each.

        As in Linux, the buffers of a single CPU are swapped only while it records.
        """
        if cpu is None:
            take_snapshot(self._records.array)
        elif self.ring(cpu).recording:
            exchange(self._records.cpus[cpu])


def _resize(wanted: dict[RingBuffer, int]) -> None:
    """Gives each buffer its number of pages.

    Raises:
        MemoryError: there is not enough memory; nothing has changed.
    """
    before: dict[RingBuffer, int] = {}
    try:
        for ring, pages in wanted.items():
            old = ring.pages
            ring.resize(pages)
            before[ring] = old
    except MemoryError:
        for ring, pages in before.items():
            ring.resize(pages)
        raise
