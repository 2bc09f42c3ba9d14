# SPDX-License-Identifier: GPL-2.0-only
"""What a tracer is: a name, the options only it has, what sites call while it is set, and what happens when it comes and goes."""

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
    """What a tracer knows of the trace array for which it is set, a TraceArray."""

    @property
    def options(self) -> Mapping[str, bool]: ...

    @property
    def globals(self) -> TraceGlobals:
        """What all arrays share."""

    @property
    def records(self) -> ArrayRecords:
        """Through which native code knows the array."""

    @property
    def event_files(self) -> EventFiles:
        """What the array wants of events."""

    @property
    def max_latency(self) -> MaxLatency:
        """The worst latency that it has seen."""

    @property
    def tracer(self) -> Tracer:
        """The one that is set."""

    @property
    def recording(self) -> bool:
        """tracing_on."""

    @property
    def threshold(self) -> int:
        """tracing_thresh, in microseconds, which all arrays share. A tracer may set it as it starts or stops."""

    @threshold.setter
    def threshold(self, microseconds: int) -> None: ...

    @property
    def cpumask(self) -> frozenset[int]:
        """tracing_cpumask."""

    def use_events(self) -> None:
        """Must be called before threads of the guest record entries, unless a key of the tracer is on before."""

    def take_entries(self, kinds: Collection[EventType], on: bool) -> None:
        """Records from now on the entries of these kinds that tracers in the guest fill, or no longer."""

    def set_option(self, name: str, on: bool) -> None: ...

    def clear(self) -> None:
        """Drops what has been recorded."""

    def ignore_threads(self) -> None:
        """Threads of the guest that measure are being stopped: they are to find nothing any more. `threads_stopped` follows."""

    def threads_stopped(self) -> None:
        """They have been. Drops what they have recorded until then."""

    def allocate_snapshot(self) -> None:
        """Makes room for the worst latency in spare ring buffers, if there is none. Raises TraceError: ENOMEM."""

    def clear_worst(self) -> None:
        """Drops what the spare ring buffers hold."""

    @property
    def lost_events(self) -> int:
        """For how many events the ring buffers had no room since they were empty."""

    lost_told: int  # of these, what readers of trace_pipe have been told


class Tracer:
    """One entry of available_tracers. All machines share it: what belongs to one is kept by the trace array or TraceGlobals.

    A tracer that does more than have sites called overrides the methods.

    Args:
        name: as in current_tracer.
        callback: of every site that the filters select; None: it has none called.
        options: those that only it has.
        in_instances: whether instances have it, too.

    Attributes:
        print_max: whether it keeps the worst that it has seen in the spare ring buffers: then `trace` shows those, and there are
            no snapshots (Linux: print_max and use_max_tr).
        has_threads: whether threads of the guest, which never rest, do its work.
        only_with: a symbol of the kernel without which there is no such tracer; None: all kernels have it.
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
        """What every site calls that the filters select, with these options of the array."""
        return self._callback

    def keys(self, options: Mapping[str, bool]) -> Collection[str]:
        """The static keys of the guest that are on while it is set, by their symbols."""
        return ()

    def excludes(self, other: Tracer) -> bool:
        """Whether it cannot be set while another array has that tracer."""
        return False

    def prepare(self, array: TracedArray) -> None:
        """The tracer is about to be set.

        Raises:
            TraceError: it cannot be, and nothing has changed.
        """

    def start(self, array: TracedArray) -> None:
        """No site calls for the tracer before it any more, and what that one has recorded is dropped. Its own come next."""

    def ready(self, array: TracedArray) -> None:
        """Its sites call, and its keys are on; or they call something else than before, because an option has changed."""

    def stop(self, array: TracedArray) -> None:
        """Another tracer is set. From now on, this one does nothing."""

    def recording(self, array: TracedArray, on: bool) -> None:
        """tracing_on has been changed by a write."""

    def option_changed(self, array: TracedArray, name: str, on: bool) -> None:
        """One of its own options has been set, or, while this is the tracer, one that all have.

        Raises:
            TraceError: it cannot be; it stays what it was.
        """

    def clock_changed(self, array: TracedArray) -> None:
        """Times from now on are of another clock."""

    def pipe_begins_with(self) -> str:
        """What a reader of trace_pipe gets first."""
        return ""

    def pipe_tells(self, array: TracedArray) -> str:
        """What a reader of trace_pipe gets before the next events."""
        return ""

    def threshold_changed(self, array: TracedArray) -> None:
        """tracing_thresh has been written while this is the tracer."""
