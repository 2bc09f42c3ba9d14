# SPDX-License-Identifier: GPL-2.0-only
"""What one trace instance is asked to do: its tracer, filters, options, switches. How it is done is the engine's."""

from __future__ import annotations

import contextlib
import errno
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from emu.ftrace.errors import TraceError
from emu.ftrace.filters import FunctionFilter, Functions, ModuleFilters, SiteMask
from emu.ftrace.options import CORE_OPTIONS, Options
from emu.ftrace.probes import FunctionProbes
from emu.ftrace.tracers import NOP, TRACERS, OpsKind, Tracer

if TYPE_CHECKING:
    from emu.ftrace.text import TraceView

__all__ = ["BufferStats", "EnabledFunction", "Engine", "Pids", "TraceArray"]

Pids = frozenset[int] | None  # None: there is no such list

INITIAL_BUFFER_KB = 7  # two pages: enough for markers until somebody traces
EXPANDED_BUFFER_KB = 1408  # and what a tracer gets if nobody said otherwise
_MOST_INSTANCES = 256  # whose memory is the host's, not the guest's


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


@dataclass(frozen=True)
class EnabledFunction:
    """One line of enabled_functions: a site that calls a tracer now."""

    name: str
    ops: int
    saves_registers: bool
    callback: str  # symbol+offset/size
    trampoline: str | None = None  # its address and symbol, when the site has one of its own


class Engine(Protocol):
    """What does the tracing for one trace array. Every method but `update` has taken effect when it returns.

    To trace functions: functions, attach(), update(), set_recording(), set_cpus(), pids(), set_pids(), option_changed().
    To be read: cpus, trace_view(), clear(), buffer_stats(), enabled_functions(), comms().
    To be read as it is written: pipe_view(), consume(), read_page(), await_event(), wake_readers().
    To be configured: clock_names, clock_counts(), set_clock(), resize(), resize_comms().
    To be written into: write_marker(), write_raw().
    To have instances: divide(), close().
    """

    @property
    def cpus(self) -> int: ...

    @property
    def functions(self) -> Functions:
        """The function of every site. When modules come and go there are others, and `functions_changed` is called."""

    def attach(self, array: TraceArray) -> None:
        """This is whose wishes count from now on."""

    def update(self) -> None:
        """The tracer, a filter or the graph depth has changed: start to patch the sites to what is wanted now.

        If the tracer is another one, the old one leaves every site and the buffers are emptied before the new one
        comes: events of two tracers never stand in one buffer.
        """

    def set_recording(self, on: bool) -> None: ...

    def set_cpus(self, cpus: frozenset[int]) -> None:
        """Record on these CPUs only."""

    def pids(self) -> tuple[Pids, Pids]:
        """Those that `set_pids` was given, and with the option function-fork what has become of them."""

    def set_pids(self, chosen: Pids, excluded: Pids) -> None:
        """Trace functions of these tasks only (None: of all), and never of those."""

    def option_changed(self, name: str, on: bool) -> None: ...

    def pipe_view(self, cpu: int | None) -> tuple[TraceView, Mapping[int, int]]:
        """The oldest events, of one CPU or of all; and of each that has any, how many `consume` can take out at once."""

    def consume(self, cpu: int, count: int) -> None:
        """Take the first events that `pipe_view` gave of a CPU out of its buffer."""

    def read_page(self, cpu: int) -> bytes | None:
        """Take a page out of a CPU's buffer, as trace_pipe_raw gives it; None if there is no event."""

    def await_event(self) -> None:
        """The next event that is recorded has the guest ask what can be read."""

    def wake_readers(self) -> None:
        """Readers that wait look again, though there may be nothing new."""

    def trace_view(self, cpu: int | None) -> TraceView:
        """What there is to print, of one CPU or of all."""

    def clear(self, cpu: int | None) -> None:
        """Empty the ring buffer of one CPU or of all."""

    def buffer_stats(self, cpu: int) -> BufferStats: ...

    def enabled_functions(self) -> Iterable[EnabledFunction]: ...

    def comms(self) -> Iterable[tuple[int, str]]:
        """The remembered pids and the names of their tasks, oldest place first."""

    @property
    def clock_names(self) -> Sequence[str]:
        """The clocks there are; the first one is the one at start."""

    def clock_counts(self, name: str) -> bool:
        """Whether the clock counts something else than nanoseconds."""

    def set_clock(self, name: str) -> None: ...

    def resize(self, kb: int, cpu: int | None = None) -> int:
        """Give the ring buffer of one CPU, or of each, at least so many KiB and return what it has.

        Raises:
            MemoryError: there is not as much; nothing has changed.
        """

    def resize_comms(self, entries: int) -> None: ...

    def write_marker(self, text: bytes) -> bool:
        """Record a print event with a text to its NUL, now, on the current CPU; False when nothing is being recorded."""

    def write_raw(self, data: bytes) -> bool:
        """The same with an event of bytes, of which the first four are its number."""

    def divide(self) -> Engine:
        """One that traces the same functions for another array, into buffers of its own."""

    def close(self) -> None:
        """The array is gone."""


class TraceArray:
    """The wanted state of one trace instance. An operation that fails has changed nothing.

    Args:
        engine: what does it.
        parent: the top array, if this is to be one of its instances.

    Attributes:
        instances: those of the top array, by name.
        users: how many files are open that keep an instance from being removed.
        pipes: how many readers have a trace_pipe open.
    """

    def __init__(self, engine: Engine, parent: TraceArray | None = None) -> None:
        self.engine = engine
        self.is_top = parent is None
        self.tracer: Tracer = NOP
        self.tracers = {name: tracer for name, tracer in TRACERS.items() if self.is_top or tracer.in_instances}
        self.options = Options([*CORE_OPTIONS, *(option for tracer in self.tracers.values() for option in tracer.options)])
        self.recording = True
        self.cpumask = frozenset(range(engine.cpus))
        self.filter = FunctionFilter(engine.functions)
        self.notrace = self.filter
        self.graph_function = self.filter
        self.graph_notrace = self.filter
        self.waiting_filter, self.waiting_notrace = ModuleFilters(), ModuleFilters()
        self.probes = FunctionProbes()
        self.max_graph_depth = 0  # 0: any depth
        self.threshold_us = 0  # of a graph's calls, only those that took so many microseconds; 0: all
        self.pipes = 0
        self.users = 0
        self.instances: dict[str, TraceArray] = {}
        self.clock = engine.clock_names[0]
        self.buffer_kb = [engine.resize(INITIAL_BUFFER_KB if self.is_top else EXPANDED_BUFFER_KB)] * engine.cpus
        self.buffer_expanded = not self.is_top
        self.saved_cmdlines_size = 0
        if parent is None:
            self.set_saved_cmdlines_size(128)
        else:
            self._inherit(parent.options)
        engine.attach(self)

    def _inherit(self, options: Options) -> None:
        """An instance begins with the top array's options, but nobody has asked it to follow tasks."""
        for option in CORE_OPTIONS:
            if option.name != "function-fork" and options[option.name] != option.default:
                self.set_option(option.name, options[option.name])

    def make_instance(self, name: str) -> None:
        """Raises TraceError: EEXIST, or ENOMEM if there are more than enough."""
        if name in self.instances:
            raise TraceError(errno.EEXIST, f"there is an instance '{name}' already")
        if len(self.instances) >= _MOST_INSTANCES:
            raise TraceError(errno.ENOMEM, f"there are {_MOST_INSTANCES} instances already")
        self.instances[name] = TraceArray(self.engine.divide(), parent=self)

    def remove_instance(self, name: str) -> None:
        """Raises TraceError: ENOENT, or EBUSY as long as somebody has a file of it open."""
        array = self.instances.get(name)
        if array is None:
            raise TraceError(errno.ENOENT, f"there is no instance '{name}'")
        if array.users:
            raise TraceError(errno.EBUSY, f"files of instance '{name}' are open")
        del self.instances[name]
        array.engine.close()

    def wanted_sites(self) -> SiteMask:
        """The sites at which the tracer's callback is wanted."""
        if self.tracer.ops is OpsKind.NONE:
            return np.zeros(len(self.engine.functions), dtype=np.bool_)
        return (self.filter.mask if self.filter else ~self.filter.mask) & ~self.notrace.mask

    def set_tracer(self, name: str) -> None:
        tracer = self.tracers.get(name)
        if tracer is None:
            raise TraceError(errno.EINVAL, f"there is no tracer '{name}' (there are: {' '.join(self.tracers)})")
        if not self.buffer_expanded:
            self.set_buffer_kb(EXPANDED_BUFFER_KB)
        if tracer is self.tracer:
            return
        if self.pipes:
            raise TraceError(errno.EBUSY, "a trace_pipe is open")
        self.tracer = tracer
        self.engine.clear(None)
        self.engine.update()

    def set_recording(self, on: bool) -> None:
        self.recording = on
        self.engine.set_recording(on)
        if not on:
            self.engine.wake_readers()

    def set_cpumask(self, cpus: frozenset[int]) -> None:
        self.cpumask = cpus
        self.engine.set_cpus(cpus)

    @property
    def pids(self) -> Pids:
        return self.engine.pids()[0]

    @property
    def notrace_pids(self) -> Pids:
        return self.engine.pids()[1]

    def set_pids(self, pids: Pids) -> None:
        self.engine.set_pids(pids, self.notrace_pids)

    def set_notrace_pids(self, pids: Pids) -> None:
        self.engine.set_pids(self.pids, pids)

    def set_option(self, name: str, on: bool) -> None:
        self.options.set(name, on)
        self.engine.option_changed(name, on)

    def set_filter(self, selected: FunctionFilter) -> None:
        self.filter = selected
        self.engine.update()

    def set_notrace(self, selected: FunctionFilter) -> None:
        self.notrace = selected
        self.engine.update()

    def set_graph_function(self, selected: FunctionFilter) -> None:
        self.graph_function = selected
        self.engine.update()

    def set_graph_notrace(self, selected: FunctionFilter) -> None:
        self.graph_notrace = selected
        self.engine.update()

    def edit_probes(self, word: str) -> None:
        """Raises TraceError: EINVAL."""
        self.probes.edit(word, self.engine.functions)
        self.engine.update()

    def function_called(self, site: int) -> None:
        """One that a command is about."""
        recording = self.probes.call(int(self.engine.functions.numbers[site]), self.recording)
        if recording is not self.recording:
            self.set_recording(recording)
            self.engine.update()  # a count may have come to its end

    def functions_changed(self) -> None:
        """Sites have come or gone: what is selected of those that are left stays selected."""
        functions = self.engine.functions
        self.filter, self.notrace = self.filter.on(functions), self.notrace.on(functions)
        self.graph_function, self.graph_notrace = self.graph_function.on(functions), self.graph_notrace.on(functions)
        self.probes.keep(functions)

    def module_coming(self, name: str) -> None:
        """Filters that were waiting for this module select its functions; words that do not match any are forgotten."""
        for attribute, waiting in (("filter", self.waiting_filter), ("notrace", self.waiting_notrace)):
            for word in waiting.take(name):
                with contextlib.suppress(TraceError):
                    setattr(self, attribute, getattr(self, attribute).edited([word], ModuleFilters()))

    def set_max_graph_depth(self, depth: int) -> None:
        self.max_graph_depth = depth
        self.engine.update()

    def set_threshold(self, microseconds: int) -> None:
        self.threshold_us = microseconds
        self.engine.update()

    def set_clock(self, name: str) -> None:
        """Empties the ring buffer: times of two clocks cannot stand in one."""
        clocks = self.engine.clock_names
        if name not in clocks:
            raise TraceError(errno.EINVAL, f"there is no clock '{name}' (there are: {' '.join(clocks)})")
        self.clock = name
        self.engine.set_clock(name)
        self.engine.clear(None)

    def set_buffer_kb(self, kb: int, cpu: int | None = None) -> None:
        """Of one CPU, or of each."""
        if kb == 0:
            raise TraceError(errno.EINVAL, "a ring buffer cannot be empty")
        cpus = range(self.engine.cpus) if cpu is None else [cpu]
        try:
            size = self.engine.resize(kb, cpu)
        except MemoryError:
            raise TraceError(errno.ENOMEM, f"no memory for {len(cpus)} ring buffers of {kb} KiB") from None
        for index in cpus:
            self.buffer_kb[index] = size
        self.buffer_expanded = True

    def free_buffer(self) -> None:
        """Gives back what memory can be given back."""
        if self.options["disable_on_free"]:
            self.set_recording(False)
        self.set_buffer_kb(1)

    def set_saved_cmdlines_size(self, entries: int) -> None:
        """The table is a power of two of pages: it has room for at least what is asked for."""
        if not 0 < entries <= _PID_LIMIT:
            raise TraceError(errno.EINVAL, f"command names can be kept of 1 to {_PID_LIMIT} tasks")
        self.saved_cmdlines_size = _comms_capacity(entries)
        self.engine.resize_comms(self.saved_cmdlines_size)


# Linux keeps an index of PID_MAX_DEFAULT + 1 pids before the entries of 16 + 4 bytes, and allocates whole pages.
_COMMS_HEADER = 4 * 32_769 + 24
_COMMS_ENTRY = 20
_PID_LIMIT = 4 * 1024 * 1024


def _comms_capacity(entries: int) -> int:
    needed = _COMMS_HEADER + entries * _COMMS_ENTRY
    return ((1 << (needed - 1).bit_length()) - _COMMS_HEADER) // _COMMS_ENTRY
