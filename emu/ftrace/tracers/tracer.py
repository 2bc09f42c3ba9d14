# SPDX-License-Identifier: GPL-2.0-only
"""The interface of a tracer: its name, its options, the target of its call sites, and hooks for when it is set or replaced."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, ClassVar, Protocol

from emu.ftrace.arrays.array_records import ArrayRecords
from emu.ftrace.arrays.options import Option
from emu.ftrace.buffers.entries import EventType
from emu.ftrace.event.files import EventFiles
from emu.ftrace.sites.site_callback import Callback
from emu.ftrace.tracers.max_latency import MaxLatency

if TYPE_CHECKING:
    from emu.ftrace.arrays.trace_globals import TraceGlobals

__all__ = ["TracedArray", "Tracer"]


class TracedArray(Protocol):
    """The part of a TraceArray that its tracer may use."""

    @property
    def options(self) -> Mapping[str, bool]: ...

    @property
    def globals(self) -> TraceGlobals:
        """State that all arrays share."""

    @property
    def records(self) -> ArrayRecords:
        """The array's records for native code."""

    @property
    def event_files(self) -> EventFiles:
        """The array's event files."""

    @property
    def max_latency(self) -> MaxLatency:
        """The worst latency that the array has seen."""

    @property
    def tracer(self) -> Tracer:
        """The current tracer."""

    @property
    def recording(self) -> bool:
        """tracing_on."""

    @property
    def threshold(self) -> int:
        """tracing_thresh in microseconds, shared by all arrays. A tracer may set it when it starts or stops."""

    @threshold.setter
    def threshold(self, microseconds: int) -> None: ...

    @property
    def cpumask(self) -> frozenset[int]:
        """tracing_cpumask."""

    def use_events(self) -> None:
        """Must be called before threads of the guest record entries, unless one of the tracer's keys is on before."""

    def take_entries(self, kinds: Collection[EventType], on: bool) -> None:
        """Starts or stops recording the entries of these kinds, which tracers in the guest fill in."""

    def set_option(self, name: str, on: bool) -> None: ...

    def clear(self) -> None:
        """Drops the recorded events."""

    def ignore_threads(self) -> None:
        """Ignores the findings of the guest's measuring threads, which are being stopped. `threads_stopped` follows."""

    def threads_stopped(self) -> None:
        """The threads have stopped. Drops what they have recorded until then."""

    def allocate_snapshot(self) -> None:
        """Makes room for the worst latency in spare ring buffers, if there are none. Raises TraceError: ENOMEM."""

    def clear_worst(self) -> None:
        """Drops the contents of the spare ring buffers."""

    @property
    def lost_events(self) -> int:
        """The number of events lost since the ring buffers were emptied."""

    lost_told: int  # how many of them readers of trace_pipe have been told about


class Tracer:
    """One entry of available_tracers. All machines share it: a machine's state is in the trace array or in TraceGlobals.

    A tracer that does more than record calls overrides the methods.

    Args:
        name: the name in current_tracer.
        callback: the target of every site that the filters select; None: the sites do not call.
        options: the options that only this tracer has.
        in_instances: whether instances may use it.

    Attributes:
        print_max: whether it keeps the worst latency's trace in the spare ring buffers. Then `trace` shows those, and no
            snapshots can be taken (Linux: print_max and use_max_tr).
        has_threads: whether it uses threads of the guest, which never rest.
        only_with: a kernel symbol without which the tracer is unavailable; None: all kernels have the tracer.
    """

    print_max = False
    has_threads = False
    only_with: ClassVar[str | None] = None

    def __init__(
        self, name: str, callback: Callback | None = None, options: Collection[Option] = (), *, in_instances: bool = False
    ) -> None:
        self.name = name
        self._callback = callback
        self.options = tuple(options)
        self.in_instances = in_instances

    def callback(self, options: Mapping[str, bool]) -> Callback | None:
        """The target of every site that the filters select, with these options of the array."""
        return self._callback

    def keys(self, options: Mapping[str, bool]) -> Collection[str]:
        """The guest's static keys that are on while the tracer is set, by symbol."""
        return ()

    def excludes(self, other: Tracer) -> bool:
        """Whether the tracer cannot be set while another array has the `other` one."""
        return False

    def prepare(self, array: TracedArray) -> None:
        """The tracer is about to be set.

        Raises:
            TraceError: it cannot be set, and nothing has changed.
        """

    def start(self, array: TracedArray) -> None:
        """No site calls for the previous tracer any more, and its events are dropped. Sites for this tracer come next."""

    def ready(self, array: TracedArray) -> None:
        """The tracer's sites call and its keys are on; or the sites have a new target, because an option has changed."""

    def stop(self, array: TracedArray) -> None:
        """Another tracer is set. From now on this one does nothing."""

    def recording(self, array: TracedArray, on: bool) -> None:
        """A write has changed tracing_on."""

    def option_changed(self, array: TracedArray, name: str, on: bool) -> None:
        """One of the tracer's own options has been set, or, while the tracer is set, an option of all tracers.

        Raises:
            TraceError: the option cannot be set, and keeps its value.
        """

    def clock_changed(self, array: TracedArray) -> None:
        """Timestamps are from another clock from now on."""

    def pipe_begins_with(self) -> str:
        """The text that a reader of trace_pipe gets first."""
        return ""

    def pipe_tells(self, array: TracedArray) -> str:
        """The text that a reader of trace_pipe gets before the next events."""
        return ""

    def threshold_changed(self, array: TracedArray) -> None:
        """tracing_thresh has been written while this tracer is set."""
