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
from emu.ftrace.tracers import NOP, TRACERS, OpsKind, Tracer

if TYPE_CHECKING:
    from emu.ftrace.text import TraceView

__all__ = ["BufferStats", "EnabledFunction", "Engine", "TraceArray"]

INITIAL_BUFFER_KB = 7  # two pages: enough for markers until somebody traces
EXPANDED_BUFFER_KB = 1408  # and what a tracer gets if nobody said otherwise


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
    """What does the tracing. Every method but `update` has taken effect when it returns.

    To trace functions: functions, update(), set_recording(), set_pids(), option_changed().
    To be read: cpus, trace_view(), clear(), buffer_stats(), enabled_functions(), comms().
    To be read as it is written: pipe_view(), consume(), wake_readers().
    To be configured: clock_names, clock_counts(), set_clock(), resize(), resize_comms().
    To be written into: write_marker().
    """

    @property
    def cpus(self) -> int: ...

    @property
    def functions(self) -> Functions:
        """The function of every site. When modules come and go there are others, and `functions_changed` is called."""

    def update(self) -> None:
        """The tracer, a filter or the graph depth has changed: start to patch the sites to what is wanted now.

        If the tracer is another one, the old one leaves every site and the buffers are emptied before the new one
        comes: events of two tracers never stand in one buffer.
        """

    def set_recording(self, on: bool) -> None: ...

    def set_pids(self, chosen: frozenset[int], excluded: frozenset[int]) -> None:
        """Trace functions of these tasks only (none: of all), and never of those."""

    def option_changed(self, name: str, on: bool) -> None: ...

    def pipe_view(self, cpu: int | None) -> tuple[TraceView, Mapping[int, int]]:
        """The oldest events, of one CPU or of all; and of each that has any, how many `consume` can take out at once."""

    def consume(self, cpu: int, count: int) -> None:
        """Take the first events that `pipe_view` gave of a CPU out of its buffer."""

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

    def resize(self, kb: int) -> int:
        """Give each CPU's ring buffer at least so many KiB and return what it has."""

    def resize_comms(self, entries: int) -> None: ...

    def write_marker(self, text: bytes) -> bool:
        """Record a print event, now, on the current CPU; False when nothing is being recorded."""


class TraceArray:
    """The wanted state of one trace instance. An operation that fails has changed nothing."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.tracer: Tracer = NOP
        self.options = Options([*CORE_OPTIONS, *(option for tracer in TRACERS.values() for option in tracer.options)])
        self.recording = True
        self.filter = FunctionFilter(engine.functions)
        self.notrace = self.filter
        self.graph_function = self.filter
        self.graph_notrace = self.filter
        self.waiting_filter, self.waiting_notrace = ModuleFilters(), ModuleFilters()
        self.max_graph_depth = 0  # 0: any depth
        self.pids: frozenset[int] = frozenset()
        self.notrace_pids: frozenset[int] = frozenset()
        self.pipes = 0  # how many readers have a trace_pipe open
        self.clock = engine.clock_names[0]
        self.buffer_kb = engine.resize(INITIAL_BUFFER_KB)
        self.buffer_expanded = False
        self.saved_cmdlines_size = 0
        self.set_saved_cmdlines_size(128)

    def wanted_sites(self) -> SiteMask:
        """The sites at which the tracer's callback is wanted."""
        if self.tracer.ops is OpsKind.NONE:
            return np.zeros(len(self.engine.functions), dtype=np.bool_)
        return (self.filter.mask if self.filter else ~self.filter.mask) & ~self.notrace.mask

    def set_tracer(self, name: str) -> None:
        tracer = TRACERS.get(name)
        if tracer is None:
            raise TraceError(errno.EINVAL, f"there is no tracer '{name}' (there are: {' '.join(TRACERS)})")
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

    def set_pids(self, pids: frozenset[int]) -> None:
        self.pids = pids
        self.engine.set_pids(self.pids, self.notrace_pids)

    def set_notrace_pids(self, pids: frozenset[int]) -> None:
        self.notrace_pids = pids
        self.engine.set_pids(self.pids, self.notrace_pids)

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

    def functions_changed(self) -> None:
        """Sites have come or gone: what is selected of those that are left stays selected."""
        functions = self.engine.functions
        self.filter, self.notrace = self.filter.on(functions), self.notrace.on(functions)
        self.graph_function, self.graph_notrace = self.graph_function.on(functions), self.graph_notrace.on(functions)

    def module_coming(self, name: str) -> None:
        """Filters that were waiting for this module select its functions; words that do not match any are forgotten."""
        for attribute, waiting in (("filter", self.waiting_filter), ("notrace", self.waiting_notrace)):
            for word in waiting.take(name):
                with contextlib.suppress(TraceError):
                    setattr(self, attribute, getattr(self, attribute).edited([word], ModuleFilters()))

    def set_max_graph_depth(self, depth: int) -> None:
        self.max_graph_depth = depth
        self.engine.update()

    def set_clock(self, name: str) -> None:
        """Empties the ring buffer: times of two clocks cannot stand in one."""
        clocks = self.engine.clock_names
        if name not in clocks:
            raise TraceError(errno.EINVAL, f"there is no clock '{name}' (there are: {' '.join(clocks)})")
        self.clock = name
        self.engine.set_clock(name)
        self.engine.clear(None)

    def set_buffer_kb(self, kb: int) -> None:
        if kb == 0:
            raise TraceError(errno.EINVAL, "a ring buffer cannot be empty")
        try:
            self.buffer_kb = self.engine.resize(kb)
        except MemoryError:
            raise TraceError(errno.ENOMEM, f"no memory for {self.engine.cpus} ring buffers of {kb} KiB") from None
        self.buffer_expanded = True

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
