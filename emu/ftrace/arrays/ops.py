# SPDX-License-Identifier: GPL-2.0-only
"""The call sites and events that one trace array uses."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from emu.ftrace.arrays.options import Options
from emu.ftrace.event.call import EventCall
from emu.ftrace.event.files import EventFiles
from emu.ftrace.native.trace_records import Consumer
from emu.ftrace.native.trace_values import GRAPH_FUNCTION, GRAPH_NOTRACE, NOBODY, PROBED, PROFILES, RECORDS, TRACED
from emu.ftrace.sites.filters import FunctionFilter, Functions, ModuleFilters, SiteMask
from emu.ftrace.sites.function_commands import FunctionProbes
from emu.ftrace.sites.site_callback import Callback
from emu.ftrace.tracers.branch import BRANCH_KEYS
from emu.ftrace.tracers.nop import NOP
from emu.ftrace.tracers.tracer import Tracer
from emu.ftrace.trigger.consumers import Consumers
from emu.native.records import u64

__all__ = ["AtSites", "FtraceOps", "Watch"]


class AtSites(Protocol):
    """A user of call sites, with consumers there."""

    def __bool__(self) -> bool:
        """Whether it has any consumers."""

    def sites(self, functions: Functions) -> SiteMask:
        """The sites with its consumers."""

    def users(self, functions: Functions) -> NDArray[np.int64]:
        """How many users it counts as at each site."""

    def chains(self, functions: Functions) -> Mapping[int, list[Consumer]]:
        """The consumers of each of these sites, by the site's index, in the order in which they act."""

    def keep(self, functions: Functions) -> None:
        """Drops consumers at functions that no longer exist. `functions`: those that exist."""


class Watch(Protocol):
    """An observer of calls: native code acts for it at call sites, whatever the tracer is."""

    callback: Callback
    """The target of its sites."""

    flag: u64
    """The flag of its sites in an array's `site_flags`."""

    def __bool__(self) -> bool:
        """Whether it runs."""

    def sites(self, selected: SiteMask) -> SiteMask:
        """The sites that it observes. `selected`: those that the array's filters leave to a tracer."""

    def functions_changed(self, functions: Functions) -> None:
        """Sites have come or gone."""

    def module_coming(self, name: str) -> None:
        """A module is being loaded: filters that wait for it select its functions."""


class FtraceOps:
    """The tracer of one trace array, its filters and its commands (Linux: struct ftrace_ops). The array changes it.

    Args:
        functions: the functions that can be traced now.
        options: the array's options.
        events: the array's event files.
        consumers: makes consumers that act on the array.
        at_sites: the other users with consumers at sites, in the order in which they act.
        watches: the other observers of calls.

    Attributes:
        tracer: the array's tracer.
        with_branches: whether annotated branches are recorded too: the value of option `branch` when the tracer was set.
        filter: set_ftrace_filter.
        notrace: set_ftrace_notrace.
        waiting_filter: words of set_ftrace_filter for modules that are not loaded.
        waiting_notrace: the same of set_ftrace_notrace.
        probes: commands of set_ftrace_filter.
        graph_function: set_graph_function.
        graph_notrace: set_graph_notrace.
        max_graph_depth: the number of call levels that function_graph records; 0: all.
        threshold_us: function_graph records only calls that took at least so many microseconds; 0: all.
        events: the array's event files.
    """

    def __init__(
        self,
        functions: Functions,
        options: Options,
        events: EventFiles,
        consumers: Consumers,
        at_sites: Collection[AtSites] = (),
        watches: Collection[Watch] = (),
    ) -> None:
        self._options = options
        self.tracer: Tracer = NOP
        self.with_branches = False
        self.filter = FunctionFilter(functions)
        self.notrace = self.filter
        self.waiting_filter, self.waiting_notrace = ModuleFilters(), ModuleFilters()
        self.probes = FunctionProbes(consumers)
        self._at_sites: Collection[AtSites] = (self.probes, *at_sites)
        self._watches = watches
        self.graph_function = FunctionFilter(functions)
        self.graph_notrace = self.graph_function
        self.max_graph_depth = 0
        self.threshold_us = 0
        self.events = events

    @property
    def callback(self) -> Callback | None:
        """The target of the sites that the filters select for the tracer."""
        return self.tracer.callback(self._options)

    @property
    def tracer_keys(self) -> Collection[str]:
        """The static keys that must be on for the tracer, and for branches recorded besides it, by symbol."""
        return (*self.tracer.keys(self._options), *(BRANCH_KEYS if self.with_branches else ()))

    @property
    def filtered(self) -> bool:
        """Whether there is a filter. A word that waits for its module also counts (Linux: FTRACE_HASH_FL_MOD)."""
        return bool(self.filter or self.waiting_filter)

    def selected(self) -> SiteMask:
        """The sites that the filters leave to a tracer."""
        return (self.filter.mask if self.filtered else ~self.filter.mask) & ~self.notrace.mask

    def traced(self) -> SiteMask:
        """The sites that must call for the tracer."""
        if self.callback is None:
            return np.zeros(len(self.filter.functions), np.bool_)
        return self.selected()

    @property
    def has_probes(self) -> bool:
        """Whether there are consumers at sites, or observers of calls."""
        return any(self._at_sites) or any(self._watches)

    def probed(self) -> SiteMask:
        """The sites that must call for consumers."""
        functions = self.filter.functions
        mask: SiteMask = np.logical_or.reduce([one.sites(functions) for one in self._at_sites])
        return mask

    def watched(self) -> Iterable[tuple[Watch, SiteMask]]:
        """The active observers, each with its sites."""
        selected = self.selected()
        return [(watch, watch.sites(selected)) for watch in self._watches if watch]

    @property
    def graph_user(self) -> int:
        """Who gets entries and returns: see `graph_running` of TraceArray."""
        if self.callback is Callback.GRAPH:
            return RECORDS
        profiled = any(watch.callback is Callback.GRAPH for watch in self._watches if watch)
        return PROFILES if profiled else NOBODY

    def chains(self) -> Mapping[int, list[Consumer]]:
        """The consumers of each of these sites, by the site's index, in the order in which they act."""
        chains: dict[int, list[Consumer]] = {}
        for one in self._at_sites:
            for site, records in one.chains(self.filter.functions).items():
                chains.setdefault(site, []).extend(records)
        return chains

    def users(self) -> NDArray[np.int64]:
        """The number of this array's users at each site: the tracer, commands, kprobes and observers."""
        users: NDArray[np.int64] = self.traced() + sum(one.users(self.filter.functions) for one in self._at_sites)
        return users + sum(sites for _, sites in self.watched())

    def flags(self) -> NDArray[np.uint8]:
        """For each site: the flags by which native code knows what to do there for this array."""
        wanted = [
            (GRAPH_FUNCTION, self.graph_function.mask), (GRAPH_NOTRACE, self.graph_notrace.mask),
            (TRACED, self.traced() & (self.callback is Callback.ENTRY)), (PROBED, self.probed()),
            *((watch.flag, sites) for watch, sites in self.watched()),
        ]  # fmt: skip
        flags = np.zeros(len(self.filter.functions), np.uint8)
        for flag, sites in wanted:
            flags |= sites * np.uint8(flag)
        return flags

    def functions_changed(self, functions: Functions) -> None:
        """Sites have come or gone. Of the remaining sites, the same ones stay selected."""
        self.filter, self.notrace = self.filter.on(functions), self.notrace.on(functions)
        self.graph_function, self.graph_notrace = self.graph_function.on(functions), self.graph_notrace.on(functions)
        for one in self._at_sites:
            one.keep(functions)
        for watch in self._watches:
            watch.functions_changed(functions)

    def events_gone(self, calls: Collection[EventCall]) -> bool:
        """Events are gone. Returns whether the array may have recorded any of them."""
        self.probes.forget(calls)
        return self.events.forget(calls)

    def module_coming(self, name: str) -> None:
        """A module is being loaded: filters that wait for it select its functions. Words that match no function are dropped."""
        self.filter = self.filter.with_words(self.waiting_filter.take(name))
        self.notrace = self.notrace.with_words(self.waiting_notrace.take(name))
        for watch in self._watches:
            watch.module_coming(name)
