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
"""spill(cpu, pages) is given pages of shape (n, 4096) that were full, in order and in the host's byte order. They change with
the next event."""


class ArrayBuffers:
    """Of each CPU the ring buffer that records, and while there is room for a snapshot, a spare one.

    A snapshot exchanges the two, and native code may take one at any event: the CPU's record says which is which.

    Args:
        records: the array's.
    """

    def __init__(self, records: ArrayRecords) -> None:
        self._records = records
        self._buffers: dict[int, RingBuffer] = {}  # by the addresses of their records
        self._spill: PythonHandler | None = None
        self._handlers: list[PythonHandler] = []  # they stay: one may be called that has been replaced
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
        """What records on one CPU, or on each; or what is spare there: nothing without room for a snapshot."""
        records = self._records.cpus if cpu is None else [self._records.cpus[cpu]]
        rings = (record.spare_ring if spare else record.ring for record in records)
        return [self._buffers[ring.address] for ring in rings if ring is not None]

    def ring(self, cpu: int) -> RingBuffer:
        """What records on a CPU."""
        (ring,) = self.of(cpu)
        return ring

    def __iter__(self) -> Iterator[RingBuffer]:
        """Those that record, and the spare ones."""
        return iter(self._buffers.values())

    def disable(self, why: u64, cpus: Container[int]) -> None:
        """Sets a reason for which nothing is recorded (a bit of a ring's `disabled`) on these CPUs, and clears it on others."""
        for ring in self.of(None):
            ring.disable(why, ring.cpu in cpus)

    def resize(self, kb: int, cpu: int | None, *, spares: bool) -> None:
        """Gives what records on one CPU, or on each, at least so many KiB. `spares`: what is spare there, too.

        Raises:
            MemoryError: there is not enough memory; nothing has changed.
        """
        rings = [*self.of(cpu), *(self.of(cpu, spare=True) if spares else [])]
        _resize({ring: pages_for(kb * 1024) for ring in rings})

    @property
    def have_spares(self) -> bool:
        return len(self._buffers) > len(self._records.cpus)

    def spill_to(self, spill: Spill | None) -> None:
        """Has a buffer that is full give all its pages to `spill`, before one is overwritten. None: they are overwritten.

        It is called within an event, and must not raise.
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
        """Makes spare buffers of the size of the others. If there are any, gives that of one CPU, or each, that size.

        Raises:
            MemoryError: there is not enough memory; nothing has changed.
        """
        if self.have_spares:
            _resize({spare: ring.pages for ring, spare in zip(self.of(cpu), self.of(cpu, spare=True), strict=True)})
            return
        for spare in [RingBuffer(ring.cpu, ring.pages, overwrite=ring.overwrite) for ring in self.of(None)]:
            self._add(spare, spare=True)

    def free_spares(self) -> None:
        """Gives up the spare buffers, and what is in them."""
        for spare in self.of(None, spare=True):
            del self._buffers[spare.record.address]
            self._records.cpus[spare.cpu].spare_ring = None

    def exchange(self, cpu: int | None) -> None:
        """Exchanges what records and what is spare, on one CPU or on each.

        As in Linux, a CPU's buffers are exchanged alone only while it records.
        """
        if cpu is None:
            take_snapshot(self._records.array)
        elif self.ring(cpu).recording:
            exchange(self._records.cpus[cpu])


def _resize(wanted: dict[RingBuffer, int]) -> None:
    """Gives each buffer that many pages.

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
