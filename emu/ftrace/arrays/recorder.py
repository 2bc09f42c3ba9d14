# SPDX-License-Identifier: GPL-2.0-only
"""Keeps the events of one trace array: its ring buffers, and its records for native code."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from emu.cpu.cpu import Cpu
from emu.cpu.far_memory import far_memory
from emu.ftrace.arrays.host_events import HostEvents
from emu.ftrace.arrays.ops import FtraceOps
from emu.ftrace.arrays.trace_globals import TraceGlobals
from emu.ftrace.buffers.array_buffers import ArrayBuffers, Spill
from emu.ftrace.buffers.entries import Events
from emu.ftrace.buffers.pid_filter import OF_EVENTS, OF_FUNCTIONS, PidFilter, Pids, pid_flags
from emu.ftrace.buffers.ring_buffer import RingBuffer
from emu.ftrace.buffers.snapshots import REFUSALS
from emu.ftrace.buffers.swapped_page import swapped_page
from emu.ftrace.errors import ErrorReport
from emu.ftrace.event.files import EventFiles
from emu.ftrace.event.internal import OF_TOP_ARRAY
from emu.ftrace.native import probes, ring_record, trace_records
from emu.ftrace.native.readers import wake_readers
from emu.ftrace.native.ring_record import DATA_SIZE
from emu.ftrace.native.trace_records import CLOCK_COUNTER, DUMP_ALL, DUMP_CPU, NO_DUMP, NOBODY
from emu.ftrace.native.tracing_snapshot import NOT_ALLOCATED
from emu.ftrace.sites.site_callback import Callback
from emu.ftrace.text import TraceView
from emu.ftrace.text.bodies import body_column
from emu.ftrace.text.rows import merge
from emu.ftrace.text.view import LatencyData
from emu.ftrace.tracers.function_graph import FUNCTION_GRAPH
from emu.ftrace.tracers.max_latency import MaxLatency
from emu.ftrace.tracers.nop import NOP
from emu.ftrace.tracers.tracer import Tracer
from emu.ftrace.trigger.consumers import Consumers
from emu.ftrace.words import Words
from emu.kernel.kernel import Kernel
from emu.native.records import Values, u8, u64

if TYPE_CHECKING:
    from emu.ftrace.hist.triggers import HistTriggers

__all__ = ["BufferStats", "Mismatch", "Recorder"]


@dataclass(frozen=True)
class BufferStats:
    """per_cpu/cpuN/stats: what is and was in the ring buffer of one CPU. Times are of the trace clock."""

    entries: int
    overrun: int
    commit_overrun: int
    bytes: int
    oldest_event: int
    now: int
    dropped_events: int
    read_events: int


class Mismatch(NamedTuple):
    """A call that returned, but is not on top of its task's return stack.

    The last three are of the entry that is there; 0: the guest has overwritten which one that is.
    """

    frame: int
    expected: int
    function: int
    returns_to: int


class Recorder:
    """The ring buffers of one trace array. Its methods take effect before they return.

    Args:
        kernel: with its image loaded.
        trace_globals: what the trace arrays of the kernel share.

    Attributes:
        tracer: the tracer whose events are recorded now. The array may already want another one.
        cpumask: the CPUs that may record (tracing_cpumask).
        clock: the clock of the events' times.
        pid_filter: the tasks whose functions are recorded.
        event_pid_filter: the tasks whose events are recorded.
        event_files: what the array wants of events.
        host_events: records events for the guest.
        first_cpu: the CPU on which the function tracer was set, as latency-format names it.
        records: through which native code knows the array.
        max_latency: the worst latency that was seen.
        tracer_started: called when the tracer has changed, before its sites call.
        tracer_ready: called when its sites call, and its keys are on; and again when they call something else.
    """

    def __init__(self, kernel: Kernel, trace_globals: TraceGlobals) -> None:
        self._kernel = kernel
        self.globals = trace_globals
        self.tracer: Tracer = NOP
        self.cpumask = frozenset(range(len(kernel.board.cpus)))
        self.first_cpu = 0
        self.tracer_started: Callable[[], None] = lambda: None
        self.tracer_ready: Callable[[], None] = lambda: None
        self._called: tuple[Tracer, Callback | None] = NOP, None
        self._start = 0
        self._pauses = 0
        # A byte for each byte of the kernel mapping, since modules can be anywhere in it. Untouched pages cost nothing.
        self._site_flags = np.frombuffer(far_memory(kernel.board.memory), np.uint8)
        self.records = trace_globals.records.add()
        self._buffers = ArrayBuffers(self.records)
        self.max_latency = MaxLatency(self.records)
        array = self.records.array
        array.site_flags, array.site_flags_size = Values[u8](self._site_flags.ctypes.data), len(self._site_flags)
        array.sleep_time = array.graph_time = array.recording = True
        self.clock = trace_globals.clocks.first
        self.use_clock(self.clock.name)
        flags = pid_flags(self.records)
        self.pid_filter = PidFilter(self.records, flags, OF_FUNCTIONS)
        self.event_pid_filter = PidFilter(self.records, flags, OF_EVENTS)
        self.event_files = EventFiles(
            self.records,
            trace_globals.events,
            trace_globals.event_handler,
            lambda: trace_globals.stacks.callbacks().event_with_stack,
        )
        if trace_globals.records.top is self.records.array:
            self.event_files.take_entries(OF_TOP_ARRAY, True)
        self.host_events = HostEvents(kernel, trace_globals, self.records, self._buffers, self.event_files)

        trace_globals.snapshots.add(self.records.array, self._refuse_snapshot)

    def consumers(self, allocate_snapshot: Callable[[], None]) -> Consumers:
        """Makes what acts on this array. `allocate_snapshot`: see Consumers."""
        return Consumers(self.records, self.event_files, self.globals, allocate_snapshot)

    def hist_triggers(
        self,
        set_clock: Callable[[str], None],
        reserve_snapshot: Callable[[], Callable[[], None]],
        tell: Callable[[ErrorReport], None],
    ) -> HistTriggers:
        """Makes what keeps this array's hist triggers. `set_clock`, `reserve_snapshot`, `tell`: see HistTriggers."""
        from emu.ftrace.hist.triggers import HistTriggers  # when there is one

        return HistTriggers(self.records, self.event_files, self.globals, set_clock, reserve_snapshot, tell)

    def sibling(self) -> Recorder:
        """Makes a recorder for another array, with buffers of its own."""
        return Recorder(self._kernel, self.globals)

    def close(self) -> None:
        """Removes the array's records from those that native code knows."""
        self.event_files.close()
        self.globals.snapshots.remove(self.records.array)
        self.globals.records.remove(self.records)

    @property
    def cpus(self) -> int:
        return len(self.records.cpus)

    @property
    def rings(self) -> list[RingBuffer]:
        """The ring buffer that records on each CPU. A snapshot puts others in their place."""
        return self._buffers.of(None)

    # What is recorded

    def start_tracer(self, tracer: Tracer) -> None:
        """Changes the tracer, and drops the events of the old one."""
        self.clear()
        self.records.no_sections()
        self.tracer = tracer
        self.tracer_started()

    def sites_changed(self, callback: Callback | None) -> None:
        """Each site calls what it is to call. `callback`: for the tracer."""
        if self._called != (self.tracer, callback):
            self._called = self.tracer, callback
            self.tracer_ready()

    def note_first_cpu(self) -> None:
        """The function tracer is set by the acting CPU."""
        self.first_cpu = self._kernel.acting_cpu.index

    @property
    def graph_running(self) -> bool:
        """Whether anybody is told of entries and returns."""
        return self.records.array.graph_running != NOBODY

    def follow(self, ops: FtraceOps, places: npt.NDArray[np.int64]) -> None:
        """Puts in force what the array wants. `places`: each site's offset in the kernel mapping, in bytes."""
        self._site_flags[places] = ops.flags()
        self._follow_probes(ops.chains(), places)
        array = self.records.array
        array.only_selected = bool(ops.graph_function)
        array.hides = bool(ops.graph_notrace.mask.any())
        array.max_depth = ops.max_graph_depth
        array.threshold = ops.threshold_us * 1000 if ops.tracer is FUNCTION_GRAPH else 0
        array.graph_running = ops.graph_user
        self.records.changed()

    def _follow_probes(self, chains: Mapping[int, Sequence[trace_records.Consumer]], places: npt.NDArray[np.int64]) -> None:
        """Has native code find the consumers at sites. `chains`: by site, in the order in which they act."""
        linked = map(trace_records.link, chains.values())
        first = np.array([consumer.address for consumer in linked if consumer is not None], np.uint64)
        self._probes = probes.table_of(places[list(chains)].astype(np.uint64), first), chains
        self.records.array.probes = self._probes[0]

    def forget_sites(self, places: npt.NDArray[np.int64]) -> None:
        """Clears the flags of sites that are gone. `places`: as for `follow`."""
        self._site_flags[places] = 0

    def choose_event_pids(self, chosen: Pids, excluded: Pids) -> None:
        """Records events of certain tasks only."""
        self.event_pid_filter.choose(chosen, excluded)
        self.records.array.event_pids = bool(self.event_pid_filter)
        self.event_files.follow()

    def stop(self) -> None:
        """Stops recording for good, because tracing has failed; recorded events stay."""
        self.records.array.graph_running = NOBODY
        self._buffers.disable(ring_record.FAILED, range(self.cpus))

    @property
    def recording(self) -> bool:
        """Whether events are recorded (tracing_on). Native code may change it at any event."""
        return self.records.array.recording

    @property
    def held(self) -> bool:
        """Whether triggers of events, but for histograms, and commands of functions do nothing, and keep their counts.

        So they are while the command that is to be traced is started, of which nothing is recorded. Linux has no such state.
        """
        return self.records.array.held

    @held.setter
    def held(self, held: bool) -> None:
        self.records.array.held = held

    def record_on(self) -> None:
        self._switch(on=True)

    def record_off(self) -> None:
        """Stops recording, and wakes the readers that wait for events."""
        self.globals.remember_running()
        self._switch(on=False)
        self.wake_readers()

    def _switch(self, on: bool) -> None:
        self.records.array.recording = on
        self._buffers.disable(ring_record.OFF, range(0 if on else self.cpus))

    def record_on_cpus(self, cpus: frozenset[int]) -> None:
        """Sets tracing_cpumask: other CPUs record nothing."""
        self.cpumask = cpus
        self._buffers.disable(ring_record.MASKED, frozenset(range(self.cpus)) - cpus)
        self.globals.hwlat.cpumask_changed(self.records, cpus)

    def pause(self) -> None:
        """Records nothing until each `pause` has had its `resume`."""
        self._pauses += 1
        self._buffers.disable(ring_record.PAUSED, range(self.cpus))

    def resume(self) -> None:
        self._pauses -= 1
        if not self._pauses:
            self._buffers.disable(ring_record.PAUSED, ())

    def option_changed(self, name: str, on: bool) -> None:
        """Follows an option that says what is recorded; the others are for the text."""
        match name:
            case "overwrite":
                for ring in self._buffers:
                    ring.overwrite = on
            case "trace_printk":
                self.host_events.records_printk = on
            case "stacktrace":
                self.records.array.event_stacks = self.globals.stacks.callbacks().event_stack if on else None
                self.event_files.follow()
            case "userstacktrace":
                self.records.array.event_user_stacks = self.globals.stacks.callbacks().event_user_stack if on else None
                self.event_files.follow()
            case "funcgraph-irqs":
                self.records.array.skip_interrupts = not on
                self.records.changed()
            case "sleep-time":
                self.records.array.sleep_time = on
            case "graph-time":
                self.records.array.graph_time = on
            case "record-cmd":
                self.globals.saved_cmdlines.record(on)
            case "record-tgid":
                self.globals.saved_tgids.record(on)
            case "function-fork":
                self._follow_fork(trace_records.PID_CHOSEN | trace_records.PID_EXCLUDED, on)
            case "event-fork":
                self._follow_fork(trace_records.EVENTS_CHOSEN | trace_records.EVENTS_EXCLUDED, on)

    def _follow_fork(self, flags: u64, on: bool) -> None:
        """Whether children of the tasks that have these flags get them, too."""
        array = self.records.array
        array.follow_fork = array.follow_fork | flags if on else array.follow_fork & ~flags

    def use_clock(self, name: str) -> bool:
        """Takes the times of events from another clock; False if there is none of that name."""
        clock = self.globals.clocks.named(name)
        if clock is None:
            return False
        self.clock = clock
        array = self.records.array
        array.clock, array.clock_rate, array.clock_offset = clock.source, clock.rate, clock.offset
        self.records.changed()
        return True

    # What native code asks of Python

    def take_dump(self) -> tuple[int | None] | None:
        """Of which CPU, or (None,) of all, a command wants the buffers to be dumped; None: there was none. Returned once.

        What the thread does that dumps counts for none: each dump would bring the next one.
        """
        asked = self.records.array.dump
        self.records.array.dump = NO_DUMP
        if asked == NO_DUMP or self._kernel.work.is_thread_of(self._kernel.board.current):
            return None
        return (None if asked == DUMP_ALL else asked - DUMP_CPU,)

    def take_mismatch(self) -> Mismatch | None:
        """A call that returned, but is not on top of its return stack; None: none. Returned once."""
        array = self.records.array
        if not array.mismatch:
            return None
        array.mismatch = False
        return Mismatch(array.mismatch_frame, array.mismatch_expected, array.mismatch_function, array.mismatch_return)

    # The buffers

    def time_since_boot(self) -> int:
        """Nanoseconds, on the acting CPU."""
        return self._kernel.board.nanoseconds(self._kernel.acting_cpu.cycles)

    def clear(self, cpu: int | None = None) -> None:
        """Empties the ring buffer of one CPU, or of each; then the trace begins now."""
        for ring in self._buffers.of(cpu):
            ring.reset()
        if cpu is None:
            counts = self.clock.source == CLOCK_COUNTER  # whoever asked the time would count on
            self._start = self.globals.clocks.counted if counts else self.records.now(self._kernel.acting_cpu)

    def resize_rings(self, kb: int, cpu: int | None = None, *, spares: bool = False) -> None:
        """Gives the ring buffer of one CPU, or of each, at least so many KiB. `spares`: the spare ones, too.

        Raises:
            MemoryError: there is not enough memory; nothing has changed.
        """
        self._buffers.resize(kb, cpu, spares=spares)

    @property
    def snapshot_allocated(self) -> bool:
        """Whether there is room for a snapshot."""
        return self._buffers.have_spares

    def allocate_snapshot(self) -> None:
        """Makes room for a snapshot, if there is none: spare ring buffers, which take memory when they are used.

        Raises:
            MemoryError: there is not enough memory; nothing has changed.
        """
        if not self._buffers.have_spares:
            self._buffers.make_spares()

    def take_snapshot(self, cpu: int | None = None) -> None:
        """Exchanges the ring buffer of one CPU, or of each, for its spare one: what was recorded is the snapshot.

        Recording goes on after what the spare one held before. While recording is paused, nothing is exchanged.

        Raises:
            MemoryError: there is not enough memory for spare buffers of the same size; nothing has changed.
        """
        self._buffers.make_spares(cpu)
        self._buffers.exchange(cpu)
        self.wake_readers()

    def _refuse_snapshot(self, cpu: Cpu, why: int) -> None:
        """A CPU is to take a snapshot, but cannot. Without room recording ends: what was to be kept is not lost."""
        ip = self._kernel.image.symbol("tracing_snapshot_instance_cond")
        for line in REFUSALS[why]:
            self.host_events.write_puts(cpu, ip, line)
        if why == NOT_ALLOCATED:
            self.record_off()

    def clear_snapshot(self, cpu: int | None = None) -> None:
        """Empties the snapshot, or the part of one CPU."""
        for ring in self._buffers.of(cpu, spare=True):
            ring.reset()

    def free_snapshot(self) -> None:
        """Gives up the snapshot and its room."""
        self._buffers.free_spares()

    def entries(self, cpu: int | None) -> int:
        """How many events are in the ring buffer of one CPU, or of all."""
        return sum(ring.entries for ring in self._buffers.of(cpu))

    def size_kb(self, cpu: int) -> int:
        """How many KiB of events the ring buffer of a CPU has room for."""
        return self._buffers.ring(cpu).pages * DATA_SIZE // 1024

    def buffer_stats(self, cpu: int) -> BufferStats:
        ring = self._buffers.ring(cpu)
        return BufferStats(
            entries=ring.entries,
            overrun=ring.overrun,
            commit_overrun=0,
            bytes=ring.used_bytes,
            oldest_event=ring.oldest_event,
            now=self.records.now(self._kernel.board.cpus[cpu]),
            dropped_events=ring.dropped_events,
            read_events=ring.read_events,
        )

    # Reading

    # `spare`: of the snapshot, not of what is recorded now.

    def unread_events(self, cpu: int | None, tracer: Tracer, options: Mapping[str, bool], *, spare: bool = False) -> TraceView:
        """All events of one CPU, or of each, to be printed as `tracer` and `options` have it."""
        rings = self._buffers.of(cpu, spare=spare)
        entries = sum(ring.entries for ring in rings)
        written = entries + sum(ring.overrun for ring in rings)
        worst = spare and tracer.print_max
        start = self.max_latency.start if worst else 0 if spare else self._start
        found = [ring.unread() for ring in rings]
        if worst:  # as in Linux, what has been overwritten does not count where something older is hidden
            shown = [events.since(start) for events in found]
            hidden = [len(all_events) - len(events) for all_events, events in zip(found, shown, strict=True)]
            entries -= sum(hidden)
            written = entries + sum(ring.overrun for ring, count in zip(rings, hidden, strict=True) if not count)
            found = shown
        return self._view(found, entries, written, start, tracer, options, consuming=False, worst=worst)

    def oldest_events(
        self, cpu: int | None, tracer: Tracer, options: Mapping[str, bool], *, spare: bool = False
    ) -> tuple[TraceView, Mapping[int, int]]:
        """The oldest events, of one CPU or of each; and of each CPU that has any, how many `consume` can take at once."""
        found, limits = [], {}
        for ring in self._buffers.of(cpu, spare=spare):
            events, limit = ring.peek()
            if limit:
                found.append(events)
                limits[ring.cpu] = limit
        return self._view(found, 0, 0, 0 if spare else self._start, tracer, options, consuming=True), limits

    def event_texts(self, events: Sequence[Events], tracer: Tracer, options: Mapping[str, bool]) -> Sequence[str]:
        """What `trace` shows of events behind their times, each with its newline."""
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
        symbols, image = self.globals.symbols, self._kernel.image
        self.globals.remember_running()
        return TraceView(
            tracer=tracer.name,
            events=found,
            entries=entries,
            written=written,
            cpus=self.cpus,
            options=options,
            symbols=symbols,
            comm_of=self.globals.saved_cmdlines.comm_of,
            tgid_of=self.globals.saved_tgids.tgid_of,
            clock_is_ns=self.clock.is_ns,
            irq_entry_text=symbols.irq_entry_text,
            words=Words(image.byte_order),
            release=self._kernel.memory.text(image.symbol("init_uts_ns"), "new_utsname.release"),
            latency=self.max_latency.data() if worst else LatencyData(cpu=self.first_cpu),
            start=start,
            consuming=consuming,
            calls=self.globals.events,
            string_at=self.globals.kernel_values.string_at,
            mapped_file=self.globals.user_mappings.find,
            kernel_values=self.globals.kernel_values.variables(),
            kernel_constants=self.globals.kernel_values.constants,
            pointer_key=self.globals.pointer_key,
            warn=self.globals.warn,
        )

    def consume(self, cpu: int, count: int) -> None:
        """Takes a CPU's first `count` events, of those that `oldest_events` gave, out of its buffer."""
        self._buffers.ring(cpu).discard(count)

    def unread_pages(self, cpu: int) -> npt.NDArray[np.uint8]:
        """A copy of the pages in a CPU's buffer, shape (n, 4096), in the guest's byte order."""
        return self._as_guest_has_it(self._buffers.ring(cpu).unread_pages())

    def take_page(self, cpu: int, *, spare: bool = False, whole: bool = False) -> bytes | None:
        """Takes a page out of a CPU's buffer, as trace_pipe_raw gives it; None if there is no event, or no `whole` page.

        It is in the guest's byte order.
        """
        rings = self._buffers.of(cpu, spare=spare)
        page = rings[0].read_page(whole=whole) if rings else None
        if page is None:
            return None
        return self._as_guest_has_it(page[np.newaxis]).tobytes()

    def spill_to(self, spill: Spill | None) -> None:
        """Has a buffer that is full give its pages to `spill`, in the guest's byte order, so that nothing is overwritten.

        The machine stops, and what runs it raises, if `spill` does. None: events are overwritten.
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
        """Takes all pages out of a CPU's buffer: arrays of shape (n, 4096), in the guest's byte order."""
        ring = self._buffers.ring(cpu)
        for pages in ring.take_full_pages():
            yield self._as_guest_has_it(pages)
        while (page := ring.read_page()) is not None:
            yield self._as_guest_has_it(page[np.newaxis])

    def _as_guest_has_it(self, pages: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
        if not self._kernel.memory.swapped:
            return pages
        return np.stack([swapped_page(page, self.globals.events) for page in pages]) if len(pages) else pages

    def await_event(self, *, again: bool) -> None:
        """Has the next event that is recorded interrupt the guest, which then asks what can be read.

        `again`: the reader has waited before, and was woken in vain. It is left alone for a while.
        """
        self.records.array.reader_waits = self._earliest(again)

    def _earliest(self, again: bool) -> int:
        """From which cycle on a reader may be woken."""
        return self._kernel.file_server.after_pause() if again else 1

    def filled(self, cpu: int, percent: int) -> bool:
        """Whether so much of a CPU's buffer is written; as in Linux, the page that is being written counts as full."""
        return self._pages_missing(cpu, percent) <= 0

    def await_filled(self, cpu: int, percent: int, *, again: bool) -> None:
        """Has the event with which so much of a CPU's buffer is written interrupt the guest. That may come early."""
        self._buffers.ring(cpu).await_pages(self._pages_missing(cpu, percent), self.records.array, self._earliest(again))

    def _pages_missing(self, cpu: int, percent: int) -> int:
        ring = self._buffers.ring(cpu)
        return -(-percent * ring.pages // 100) - 1 - ring.full_pages

    def wake_readers(self) -> None:
        """Makes the readers that wait look again, even if there is nothing new."""
        wake_readers(self._kernel.board.current.record, self.records.array)
