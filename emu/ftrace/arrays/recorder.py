# SPDX-License-Identifier: GPL-2.0-only
"""Records the events of one trace array: its ring buffers, and its records for native code."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from emu.cpu.cpu import Cpu
from emu.cpu.far_memory import far_memory
from emu.ftrace.arrays.host_events import HostEvents
from emu.ftrace.arrays.ops import FtraceOps
from emu.ftrace.arrays.reader import Reader
from emu.ftrace.arrays.trace_globals import TraceGlobals
from emu.ftrace.buffers.array_buffers import ArrayBuffers
from emu.ftrace.buffers.clocks import Clock
from emu.ftrace.buffers.pid_filter import OF_EVENTS, OF_FUNCTIONS, PidFilter, pid_flags
from emu.ftrace.buffers.ring_buffer import RingBuffer
from emu.ftrace.buffers.snapshots import REFUSALS
from emu.ftrace.event.files import EventFiles
from emu.ftrace.event.internal import OF_TOP_ARRAY
from emu.ftrace.guest.traced_kernel import TracedKernel
from emu.ftrace.native import probes, ring_record, trace_records, trace_values
from emu.ftrace.native.trace_values import CLOCK_COUNTER, DUMP_ALL, DUMP_CPU, NO_DUMP, NOBODY
from emu.ftrace.native.tracing_snapshot import NOT_ALLOCATED
from emu.ftrace.sites.site_callback import Callback
from emu.ftrace.tracers.function_graph import FUNCTION_GRAPH
from emu.ftrace.tracers.max_latency import MaxLatency
from emu.ftrace.tracers.nop import NOP
from emu.ftrace.tracers.tracer import Tracer
from emu.native.records import Values, u8, u64

if TYPE_CHECKING:
    pass

__all__ = ["Mismatch", "Recorder"]


class Mismatch(NamedTuple):
    """A call that returned, but is not at the top of its task's return stack.

    The last three fields describe the entry at the top; they are 0 if the guest has overwritten its number.
    """

    frame: int
    expected: int
    function: int
    returns_to: int


class Recorder:
    """The recorder of one trace array. Its methods take effect before they return.

    Args:
        kernel: the kernel that is traced.
        trace_globals: what the trace arrays of the kernel share.

    Attributes:
        tracer: the tracer whose events are recorded now. The array may already have asked for another one.
        cpumask: the CPUs that may record (tracing_cpumask).
        pid_filter: the tasks whose functions are recorded.
        event_pid_filter: the tasks whose events are recorded.
        event_files: the array's event files.
        host_events: records events for the guest.
        records: the array's records for native code.
        max_latency: the worst latency seen.
        reader: reads the recorded events.
        tracer_started: called when the tracer has changed, before its sites call.
        tracer_ready: called when the tracer's sites call and its keys are on, and again when its sites change.
    """

    def __init__(self, kernel: TracedKernel, trace_globals: TraceGlobals) -> None:
        self._kernel = kernel
        self.globals = trace_globals
        self.tracer: Tracer = NOP
        self.cpumask = frozenset(range(len(kernel.board.cpus)))
        self.tracer_started: Callable[[], None] = lambda: None
        self.tracer_ready: Callable[[], None] = lambda: None
        self._called: tuple[Tracer, Callback | None] = NOP, None
        self._pauses = 0
        # One byte per byte of the kernel mapping, because modules can be anywhere in it. Untouched pages cost nothing.
        self._site_flags = np.frombuffer(far_memory(kernel.code_span), np.uint8)
        self.records = trace_globals.records.add()
        self._buffers = ArrayBuffers(self.records)
        self.max_latency = MaxLatency(self.records)
        self.reader = Reader(kernel, trace_globals, self._buffers, self.records, self.max_latency)
        array = self.records.array
        array.site_flags, array.site_flags_size = Values[u8](self._site_flags.ctypes.data), len(self._site_flags)
        array.sleep_time = array.graph_time = array.recording = True
        self.use_clock(trace_globals.clocks.first.name)
        flags = pid_flags(self.records)
        self.pid_filter = PidFilter(self.records, flags, OF_FUNCTIONS)
        self.event_pid_filter = PidFilter(self.records, flags, OF_EVENTS, self._event_pids_changed)
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

    def sibling(self) -> Recorder:
        """Makes a recorder for another array, with buffers of its own."""
        return Recorder(self._kernel, self.globals)

    def close(self) -> None:
        """Removes the array's records from native code's lists."""
        self.event_files.close()
        self.globals.snapshots.remove(self.records.array)
        self.globals.records.remove(self.records)

    @property
    def cpus(self) -> int:
        return len(self.records.cpus)

    @property
    def clock(self) -> Clock:
        """The clock of the events' timestamps."""
        return self.reader.clock

    @property
    def rings(self) -> list[RingBuffer]:
        """The ring buffers that record, by CPU. A snapshot replaces them."""
        return self._buffers.of(None)

    # What is recorded

    def start_tracer(self, tracer: Tracer) -> None:
        """Changes the tracer, and drops the events of the previous one."""
        self.clear()
        self.records.no_sections()
        self.tracer = tracer
        self.tracer_started()

    def sites_changed(self, callback: Callback | None) -> None:
        """All sites have been patched. `callback`: the tracer's target."""
        if self._called != (self.tracer, callback):
            self._called = self.tracer, callback
            self.tracer_ready()

    def note_first_cpu(self) -> None:
        """Notes that the acting CPU sets the function tracer."""
        self.reader.first_cpu = self._kernel.acting_cpu.index

    @property
    def graph_running(self) -> bool:
        """Whether anybody gets entries and returns."""
        return self.records.array.graph_running != NOBODY

    def follow(self, ops: FtraceOps, places: npt.NDArray[np.int64]) -> None:
        """Applies what the array uses. `places`: each site's offset in the kernel mapping, in bytes."""
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
        """Makes the consumers at sites known to native code. `chains`: by site, in the order in which they act."""
        linked = map(trace_records.link, chains.values())
        first = np.array([consumer.address for consumer in linked if consumer is not None], np.uint64)
        self._probes = probes.table_of(places[list(chains)].astype(np.uint64), first), chains
        self.records.array.probes = self._probes[0]

    def forget_sites(self, places: npt.NDArray[np.int64]) -> None:
        """Clears the flags of sites that are gone. `places`: as for `follow`."""
        self._site_flags[places] = 0

    def _event_pids_changed(self) -> None:
        self.records.array.event_pids = bool(self.event_pid_filter)
        self.event_files.follow()

    def stop(self) -> None:
        """Stops recording for good, because tracing has failed. Recorded events stay."""
        self.records.array.graph_running = NOBODY
        self._buffers.disable(ring_record.FAILED, range(self.cpus))

    @property
    def recording(self) -> bool:
        """Whether events are recorded (tracing_on). Native code may change this at any event."""
        return self.records.array.recording

    @property
    def held(self) -> bool:
        """Whether event triggers (except histograms) and function commands are suspended, and keep their counts.

        They are suspended while the traced command is being started, which is not recorded. Linux has no such state.
        """
        return self.records.array.held

    @held.setter
    def held(self, held: bool) -> None:
        self.records.array.held = held

    def record_on(self) -> None:
        self._switch(on=True)

    def record_off(self) -> None:
        """Stops recording, and wakes readers that wait for events."""
        self.globals.remember_running()
        self._switch(on=False)
        self.reader.wake()

    def _switch(self, on: bool) -> None:
        self.records.array.recording = on
        self._buffers.disable(ring_record.OFF, range(0 if on else self.cpus))

    def record_on_cpus(self, cpus: frozenset[int]) -> None:
        """Sets tracing_cpumask: the other CPUs record nothing."""
        self.cpumask = cpus
        self._buffers.disable(ring_record.MASKED, frozenset(range(self.cpus)) - cpus)
        self.globals.cpumask_changed(self.records, cpus)

    def pause(self) -> None:
        """Stops recording until each `pause` has been followed by a `resume`."""
        self._pauses += 1
        self._buffers.disable(ring_record.PAUSED, range(self.cpus))

    def resume(self) -> None:
        self._pauses -= 1
        if not self._pauses:
            self._buffers.disable(ring_record.PAUSED, ())

    def option_changed(self, name: str, on: bool) -> None:
        """Applies an option, if it affects recording. The other options affect only the text."""
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
                self._follow_fork(trace_values.PID_CHOSEN | trace_values.PID_EXCLUDED, on)
            case "event-fork":
                self._follow_fork(trace_values.EVENTS_CHOSEN | trace_values.EVENTS_EXCLUDED, on)

    def _follow_fork(self, flags: u64, on: bool) -> None:
        """Sets whether children of tasks with these flags inherit them."""
        array = self.records.array
        array.follow_fork = array.follow_fork | flags if on else array.follow_fork & ~flags

    def use_clock(self, name: str) -> bool:
        """Takes timestamps from another clock. Returns False if no clock has that name."""
        clock = self.globals.clocks.named(name)
        if clock is None:
            return False
        self.reader.clock = clock
        array = self.records.array
        array.clock, array.clock_rate, array.clock_offset = clock.source, clock.rate, clock.offset
        self.records.changed()
        return True

    # Requests of native code

    def take_dump(self) -> tuple[int | None] | None:
        """The CPU whose buffer a command wants dumped, or (None,) for all CPUs; None if there is no request. Returned once.

        Requests made by the dumping thread itself are ignored: each dump would trigger the next one.
        """
        asked = self.records.array.dump
        self.records.array.dump = NO_DUMP
        if asked == NO_DUMP or self._kernel.is_dumping(self._kernel.board.current):
            return None
        return (None if asked == DUMP_ALL else asked - DUMP_CPU,)

    def take_mismatch(self) -> Mismatch | None:
        """A call that returned, but is not at the top of its return stack; None if there is none. Returned once."""
        array = self.records.array
        if not array.mismatch:
            return None
        array.mismatch = False
        return Mismatch(array.mismatch_frame, array.mismatch_expected, array.mismatch_function, array.mismatch_return)

    # The buffers

    def time_since_boot(self) -> int:
        """Nanoseconds since boot, on the acting CPU."""
        return self._kernel.board.nanoseconds(self._kernel.acting_cpu.cycles)

    def clear(self, cpu: int | None = None) -> None:
        """Empties the ring buffer of one CPU, or of each. The trace then starts now."""
        for ring in self._buffers.of(cpu):
            ring.reset()
        if cpu is None:
            counts = self.reader.clock.source == CLOCK_COUNTER  # reading the counter clock would advance it
            self.reader.start = self.globals.clocks.counted if counts else self.records.now(self._kernel.acting_cpu)

    def resize_rings(self, kb: int, cpu: int | None = None, *, spares: bool = False) -> None:
        """Gives the ring buffer of one CPU, or of each, at least so many KiB. `spares`: also the spare buffers.

        Raises:
            MemoryError: there is not enough memory; nothing has changed.
        """
        self._buffers.resize(kb, cpu, spares=spares)

    @property
    def snapshot_allocated(self) -> bool:
        """Whether there is room for a snapshot."""
        return self._buffers.have_spares

    def allocate_snapshot(self) -> None:
        """Makes room for a snapshot, if there is none: spare ring buffers, which take memory only when they are used.

        Raises:
            MemoryError: there is not enough memory; nothing has changed.
        """
        if not self._buffers.have_spares:
            self._buffers.make_spares()

    def take_snapshot(self, cpu: int | None = None) -> None:
        """Swaps the ring buffer of one CPU, or of each, with its spare one: the recorded events become the snapshot.

        Recording continues after the spare buffer's previous contents. While recording is paused, nothing is swapped.

        Raises:
            MemoryError: there is not enough memory for spare buffers of the same size; nothing has changed.
        """
        self._buffers.make_spares(cpu)
        self._buffers.exchange(cpu)
        self.reader.wake()

    def _refuse_snapshot(self, cpu: Cpu, why: int) -> None:
        """A CPU could not take a snapshot. If there is no room for one, recording stops, so that the events are not lost."""
        ip = self._kernel.address_of("tracing_snapshot_instance_cond")
        for line in REFUSALS[why]:
            self.host_events.write_puts(cpu, ip, line)
        if why == NOT_ALLOCATED:
            self.record_off()

    def clear_snapshot(self, cpu: int | None = None) -> None:
        """Empties the snapshot, or the part of one CPU."""
        for ring in self._buffers.of(cpu, spare=True):
            ring.reset()

    def free_snapshot(self) -> None:
        """Frees the snapshot and its room."""
        self._buffers.free_spares()
