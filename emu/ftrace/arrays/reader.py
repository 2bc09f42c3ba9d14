# SPDX-License-Identifier: GPL-2.0-only
"""Reads a trace array's events: as views to print, as pages, and as numbers."""

from __future__ import annotations

import errno
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from emu.ftrace.arrays.array_records import ArrayRecords
from emu.ftrace.arrays.trace_globals import TraceGlobals
from emu.ftrace.buffers.array_buffers import ArrayBuffers, Spill
from emu.ftrace.buffers.clocks import Clock
from emu.ftrace.buffers.entries import Events
from emu.ftrace.buffers.swapped_page import swapped_page
from emu.ftrace.errors import TraceError
from emu.ftrace.guest.traced_kernel import TracedKernel
from emu.ftrace.native.readers import wake_readers
from emu.ftrace.native.ring_record import DATA_SIZE
from emu.ftrace.text import TraceView
from emu.ftrace.text.bodies import body_column
from emu.ftrace.text.rows import merge
from emu.ftrace.text.view import LatencyData
from emu.ftrace.tracers.max_latency import MaxLatency
from emu.ftrace.tracers.tracer import Tracer
from emu.ftrace.words import Words

__all__ = ["BufferStats", "Reader"]


@dataclass(frozen=True)
class BufferStats:
    """per_cpu/cpuN/stats: the counts of one CPU's ring buffer. Times are those of the trace clock."""

    entries: int
    overrun: int
    commit_overrun: int
    bytes: int
    oldest_event: int
    now: int
    dropped_events: int
    read_events: int


class Reader:
    """Reads the ring buffers of one trace array.

    Attributes:
        first_cpu: the CPU on which the function tracer was set, for latency-format's header.
        clock: the clock of the events' timestamps.
        start: when the buffers were emptied, in that clock's time.
        percent: how full a CPU's buffer must be for poll to report its pipes readable; 0: one event is enough.
    """

    def __init__(
        self,
        kernel: TracedKernel,
        trace_globals: TraceGlobals,
        buffers: ArrayBuffers,
        records: ArrayRecords,
        max_latency: MaxLatency,
    ) -> None:
        self._kernel = kernel
        self._globals = trace_globals
        self._buffers = buffers
        self._records = records
        self._max_latency = max_latency
        self.first_cpu = 0
        self.clock: Clock = trace_globals.clocks.first
        self.start = 0
        self.percent = 50

    def entries(self, cpu: int | None) -> int:
        """The number of events in the ring buffer of one CPU, or of all."""
        return sum(ring.entries for ring in self._buffers.of(cpu))

    def size_kb(self, cpu: int) -> int:
        """The KiB of events for which a CPU's ring buffer has room."""
        return self._buffers.ring(cpu).pages * DATA_SIZE // 1024

    def buffer_stats(self, cpu: int) -> BufferStats:
        ring = self._buffers.ring(cpu)
        return BufferStats(
            entries=ring.entries,
            overrun=ring.overrun,
            commit_overrun=0,
            bytes=ring.used_bytes,
            oldest_event=ring.oldest_event,
            now=self._records.now(self._kernel.board.cpus[cpu]),
            dropped_events=ring.dropped_events,
            read_events=ring.read_events,
        )

    # `spare`: read the snapshot instead of the live buffer.

    def unread_events(self, cpu: int | None, tracer: Tracer, options: Mapping[str, bool], *, spare: bool = False) -> TraceView:
        """All events of one CPU, or of each, for printing with `tracer` and `options`."""
        rings = self._buffers.of(cpu, spare=spare)
        entries = sum(ring.entries for ring in rings)
        written = entries + sum(ring.overrun for ring in rings)
        worst = spare and tracer.print_max
        start = self._max_latency.start if worst else 0 if spare else self.start
        found = [ring.unread() for ring in rings]
        if worst:  # as in Linux, overwritten events do not count where older ones are hidden
            shown = [events.since(start) for events in found]
            hidden = [len(all_events) - len(events) for all_events, events in zip(found, shown, strict=True)]
            entries -= sum(hidden)
            written = entries + sum(ring.overrun for ring, count in zip(rings, hidden, strict=True) if not count)
            found = shown
        return self._view(found, entries, written, start, tracer, options, consuming=False, worst=worst)

    def oldest_events(
        self, cpu: int | None, tracer: Tracer, options: Mapping[str, bool], *, spare: bool = False
    ) -> tuple[TraceView, Mapping[int, int]]:
        """The oldest events, of one CPU or of each; and, for each CPU with events, how many `consume` can take at once."""
        found, limits = [], {}
        for ring in self._buffers.of(cpu, spare=spare):
            events, limit = ring.peek()
            if limit:
                found.append(events)
                limits[ring.cpu] = limit
        return self._view(found, 0, 0, 0 if spare else self.start, tracer, options, consuming=True), limits

    def event_texts(self, events: Sequence[Events], tracer: Tracer, options: Mapping[str, bool]) -> Sequence[str]:
        """What `trace` shows after the events' timestamps, each text with its newline."""
        view = self._view(list(events), 0, 0, 0, tracer, options, consuming=True)
        texts: list[str] = body_column(view, merge(events)).tolist()
        return texts

    def _view(
        self,
        found: list[Events],
        entries: int,
        written: int,
        start: int,
        tracer: Tracer,
        options: Mapping[str, bool],
        *,
        consuming: bool,
        worst: bool = False,
    ) -> TraceView:
        symbols = self._globals.symbols
        self._globals.remember_running()
        return TraceView(
            tracer=tracer.name,
            events=found,
            entries=entries,
            written=written,
            cpus=len(self._records.cpus),
            options=options,
            symbols=symbols,
            prototypes=self._globals.prototypes,
            comm_of=self._globals.saved_cmdlines.comm_of,
            tgid_of=self._globals.saved_tgids.tgid_of,
            clock_is_ns=self.clock.is_ns,
            irq_entry_text=symbols.irq_entry_text,
            words=Words("<" if self._kernel.memory.byte_order == "little" else ">"),
            release=self._kernel.release,
            latency=self._max_latency.data() if worst else LatencyData(cpu=self.first_cpu),
            start=start,
            consuming=consuming,
            calls=self._globals.events,
            string_at=self._globals.kernel_values.string_at,
            mapped_file=self._globals.mapped_file,
            kernel_values=self._globals.kernel_values.variables(),
            kernel_constants=self._globals.kernel_values.constants,
            hash_pointer=self._globals.hash_pointer,
            warn=self._globals.warn,
        )

    def consume(self, cpu: int, count: int) -> None:
        """Consumes a CPU's first `count` events, which `oldest_events` returned."""
        self._buffers.ring(cpu).discard(count)

    def unread_pages(self, cpu: int) -> npt.NDArray[np.uint8]:
        """A copy of the pages in a CPU's buffer, shape (n, 4096), in the guest's byte order."""
        return self._as_guest_has_it(self._buffers.ring(cpu).unread_pages())

    def latest_time(self, cpu: int) -> int:
        """The time of the event that a CPU has recorded last, in the clock's units; 0: none."""
        return int(self._buffers.ring(cpu).record.time)

    def take_page(self, cpu: int, *, spare: bool = False, whole: bool = False) -> bytes | None:
        """Consumes a page of a CPU's buffer, as trace_pipe_raw does. None if there is no event, or no `whole` page.

        The page is in the guest's byte order.
        """
        rings = self._buffers.of(cpu, spare=spare)
        page = rings[0].read_page(whole=whole) if rings else None
        if page is None:
            return None
        return self._as_guest_has_it(page[np.newaxis]).tobytes()

    def spill_to(self, spill: Spill | None) -> None:
        """Makes full buffers pass their pages to `spill`, in the guest's byte order, so that nothing is overwritten.

        If `spill` raises, the machine stops, and the method that runs it raises. None: events are overwritten.
        """
        board = self._kernel.board

        def give(cpu: int, pages: npt.NDArray[np.uint8]) -> None:
            try:
                spill(cpu, self._as_guest_has_it(pages))  # type: ignore[misc]
            except BaseException as error:
                self.spill_to(None)
                board.fail(error)

        self._buffers.spill_to(give if spill is not None else None)

    def drain(self, cpu: int) -> Iterator[npt.NDArray[np.uint8]]:
        """Consumes all pages of a CPU's buffer: arrays of shape (n, 4096), in the guest's byte order."""
        ring = self._buffers.ring(cpu)
        for pages in ring.take_full_pages():
            yield self._as_guest_has_it(pages)
        while (page := ring.read_page()) is not None:
            yield self._as_guest_has_it(page[np.newaxis])

    def _as_guest_has_it(self, pages: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
        if not self._kernel.memory.swapped:
            return pages
        return np.stack([swapped_page(page, self._globals.events) for page in pages]) if len(pages) else pages

    def await_event(self, *, again: bool) -> None:
        """Makes the next recorded event interrupt the guest, which then checks what can be read.

        `again`: the reader has waited before and was woken in vain. It is not woken again for a while.
        """
        if self._kernel.reader_vector:
            self._records.array.reader_waits = self._earliest(again)

    def _earliest(self, again: bool) -> int:
        """The earliest cycle at which a reader may be woken."""
        return self._kernel.next_wakeup() if again else 1

    def set_percent(self, percent: int) -> None:
        """Raises TraceError: EINVAL."""
        if percent > 100:
            raise TraceError(errno.EINVAL, f"{percent} is more than 100 percent")
        self.percent = percent

    def filled(self, cpu: int) -> bool:
        """Whether a CPU's buffer is filled to `percent`. As in Linux, the page being written counts as full."""
        return self._pages_missing(cpu) <= 0

    def await_filled(self, cpu: int, *, again: bool) -> None:
        """Makes the event that fills a CPU's buffer to `percent` interrupt the guest. The interrupt may come early."""
        if self._kernel.reader_vector:
            self._buffers.ring(cpu).await_pages(self._pages_missing(cpu), self._records.array, self._earliest(again))

    def _pages_missing(self, cpu: int) -> int:
        ring = self._buffers.ring(cpu)
        return -(-self.percent * ring.pages // 100) - 1 - ring.full_pages

    def wake(self) -> None:
        """Makes waiting readers check again, even if there is nothing new."""
        wake_readers(self._kernel.board.current.record, self._records.array)
