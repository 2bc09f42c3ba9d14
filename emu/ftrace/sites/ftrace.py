# SPDX-License-Identifier: GPL-2.0-only
"""Dynamic ftrace on a guest kernel: what all trace arrays together need at the functions that can be traced."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from emu.ftrace.arrays.ops import AtSites, FtraceOps
from emu.ftrace.arrays.recorder import Recorder
from emu.ftrace.arrays.trace_globals import TraceGlobals
from emu.ftrace.event.call import EventCall
from emu.ftrace.guest.traced_kernel import Places, TracedKernel
from emu.ftrace.native.trace_values import NOBODY
from emu.ftrace.sites.filters import Functions
from emu.ftrace.sites.site_callback import Callback
from emu.ftrace.tracers.graph_cost import GraphCost
from emu.kernel.kernel_log import Level

__all__ = ["EnabledFunction", "Ftrace"]


class EnabledFunction(NamedTuple):
    """One line of enabled_functions: a site that calls a tracer."""

    name: str
    users: int
    callback: str  # symbol+offset/size; "": the host notices the call
    flags: str  # the letters that Linux prints
    direct: str  # the target of its direct call, in the same form; "": none


class Ftrace(ABC):
    """The functions of a kernel, for any number of trace arrays. How their calls are noticed depends on the kernel: emu's own has
    call sites that are patched (`PatchedFtrace`), a Linux is looked at from outside (`emu.linux.tracing.watched`).

    Args:
        kernel: the kernel that is traced.
        sites: its functions.
        trace_globals: what all trace arrays of the kernel share.
        warn: called with a text when tracing had to be stopped.

    Attributes:
        kernel: the kernel that is traced.
        enabled: `kernel.ftrace_enabled`.
        failed: whether tracing had to be stopped.
        updates: how many times update_sites() was called.
        recorders: the recorder of each array, by the array's ops; the top array's first.
        at_sites: users of the sites besides the arrays.
    """

    at_sites: Sequence[AtSites] = ()

    def __init__(self, kernel: TracedKernel, sites: Places, trace_globals: TraceGlobals, warn: Callable[[str], None]) -> None:
        self.kernel, self._places, self._globals, self._warn = kernel, sites, trace_globals, warn
        self.enabled = True
        self.failed = False
        self.updates = 0
        self.recorders: dict[FtraceOps, Recorder] = {}
        trace_globals.dynamic_events.on_gone(self.events_gone)

    # Trace arrays

    def register(self, ops: FtraceOps, recorder: Recorder) -> None:
        """Adds an array, the top array first. `ops` takes effect with the next update; `recorder` keeps the array's events."""
        self.recorders[ops] = recorder
        if self.failed:
            recorder.stop()

    def unregister(self, ops: FtraceOps) -> None:
        """Removes an array. A site that only this array needs records nothing until it is left alone."""
        del self.recorders[ops]
        self.update_sites()

    @abstractmethod
    def enabled_functions(self) -> Iterable[EnabledFunction]:
        """The sites that call a tracer, and their number of users."""

    def _users(self) -> npt.NDArray[np.int64]:
        """The number of users, in all arrays, of each site."""
        users: npt.NDArray[np.int64] = np.sum([ops.users() for ops in self.recorders], axis=0)
        return users

    @property
    def functions(self) -> Functions:
        """The functions that can be traced now."""
        return self._places.functions

    # Sites

    @property
    def changing(self) -> bool:
        """Whether a change is under way, so that none can start."""
        return False

    def update_sites(self) -> None:
        """Starts to change every site to what the trace arrays need now (Linux: ftrace_run_update_code).

        While an earlier change is under way, nothing starts. The arrays are asked again afterwards.
        """
        self.updates += 1
        self._ready()

    def _ready(self) -> None:
        """Starts the pending work, if nothing prevents it."""
        if not self.changing:
            self._update()

    def _update(self) -> None:
        """Starts the next change. An array gets its new tracer only when no site calls the old one."""
        if self.failed:
            return
        changing = [ops for ops, recorder in self.recorders.items() if ops.tracer is not recorder.tracer]
        if changing:
            if self._apply([ops for ops in self.recorders if ops not in changing]):
                return
            for ops in changing:
                self.recorders[ops].start_tracer(ops.tracer)
        if not self._apply(self.recorders):
            self._globals.records.ask_each(self._several(self.recorders))
            for ops, recorder in self.recorders.items():
                recorder.sites_changed(ops.callback)

    def _several(self, arrays: Iterable[FtraceOps]) -> bool:
        """Whether a site may call for an array other than the top one, or for a command."""
        top = next(iter(self.recorders))
        return any(ops.has_probes or (ops is not top and ops.callback is not None) for ops in arrays)

    def _apply(self, arrays: Collection[FtraceOps]) -> bool:
        """Starts to change the sites to what these arrays' tracers need, and all probes. Returns False if nothing is left."""
        self._tell_recorders(arrays)
        # Set before the first such site calls. _update() clears it only when no such site is left.
        if self._several(arrays):
            self._globals.records.ask_each(True)
        return self._change(arrays)

    @abstractmethod
    def _change(self, arrays: Collection[FtraceOps]) -> bool:
        """`_apply`, once the recorders know of it."""

    @abstractmethod
    def use_events(self) -> None:
        """Must be called before the guest records anything that has no static key."""

    @abstractmethod
    def try_again(self) -> None:
        """Starts a change again that was refused, if there is one."""

    def _tell_recorders(self, arrays: Collection[FtraceOps]) -> None:
        places = self.places(self._places.addresses)
        graphs = [self.recorders[ops].records for ops in arrays if ops.callback is Callback.GRAPH]
        self._globals.records.graphs_are_of(graphs[0] if graphs else None)
        for ops in arrays:
            recorder = self.recorders[ops]
            if ops.graph_user != NOBODY and not recorder.graph_running:
                self._start_calls()
            recorder.follow(ops, places)
        if self._globals.profiler.enabled:
            self._globals.profiler.follow(self._places.functions, places)

    @abstractmethod
    def _start_calls(self) -> None:
        """Prepares the tasks' calls under way for a graph tracer that starts."""

    def _masks(self, arrays: Iterable[FtraceOps]) -> Sequence[tuple[Callback, npt.NDArray[np.bool_]]]:
        """The sites that need each callback, for these arrays' tracers and all probes. At a site that needs several, the last one
        does the work of the others."""
        wanted = [(Callback.ENTRY, ops.probed()) for ops in self.recorders]
        wanted += [(watch.callback, sites) for ops in self.recorders for watch, sites in ops.watched()]
        wanted += [(ops.callback, ops.traced()) for ops in arrays if ops.callback]
        return [(callback, sites) for callback in Callback for kind, sites in wanted if kind is callback] if self.enabled else []

    def places(self, addresses: npt.NDArray[np.uint64]) -> npt.NDArray[np.int64]:
        """The offsets of sites in the kernel mapping, in bytes."""
        return (addresses - np.uint64(self.kernel.board.arch.kernel_map)).astype(np.int64)

    @abstractmethod
    def call_cost(self) -> GraphCost | None:
        """What it costs the guest to have a call recorded by function_graph; None if that is not constant."""

    # Switches

    def set_enabled(self, on: bool) -> None:
        """Sets `kernel.ftrace_enabled`. While it is off, no site calls a tracer, whatever the arrays need."""
        self.enabled = on
        self.update_sites()

    @property
    def stack_tracer_enabled(self) -> bool:
        """`kernel.stack_tracer_enabled`"""
        return self._globals.stack_tracer.enabled

    def set_stack_tracer(self, on: bool) -> None:
        self._globals.stack_tracer.enabled = on
        self.update_sites()

    # Errors

    def check_returns(self) -> None:
        """Stops tracing if a return did not match its entry. Called each time the machine has run."""
        for recorder in self.recorders.values():
            if (found := recorder.take_mismatch()) is not None:
                log = self.kernel.log
                log.write(f"Bad frame pointer: expected {found.expected:x}, received {found.frame:x}", Level.WARNING)
                name = self.kernel.symbols.describe(found.function).split("+")[0]  # as %ps
                log.write(f"  from func {name} return to {found.returns_to:x}", Level.WARNING)
                self._fail(f"function_graph: a return through {found.frame:#x} has no entry on its task's return stack")

    def _fail(self, why: str) -> None:
        """Stops all tracing for good; recorded events stay (Linux: ftrace_bug, ftrace_graph_stop)."""
        self.failed = True
        for recorder in self.recorders.values():
            recorder.stop()
        self._warn(f"{why}; tracing is off")

    def events_gone(self, calls: Collection[EventCall]) -> None:
        """Makes all arrays forget events, and empties the buffers that may hold them."""
        for ops, recorder in self.recorders.items():
            if ops.events_gone(calls):
                recorder.clear()
                recorder.clear_snapshot()

    def sites_changed(self) -> None:
        """Makes all arrays look up their sites again, because sites have come or gone."""
        for ops in self.recorders:
            ops.functions_changed(self._places.functions)
