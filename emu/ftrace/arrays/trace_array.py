# SPDX-License-Identifier: GPL-2.0-only
"""What one trace instance is asked to do: its tracer, filters, options, switches."""

from __future__ import annotations

import errno
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial

from emu.ftrace.arrays.array_records import ArrayRecords
from emu.ftrace.arrays.dump import Dump
from emu.ftrace.arrays.error_log import ErrorLog
from emu.ftrace.arrays.ops import AtSites, FtraceOps, Watch
from emu.ftrace.arrays.options import CORE_OPTIONS, Options
from emu.ftrace.arrays.recorder import Recorder
from emu.ftrace.arrays.trace_globals import TraceGlobals
from emu.ftrace.arrays.trace_summary import TraceSummary, summarize
from emu.ftrace.buffers.entries import Events, EventType
from emu.ftrace.buffers.pid_filter import Pids
from emu.ftrace.errors import TraceError
from emu.ftrace.event.call import EventCall
from emu.ftrace.event.files import EventFiles
from emu.ftrace.sites.filters import FunctionFilter
from emu.ftrace.sites.site_callback import Callback
from emu.ftrace.sites.site_updates import Ftrace
from emu.ftrace.text import TraceView
from emu.ftrace.text.taken_text import TakenText
from emu.ftrace.tracers.available import TRACERS
from emu.ftrace.tracers.branch import BRANCH_KEYS
from emu.ftrace.tracers.function import FUNCTION
from emu.ftrace.tracers.function_graph import FUNCTION_GRAPH
from emu.ftrace.tracers.max_latency import MaxLatency
from emu.ftrace.tracers.tracer import Tracer
from emu.ftrace.trigger.triggers import Triggers
from emu.kernel.work import WorkKind

__all__ = ["TraceArray"]

INITIAL_BUFFER_KB = 7  # two pages: enough for markers until a tracer is set
_ALL_CPUS = -1  # of a dump, as the guest has it
_MOST_INSTANCES = 256  # their memory is the host's, not the guest's


class TraceArray:
    """The wanted state of one trace instance. An operation that fails has changed nothing.

    Args:
        ftrace: changes the call sites.
        recorder: keeps this array's events.
        parent: the top array, for one of its instances.

    Attributes:
        ops: what the array wants of the sites.
        error_log: what was wrong with commands that it has refused.
        triggers: what events make happen.
        instances: the instances of the top array, by name.
        users: how many of its files are open; an instance cannot be removed meanwhile.
        pipes: how many readers have a trace_pipe open.
        lost_told: see TracedArray.
        buffer_percent: how much of a CPU's buffer is written when a poll finds the CPU's pipes readable; 0: one event is enough.
        buffer_expanded: whether the buffers have left their first size, because a tracer or a size was set.
    """

    def __init__(self, ftrace: Ftrace, recorder: Recorder, parent: TraceArray | None = None) -> None:
        self.ftrace = ftrace
        self.recorder = recorder
        self.error_log = ErrorLog(recorder.time_since_boot)
        recorder.tracer_started = self._tracer_started
        recorder.tracer_ready = self._tracer_ready
        self._top = parent or self
        self.is_top = parent is None
        self.tracers = {name: tracer for name, tracer in TRACERS.items() if self._has(tracer)}
        self.options = Options([*CORE_OPTIONS, *(option for tracer in self.tracers.values() for option in tracer.options)])
        consumers = recorder.consumers(self.allocate_snapshot)
        at_sites: list[AtSites] = [recorder.globals.kprobes, ftrace.live_patches, ftrace.direct_calls] if self.is_top else []
        watches: list[Watch] = [self.globals.stack_tracer, self.globals.profiler] if self.is_top else []
        self.ops = FtraceOps(ftrace.sites.functions, self.options, recorder.event_files, consumers, at_sites, watches)
        hists = partial(recorder.hist_triggers, self.set_clock, self.reserve_snapshot, self.error_log.add)
        self.triggers = Triggers(recorder.event_files, consumers, hists, recorder.globals.condition)
        self.pipes = 0
        self.lost_told = 0
        self.buffer_percent = 50
        self.users = 0
        self.instances: dict[str, TraceArray] = {}
        self._dump_requested = False
        self.buffer_expanded = not self.is_top
        recorder.resize_rings(INITIAL_BUFFER_KB if self.is_top else self.globals.buffer_kb)
        if parent is not None:
            self._inherit(parent.options)
        else:
            self.globals.printed_events.shown_as(self.event_texts)
        ftrace.register(self.ops, recorder)

    def _has(self, tracer: Tracer) -> bool:
        known = tracer.only_with is None or self.globals.has_symbol(tracer.only_with)
        return known and (self.is_top or tracer.in_instances)

    def _inherit(self, options: Options) -> None:
        """Takes over the top array's options, except those to follow tasks: an instance has lists of its own."""
        for option in CORE_OPTIONS:
            if option.name not in ("function-fork", "event-fork") and options[option.name] != option.default:
                self.set_option(option.name, options[option.name])

    def set_buffer_percent(self, percent: int) -> None:
        if percent > 100:
            raise TraceError(errno.EINVAL, f"{percent} is more than 100 percent")
        self.buffer_percent = percent

    # For tracers (TracedArray)

    @property
    def globals(self) -> TraceGlobals:
        return self.recorder.globals

    @property
    def records(self) -> ArrayRecords:
        return self.recorder.records

    @property
    def event_files(self) -> EventFiles:
        return self.recorder.event_files

    @property
    def max_latency(self) -> MaxLatency:
        return self.recorder.max_latency

    @property
    def tracer(self) -> Tracer:
        return self.ops.tracer

    @property
    def lost_events(self) -> int:
        return sum(ring.overrun + ring.dropped_events for ring in self.recorder.rings)

    @property
    def recording(self) -> bool:
        return self.recorder.recording

    @property
    def threshold(self) -> int:
        return self._top.ops.threshold_us

    @threshold.setter
    def threshold(self, microseconds: int) -> None:
        self._top.ops.threshold_us = microseconds
        for array in self.globals.records.arrays:
            array.tracing_thresh = microseconds * 1000
        self.globals.guest_array.set_threshold(microseconds)

    @property
    def cpumask(self) -> frozenset[int]:
        return self.recorder.cpumask

    def use_events(self) -> None:
        self.ftrace.use_events()

    def take_entries(self, kinds: Collection[EventType], on: bool) -> None:
        self.event_files.take_entries(kinds, on)

    def clear(self) -> None:
        self.recorder.clear()

    def clear_shown(self, cpu: int | None) -> None:
        """Drops what `trace` shows, of one CPU or of all."""
        if self.ops.tracer.print_max:
            self.recorder.clear_snapshot(cpu)
        else:
            self.recorder.clear(cpu)

    def ignore_threads(self) -> None:
        self.max_latency.closed = True

    def threads_stopped(self) -> None:
        self.max_latency.closed = False
        self.clear()

    def clear_worst(self) -> None:
        self.recorder.clear_snapshot()

    # Instances

    def make_instance(self, name: str) -> None:
        """Raises TraceError: EEXIST, or ENOMEM if there are too many."""
        if name in self.instances:
            raise TraceError(errno.EEXIST, f"there is an instance '{name}' already")
        if len(self.instances) >= _MOST_INSTANCES:
            raise TraceError(errno.ENOMEM, f"there are {_MOST_INSTANCES} instances already")
        self.instances[name] = TraceArray(self.ftrace, self.recorder.sibling(), parent=self)

    def remove_instance(self, name: str) -> None:
        """Raises TraceError: ENOENT, or EBUSY as long as a file of it is open."""
        array = self.instances.get(name)
        if array is None:
            raise TraceError(errno.ENOENT, f"there is no instance '{name}'", (name, self.instances))
        if array.users:
            raise TraceError(errno.EBUSY, f"files of instance '{name}' are open")
        del self.instances[name]
        array.ops.tracer.stop(array)
        array.recorder.close()
        self.ftrace.unregister(array.ops)

    # Which functions call, and what

    def set_tracer(self, name: str) -> None:
        tracer = self.tracers.get(name)
        if tracer is None:
            known = " ".join(self.tracers)
            raise TraceError(errno.EINVAL, f"there is no tracer '{name}' (there are: {known})", (name, self.tracers))
        self._expand_buffer()
        if tracer is self.ops.tracer:
            self.ftrace.try_again()
            return
        if self.pipes:
            raise TraceError(errno.EBUSY, "a trace_pipe is open")
        self._check_graph(tracer.callback(self.options), errno.EBUSY)
        for other in self._others:
            if tracer.excludes(other.ops.tracer):
                raise TraceError(errno.EBUSY, f"another array has the tracer '{other.ops.tracer.name}'")
        if tracer.print_max:
            self._check_reserved()
            self.allocate_snapshot()
        tracer.prepare(self)
        self.ops.tracer.stop(self)
        if self.ops.tracer.print_max and not tracer.print_max:
            self.recorder.free_snapshot()
        self.records.array.print_max = tracer.print_max
        self.ops.tracer = tracer
        self.ops.with_branches = self.is_top and self.options["branch"]
        self.take_entries((EventType.BRANCH,), set(BRANCH_KEYS) <= set(self.ops.tracer_keys))
        self.ops.probes.tracer_set()
        self.recorder.clear()
        if tracer is FUNCTION:
            self.recorder.note_first_cpu()
        self.ftrace.update_sites()

    @property
    def _others(self) -> Iterator[TraceArray]:
        """All other arrays."""
        return (array for array in (self._top, *self._top.instances.values()) if array is not self)

    def _check_graph(self, callback: Callback | None, code: int) -> None:
        """Raises TraceError, with this errno: the tracer is to have calls return elsewhere, which somebody else does."""
        if callback is Callback.GRAPH and self.globals.profiler.enabled:
            raise TraceError(code, "the function profiler runs, which has calls return elsewhere, too")
        if callback is Callback.GRAPH and any(other.ops.callback is Callback.GRAPH for other in self._others):
            raise TraceError(code, "the tracer of another array has calls return elsewhere, too")

    def _tracer_started(self) -> None:
        self.ops.tracer.start(self)

    def _tracer_ready(self) -> None:
        self.ops.tracer.ready(self)

    def set_filter(self, selected: FunctionFilter) -> None:
        self.ops.filter = selected
        self.ftrace.update_sites()

    def set_notrace(self, selected: FunctionFilter) -> None:
        self.ops.notrace = selected
        self.ftrace.update_sites()

    def set_graph_function(self, selected: FunctionFilter) -> None:
        self.ops.graph_function = selected
        self.ftrace.update_sites()

    def set_graph_notrace(self, selected: FunctionFilter) -> None:
        self.ops.graph_notrace = selected
        self.ftrace.update_sites()

    def set_max_graph_depth(self, depth: int) -> None:
        self.ops.max_graph_depth = depth
        self.ftrace.update_sites()

    def set_threshold(self, microseconds: int) -> None:
        self.threshold = microseconds
        self.ops.tracer.threshold_changed(self)
        self.ftrace.update_sites()

    def set_profiling(self, on: bool) -> None:
        """Starts or stops the function profiler. Raises TraceError: EBUSY, while the tracer has calls return elsewhere."""
        for array in (self, *self._others):
            if on and array.ops.callback is Callback.GRAPH:
                raise TraceError(errno.EBUSY, f"the tracer '{array.ops.tracer.name}' has calls return elsewhere, too")
        self.globals.profiler.enabled = on
        self.ftrace.update_sites()

    def set_stack_filter(self, selected: FunctionFilter) -> None:
        self.globals.stack_tracer.filter = selected
        self.ftrace.update_sites()

    def edit_probes(self, word: str) -> None:
        """Raises TraceError: EINVAL."""
        self.ops.probes.edit(word, self.ftrace.sites.functions)
        self.ftrace.update_sites()

    def after_run(self) -> None:
        """Acts on what native code has found while the machine ran. Called on the top array, between runs."""
        if dump := self.recorder.take_dump():
            self.request_dump(*dump)
        self.globals.printed_events.collect()
        self.ftrace.check_returns()

    def event_texts(self, events: Sequence[Events]) -> Sequence[str]:
        """What `trace` shows of events behind their times, each with its newline."""
        return self.recorder.event_texts(events, self.ops.tracer, self.options)

    # Which events are recorded

    def enable_events(self, calls: Collection[EventCall], on: bool) -> None:
        """Records events from now on, or no longer. Raises TraceError: an event cannot happen; all others are recorded."""
        if on:
            self._expand_buffer()
        try:
            self.ops.events.set(calls, on)
        finally:
            self.ftrace.update_sites()

    def edit_triggers(self, call: EventCall, text: str) -> None:
        """Obeys a command about what an event makes happen. Raises TraceError, see Triggers."""
        self.triggers.obey(call, text)
        self.ftrace.update_sites()

    def remove_hists(self, call: EventCall) -> None:
        """Takes back the hist triggers of an event; none of them, when others refer to variables of one."""
        if self.triggers.remove_hists(call):
            self.ftrace.update_sites()

    # What is recorded

    def set_recording(self, on: bool) -> None:
        changed = on != self.recorder.recording
        if on:
            self.recorder.record_on()
        else:
            self.recorder.record_off()
        if changed:
            self.ops.tracer.recording(self, on)

    def set_pids(self, pids: Pids) -> None:
        self.recorder.pid_filter.choose(pids, self.recorder.pid_filter.excluded)

    def set_notrace_pids(self, pids: Pids) -> None:
        self.recorder.pid_filter.choose(self.recorder.pid_filter.chosen, pids)

    def set_event_pids(self, pids: Pids) -> None:
        self.recorder.choose_event_pids(pids, self.recorder.event_pid_filter.excluded)

    def set_event_notrace_pids(self, pids: Pids) -> None:
        self.recorder.choose_event_pids(self.recorder.event_pid_filter.chosen, pids)

    @contextmanager
    def following(self) -> Iterator[Callable[[int], None]]:
        """While the body runs, functions and events of tasks are recorded only if these are in set_ftrace_pid and set_event_pid.

        The body gets a function that adds a task to both lists, by its pid. Children of these tasks are added, too. At the
        end, the lists and the options function-fork and event-fork are what they were.
        """
        lists = (
            (self.recorder.pid_filter, self.set_pids, "function-fork"),
            (self.recorder.event_pid_filter, self.set_event_pids, "event-fork"),
        )
        before = [(filter_.chosen, self.options[option]) for filter_, _, option in lists]
        for filter_, choose, option in lists:
            choose(filter_.chosen or frozenset())
            self.set_option(option, True)

        def add(pid: int) -> None:
            for filter_, choose, _ in lists:
                choose((filter_.chosen or frozenset()) | {pid})

        try:
            yield add
        finally:
            for (_, choose, option), (chosen, followed) in zip(lists, before, strict=True):
                self.set_option(option, followed)
                choose(chosen)

    def set_option(self, name: str, on: bool) -> None:
        """Raises TraceError: EINVAL."""
        self.options.check(name)
        self._check_graph(self.ops.tracer.callback({**self.options, name: on}), errno.EINVAL)
        self._owner(name).option_changed(self, name, on)
        wanted = self.ops.callback, self.ops.tracer_keys
        self.options.set(name, on)
        self.recorder.option_changed(name, on)
        if (self.ops.callback, self.ops.tracer_keys) != wanted:
            self.ftrace.update_sites()

    def _owner(self, name: str) -> Tracer:
        """The tracer that has an option, whether it is set or not; of one that all have the one that is."""
        owners = (tracer for tracer in self.tracers.values() if any(option.name == name for option in tracer.options))
        return next(owners, self.ops.tracer)

    def set_clock(self, name: str) -> None:
        """Changes the clock, and empties the ring buffers and the snapshot: they cannot hold times of two clocks.

        Raises:
            TraceError: EINVAL, when there is no such clock.
        """
        if not self.recorder.use_clock(name):
            names = self.recorder.globals.clocks.names
            raise TraceError(errno.EINVAL, f"there is no clock '{name}' (there are: {' '.join(names)})", (name, names))
        self.recorder.clear()
        self.recorder.clear_snapshot()
        self.ops.tracer.clock_changed(self)

    def set_buffer_kb(self, kb: int, cpu: int | None = None) -> None:
        """Resizes the ring buffer of one CPU, or of each. Raises TraceError: EINVAL for 0, ENOMEM."""
        if kb == 0:
            raise TraceError(errno.EINVAL, "a ring buffer cannot be empty")
        try:
            self.recorder.resize_rings(kb, cpu, spares=self.ops.tracer.print_max)
        except MemoryError:
            count = self.recorder.cpus if cpu is None else 1
            raise TraceError(errno.ENOMEM, f"no memory for {count} ring buffers of {kb} KiB") from None
        self.buffer_expanded = True

    def _expand_buffer(self) -> None:
        """Gives the ring buffers the size for a trace, unless a size was set. Raises TraceError: ENOMEM."""
        if not self.buffer_expanded:
            self.set_buffer_kb(self.globals.buffer_kb)

    def free_buffer(self) -> None:
        """Shrinks the ring buffers as far as possible; with disable_on_free stops recording."""
        if self.options["disable_on_free"]:
            self.recorder.record_off()
        self.set_buffer_kb(1)

    # The snapshot

    def allocate_snapshot(self) -> None:
        """Makes room for a snapshot, if there is none. Raises TraceError: ENOMEM."""
        self._expand_buffer()
        with self._memory_for_snapshot():
            self.recorder.allocate_snapshot()

    def reserve_snapshot(self) -> Callable[[], None]:
        """Keeps the snapshot for an action of a histogram, until the function is called that this returns. Makes room for it.

        Raises:
            TraceError: EBUSY if it is kept already; ENOMEM.
        """
        self._check_snapshots()
        self.allocate_snapshot()
        self.globals.snapshots.use()
        self.records.array.snapshot_reserved = True
        return self._end_reservation

    def _end_reservation(self) -> None:
        self.records.array.snapshot_reserved = False

    def _check_snapshots(self) -> None:
        self._check_reserved()
        self.check_print_max()

    def _check_reserved(self) -> None:
        if self.records.array.snapshot_reserved:
            raise TraceError(errno.EBUSY, "an action of a histogram takes the snapshots")

    def check_print_max(self) -> None:
        """Raises TraceError: EBUSY, the tracer keeps the worst latency where the snapshot would be."""
        if self.ops.tracer.print_max:
            raise TraceError(errno.EBUSY, f"the tracer '{self.ops.tracer.name}' keeps the worst latency in the snapshot's place")

    def take_snapshot(self, cpu: int | None = None) -> None:
        """Takes a snapshot of one CPU or of all, and makes room for it if there is none. Raises TraceError: EBUSY, ENOMEM."""
        self._check_snapshots()
        self._expand_buffer()
        with self._memory_for_snapshot():
            self.recorder.take_snapshot(cpu)

    def free_snapshot(self) -> None:
        """Gives up the snapshot and its room. Raises TraceError: EBUSY."""
        self._check_snapshots()
        self.recorder.free_snapshot()

    def clear_snapshot(self, cpu: int | None) -> None:
        """Empties the snapshot, or the part of one CPU. Raises TraceError: EBUSY."""
        self._check_snapshots()
        self.recorder.clear_snapshot(cpu)

    @contextmanager
    def _memory_for_snapshot(self) -> Iterator[None]:
        try:
            yield
        except MemoryError:
            kb = sum(map(self.recorder.size_kb, range(self.recorder.cpus)))
            raise TraceError(errno.ENOMEM, f"no memory for spare ring buffers of {kb} KiB") from None

    # What is shown

    def summary(self) -> TraceSummary:
        return summarize(self.recorder.rings)

    # `spare`: of the snapshot, not of what is recorded now.

    def trace_view(self, cpu: int | None, *, spare: bool = False) -> TraceView:
        """What there is to print, of one CPU or of all. Raises TraceError: EBUSY, of a snapshot whose place is used otherwise."""
        if spare:
            self.check_print_max()
        tracer = self.ops.tracer
        return self.recorder.unread_events(cpu, tracer, self.options, spare=spare or tracer.print_max)

    def pipe_view(self, cpu: int | None, *, spare: bool = False) -> tuple[TraceView, Mapping[int, int]]:
        """The oldest events to print, and for each CPU that has any, how many can be consumed at once."""
        return self.recorder.oldest_events(cpu, self.ops.tracer, self.options, spare=spare)

    # Dumps

    def dump(self, cpu: int | None) -> Iterator[str]:
        """Takes what is in the buffer of one CPU, or of each, out of it, as lines for the guest's console.

        The lines are those of trace_pipe with the option latency-format, which has no effect on function_graph's here. What
        is recorded meanwhile stays. As in Linux, addresses of programs stay addresses.
        """
        latency = self.ops.tracer is not FUNCTION_GRAPH or self.options["latency-format"] or self.options["funcgraph-flat"]
        options = {**self.options, "latency-format": latency, "sym-userobj": False}
        text = TakenText(lambda: self.recorder.oldest_events(cpu, self.ops.tracer, options), self.recorder.consume)
        return Dump(text, self.recorder.entries(cpu))

    def request_dump(self, cpu: int | None) -> None:
        """Stops recording, and has the guest dump the buffer of one CPU, or of each, on its console.

        The guest prints in a task of its own, so shortly after. While a dump is asked for, another one is not: there will
        be nothing for it.
        """
        self.recorder.record_off()
        if not self._dump_requested:
            self._dump_requested = True
            self.recorder.globals.work.ask(WorkKind.DUMP, _ALL_CPUS if cpu is None else cpu, on_done=self._dumped)

    def _dumped(self, result: int) -> None:
        self._dump_requested = False
