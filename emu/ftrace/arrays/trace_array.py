# SPDX-License-Identifier: GPL-2.0-only
"""The requested state of one trace instance: its tracer, filters, options, switches."""

from __future__ import annotations

import errno
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING

from emu.ftrace.arrays.array_records import ArrayRecords
from emu.ftrace.arrays.buffer_size import BufferSize
from emu.ftrace.arrays.dump import Dumps
from emu.ftrace.arrays.error_log import ErrorLog
from emu.ftrace.arrays.ops import AtSites, FtraceOps, Watch
from emu.ftrace.arrays.options import CORE_OPTIONS, Option, Options
from emu.ftrace.arrays.reader import Reader
from emu.ftrace.arrays.recorder import Recorder
from emu.ftrace.arrays.snapshot import Snapshot
from emu.ftrace.arrays.trace_globals import TraceGlobals
from emu.ftrace.arrays.trace_summary import TraceSummary, summarize
from emu.ftrace.buffers.entries import Events, EventType
from emu.ftrace.errors import TraceError
from emu.ftrace.event.call import EventCall
from emu.ftrace.event.files import EventFiles
from emu.ftrace.sites.filters import FunctionFilter
from emu.ftrace.sites.ftrace import Ftrace
from emu.ftrace.sites.site_callback import Callback
from emu.ftrace.text import TraceView
from emu.ftrace.tracers.available import TRACERS
from emu.ftrace.tracers.branch import BRANCH_KEYS
from emu.ftrace.tracers.function import FUNCTION
from emu.ftrace.tracers.max_latency import MaxLatency
from emu.ftrace.tracers.tracer import Tracer
from emu.ftrace.trigger.consumers import Consumers
from emu.ftrace.trigger.triggers import Triggers

if TYPE_CHECKING:
    from emu.ftrace.hist.triggers import HistTriggers

__all__ = ["TraceArray"]

_MOST_INSTANCES = 256  # their memory is the host's, not the guest's


class TraceArray:
    """The requested state of one trace instance. An operation that fails changes nothing.

    Args:
        ftrace: changes the call sites.
        recorder: records this array's events.
        parent: for an instance, the top array.

    Attributes:
        ops: the sites and events that the array uses.
        error_log: what was wrong with refused commands.
        triggers: the event triggers.
        snapshot: its snapshot.
        dumps: makes the guest print the buffers.
        instances: the instances of the top array, by name.
        users: the number of its open files; an instance cannot be removed while there are any.
        pipes: the number of readers with an open trace_pipe.
        lost_told: see TracedArray.
        buffer_size: the size of its ring buffers.
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
        self.options = Options([*CORE_OPTIONS, *chain(*map(self.options_of, self.tracers.values()))])
        consumers = Consumers(recorder.records, recorder.event_files, recorder.globals, self.allocate_snapshot)
        at_sites: Collection[AtSites] = ftrace.at_sites if self.is_top else ()
        watches: list[Watch] = [self.globals.stack_tracer, self.globals.profiler] if self.is_top else []
        self.ops = FtraceOps(ftrace.functions, self.options, recorder.event_files, consumers, at_sites, watches)
        self.buffer_size = BufferSize(recorder, self.ops, self.options, self.is_top)
        self.snapshot = Snapshot(recorder, self.ops, self.buffer_size.expand)
        self.triggers = Triggers(recorder.event_files, consumers, self._hist_triggers, recorder.globals.condition)
        self.dumps = Dumps(recorder, self.ops, self.options)
        self.pipes = 0
        self.lost_told = 0
        self.users = 0
        self.instances: dict[str, TraceArray] = {}
        if parent is not None:
            self._inherit(parent.options)
        else:
            self.globals.print_events_as(self.event_texts)
        ftrace.register(self.ops, recorder)

    def _hist_triggers(self) -> HistTriggers:
        from emu.ftrace.hist.triggers import HistTriggers  # imported when there is one

        hooks = self.set_clock, self.snapshot.reserve, self.error_log.add
        return HistTriggers(self.records, self.event_files, self.globals.hists, self.globals.condition, *hooks)

    def _has(self, tracer: Tracer) -> bool:
        return self.globals.has_tracer(tracer.name, tracer.only_with) and (self.is_top or tracer.in_instances)

    def options_of(self, tracer: Tracer) -> list[Option]:
        """The options of a tracer that the array has."""
        return [option for option in tracer.options if self.globals.prototypes is not None or not option.of_values]

    def _inherit(self, options: Options) -> None:
        """Takes over the top array's options, except those that follow tasks: an instance has its own pid lists."""
        for option in CORE_OPTIONS:
            if option.name not in ("function-fork", "event-fork") and options[option.name] != option.default:
                self.set_option(option.name, options[option.name])

    # The interface for tracers (TracedArray)

    @property
    def globals(self) -> TraceGlobals:
        return self.recorder.globals

    @property
    def reader(self) -> Reader:
        return self.recorder.reader

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
        self.globals.threshold_changed(microseconds)

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
        """Drops the contents of `trace`, of one CPU or of all."""
        if self.ops.tracer.print_max:
            self.recorder.clear_snapshot(cpu)
        else:
            self.recorder.clear(cpu)

    def ignore_threads(self) -> None:
        self.max_latency.closed = True

    def threads_stopped(self) -> None:
        self.max_latency.closed = False
        self.clear()

    def allocate_snapshot(self) -> None:
        self.snapshot.allocate()

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
        """Raises TraceError: ENOENT, or EBUSY while one of its files is open."""
        array = self.instances.get(name)
        if array is None:
            raise TraceError(errno.ENOENT, f"there is no instance '{name}'", (name, self.instances))
        if array.users:
            raise TraceError(errno.EBUSY, f"files of instance '{name}' are open")
        del self.instances[name]
        array.ops.tracer.stop(array)
        array.recorder.close()
        self.ftrace.unregister(array.ops)

    # Which functions call, and their target

    def set_tracer(self, name: str) -> None:
        tracer = self.tracers.get(name)
        if tracer is None:
            known = " ".join(self.tracers)
            raise TraceError(errno.EINVAL, f"there is no tracer '{name}' (there are: {known})", (name, self.tracers))
        self.buffer_size.expand()
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
            self.snapshot.check_reserved()
            self.snapshot.allocate()
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
        """Raises TraceError with this errno if the tracer must replace return addresses but another user does so already."""
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
        """Starts or stops the function profiler. Raises TraceError: EBUSY if the tracer replaces return addresses."""
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
        self.ops.probes.edit(word, self.ftrace.functions)
        self.ftrace.update_sites()

    def after_run(self) -> None:
        """Acts on what native code found while the machine ran. Called on the top array, between runs."""
        if dump := self.recorder.take_dump():
            self.dumps.request(*dump)
        self.globals.after_run()
        self.ftrace.check_returns()

    def event_texts(self, events: Sequence[Events]) -> Sequence[str]:
        """What `trace` shows after the events' timestamps, each text with its newline."""
        return self.reader.event_texts(events, self.ops.tracer, self.options)

    # Which events are recorded

    def enable_events(self, calls: Collection[EventCall], on: bool) -> None:
        """Starts or stops recording events. Raises TraceError if one cannot happen here (`events_refused`); all others do."""
        if on:
            self.buffer_size.expand()
        try:
            if refused := self.ops.events.try_set(calls, on):
                self.globals.events_refused(refused, len(calls))
        finally:
            self.ftrace.update_sites()

    def edit_triggers(self, call: EventCall, text: str) -> None:
        """Obeys a trigger command for an event. Raises TraceError, see Triggers."""
        self.triggers.obey(call, text)
        self.ftrace.update_sites()

    def remove_hists(self, call: EventCall) -> None:
        """Removes the hist triggers of an event; none of them if others refer to variables of one."""
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
        """The tracer that has an option, set or not. For an option of several tracers, the one that is set."""
        owners = (tracer for tracer in self.tracers.values() if any(option.name == name for option in tracer.options))
        return next(owners, self.ops.tracer)

    def set_clock(self, name: str) -> None:
        """Changes the clock, and empties the ring buffers and the snapshot: they cannot hold timestamps of two clocks.

        Raises:
            TraceError: EINVAL if there is no such clock.
        """
        if not self.recorder.use_clock(name):
            names = self.recorder.globals.clocks.names
            raise TraceError(errno.EINVAL, f"there is no clock '{name}' (there are: {' '.join(names)})", (name, names))
        self.recorder.clear()
        self.recorder.clear_snapshot()
        self.ops.tracer.clock_changed(self)

    # What is shown

    def summary(self) -> TraceSummary:
        return summarize(self.recorder.rings)

    # `spare`: read the snapshot instead of the live buffer.

    def trace_view(self, cpu: int | None, *, spare: bool = False) -> TraceView:
        """The events to print, of one CPU or of all. Raises TraceError: EBUSY if the snapshot's buffers have another use."""
        if spare:
            self.snapshot.check_print_max()
        tracer = self.ops.tracer
        return self.reader.unread_events(cpu, tracer, self.options, spare=spare or tracer.print_max)

    def pipe_view(self, cpu: int | None, *, spare: bool = False) -> tuple[TraceView, Mapping[int, int]]:
        """The oldest events to print, and, for each CPU with events, how many can be consumed at once."""
        return self.reader.oldest_events(cpu, self.ops.tracer, self.options, spare=spare)
