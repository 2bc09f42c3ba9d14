# SPDX-License-Identifier: GPL-2.0-only
"""Ftrace on a kernel that is looked at from outside: a call is noticed by the block with which the function begins."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

import numpy as np
from numpy.typing import NDArray

from emu.ftrace.arrays.ops import FtraceOps
from emu.ftrace.arrays.trace_globals import TraceGlobals
from emu.ftrace.native.arch import OutsideCallbacks
from emu.ftrace.sites.callbacks import needs_general
from emu.ftrace.sites.ftrace import EnabledFunction, Ftrace
from emu.ftrace.sites.site_callback import Callback
from emu.ftrace.tracers.graph_cost import GraphCost
from emu.linux.tracing import arch as outside
from emu.linux.tracing.awaited_calls import forget_returns
from emu.linux.tracing.functions import TracedFunctions
from emu.linux.tracing.kernel import LinuxKernel
from emu.linux.tracing.task_calls import TaskCalls

__all__ = ["WatchedFtrace"]

_NUMBERS = {None: 0, Callback.ENTRY: 1, Callback.GRAPH: 2}
_SYMBOLS = {1: "ftrace_trace_function", 2: "function_graph_enter"}  # names for what Linux would call


class WatchedFtrace(Ftrace):
    """The functions of a Linux guest, for any number of trace arrays. A change takes effect at once.

    Args:
        kernel: the guest's kernel.
        functions: its functions.
        trace_globals: what all trace arrays of the kernel share.
        arch: the native code for it.
        calls: the tasks' calls under way.
        warn: called with a text when tracing had to be stopped.
    """

    def __init__(
        self,
        kernel: LinuxKernel,
        functions: TracedFunctions,
        trace_globals: TraceGlobals,
        arch: outside.OutsideTracing,
        calls: TaskCalls,
        warn: Callable[[str], None],
    ) -> None:
        super().__init__(kernel, functions, trace_globals, warn)
        self._functions, self._arch, self._calls, self._board = functions, arch, calls, kernel.board
        self._watched: dict[int, tuple[int, int]] = {}  # by where a function begins: its site, and what is called there
        self._native: OutsideCallbacks | None = None
        self._has_graph = False
        self._unpaired = kernel.address_of("__switch_to")  # one task calls it, another one returns: Linux's __notrace_funcgraph
        trace_globals.records.on_change(self._choose)

    def enabled_functions(self) -> Iterable[EnabledFunction]:
        users = self._users()
        for site in range(len(self._functions.functions)):
            if int(self._functions.begins[site]) in self._watched:
                yield EnabledFunction(self._functions.functions.label(site), max(int(users[site]), 1), "", "", "")

    def use_events(self) -> None:
        """Nothing is needed."""

    def try_again(self) -> None:
        """No change is ever refused."""

    def call_cost(self) -> GraphCost | None:
        return GraphCost(0, 0)

    def _start_calls(self) -> None:
        self._calls.clear()

    def _change(self, arrays: Collection[FtraceOps]) -> bool:
        self._calls.follow_running()
        kinds = np.zeros(len(self._functions.functions), np.uint8)
        masks = self._masks(arrays)
        for callback, sites in masks:
            kinds[sites] = _NUMBERS[callback]
        kinds[(kinds == _NUMBERS[Callback.GRAPH]) & (self._functions.begins == self._unpaired)] = 0
        chosen = np.flatnonzero(kinds)
        begins, sites = self._functions.begins[chosen].tolist(), self._functions.addresses[chosen].tolist()
        wanted = dict(zip(begins, zip(sites, kinds[chosen].tolist(), strict=True), strict=True))
        before, self._watched = self._watched, wanted
        if wanted:
            self._native = self._callbacks()
        gone = _addresses(before.keys() - wanted.keys())
        if len(gone):
            self._board.callouts.dispatch_all(gone, None)
        self._dispatch({begin: told for begin, told in wanted.items() if before.get(begin) != told}, known=before.keys())
        has_graph = any(callback is Callback.GRAPH for callback, _ in masks)
        if self._has_graph and not has_graph:  # while there is one that has no functions now, the calls under way still return
            for array in self._globals.records.arrays:
                array.graph_returned = None
            forget_returns(self._board.callouts, self._globals.records)
            self._calls.clear()
        self._has_graph = has_graph
        return False

    def _callbacks(self) -> OutsideCallbacks:
        records = self._globals.records
        arguments = any(array.function_values or array.graph_values for array in records.arrays)
        native = self._arch.outside_callbacks(self._globals.guest, arguments or needs_general(records.top), arguments)
        for array in records.arrays:
            array.returned, array.graph_returned = self._arch.returned(), native.graph_return
        return native

    def _choose(self) -> None:
        """An array changes how calls are recorded."""
        if self._native is not None and (native := self._callbacks()) is not self._native:
            self._native = native
            self._dispatch(self._watched, known=self._watched.keys())

    def _dispatch(self, watched: dict[int, tuple[int, int]], known: Collection[int]) -> None:
        """Sets the functions for where functions of the kernel begin. `known`: those that had one."""
        if self._native is None:
            return
        for kind, function in ((1, self._native.function_entry), (2, self._native.graph_entry)):
            of_kind = {begin: site for begin, (site, what) in watched.items() if what == kind}
            for is_known in (True, False):
                begins = [begin for begin in of_kind if (begin in known) == is_known]
                if begins:
                    act = self._board.callouts.replace_handlers if is_known else self._board.callouts.dispatch_all
                    act(_addresses(begins), function, _addresses(of_kind[begin] for begin in begins))


def _addresses(places: Iterable[int]) -> NDArray[np.uint64]:
    return np.fromiter(places, np.uint64)
