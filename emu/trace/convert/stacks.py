# SPDX-License-Identifier: GPL-2.0-only
"""Stacks of functions, added up: a tree in which each stack is one node, with its own weight.

Weights are nanoseconds of calls, without the calls in them. A trace without calls has stacks that were recorded beside its
events (the option stacktrace, or a trigger); these are counted.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from emu.trace.call_levels import call_levels
from emu.trace.convert.options import By, CannotConvert, ConvertOptions
from emu.trace.event_table import EventTable
from emu.trace.lists import Lists
from emu.trace.ranges import distinct_values
from emu.trace.trace import Trace

__all__ = ["Stacks", "stacks"]

_STACK = "ftrace:kernel_stack"
_NO_ROOT = -1


class Stacks(NamedTuple):
    """Columns with one element for each node; a node comes after its parent.

    Attributes:
        names: of frames.
        parent: int64: the node of the caller; -1: there is none.
        frame: int64: the number of the innermost frame's name.
        own: uint64: the weight without that of deeper stacks.
        calls: int64: how many calls, or events.
        unit: of weights.
    """

    names: list[str]
    parent: NDArray[np.int64]
    frame: NDArray[np.int64]
    own: NDArray[np.uint64]
    calls: NDArray[np.int64]
    unit: str


def stacks(trace: Trace, options: ConvertOptions) -> Stacks:
    """The stacks of the calls that were selected, or else those of events.

    Raises:
        CannotConvert: there are neither.
    """
    if trace.calls.count:
        return _of_calls(trace, options)
    if _STACK in trace.formats and trace[_STACK].count and "caller" in trace[_STACK]:
        return _of_events(trace, options)
    raise CannotConvert(
        "neither calls nor stacks were recorded; `emu record -p function_graph` records calls, -O stacktrace stacks"
    )


class _Frames:
    """Numbers names."""

    def __init__(self) -> None:
        self.names: dict[str, int] = {}

    def number(self, values: NDArray[Any], name: Callable[[int], str]) -> NDArray[np.int64]:
        """The number of each value's name, which is made once for each different value."""
        distinct, which = distinct_values(values)
        return np.array([self.names.setdefault(name(value), len(self.names)) for value in distinct], np.int64)[which]


def _roots(trace: Trace, by: By, pid: NDArray[np.int32], cpu: NDArray[np.uint16], frames: _Frames) -> NDArray[np.int64]:
    """The first frame of each stack; -1: the function itself."""
    if by == "task":
        return frames.number(pid, trace.tasks.name_of)
    if by == "cpu":
        return frames.number(cpu, "CPU {}".format)
    return np.full(len(pid), _NO_ROOT)


def _of_calls(trace: Trace, options: ConvertOptions) -> Stacks:
    """Level by level: all calls of one level get their nodes at once, below those of their callers."""
    calls, frames = trace.calls, _Frames()
    functions = frames.number(calls["address"], trace.symbols.name_of)
    roots = _roots(trace, options.by, calls["pid"], calls["cpu"], frames)
    tree = _Tree(len(frames.names))
    node = np.full(calls.count + 1, -1, np.int64)  # the last is that of no caller
    for level, rows in enumerate(call_levels(calls["depth"], calls["parent"])):
        above = node[calls["parent"][rows]]
        if level == 0 and options.by != "function":
            above = tree.nodes(above, roots[rows])
        node[rows] = tree.nodes(above, functions[rows])
    chosen = options.selection.calls(trace)
    return tree.weighted(frames, node[chosen], calls["self_time"][chosen], "ns")


class _Tree:
    """Nodes as they are found."""

    def __init__(self, names: int) -> None:
        self._names = names
        self._parents: list[NDArray[np.int64]] = []
        self._frames: list[NDArray[np.int64]] = []
        self._count = 0

    def nodes(self, above: NDArray[np.int64], frames: NDArray[np.int64]) -> NDArray[np.int64]:
        """The nodes below some nodes with these frames: all of them are new."""
        pairs, which = distinct_values((above + 1) * self._names + frames)
        parents, numbers = np.divmod(np.array(pairs, np.int64), self._names)
        self._parents.append(parents - 1)
        self._frames.append(numbers)
        first = self._count
        self._count += len(pairs)
        return first + which.astype(np.int64)

    def weighted(self, frames: _Frames, node: NDArray[np.int64], weight: NDArray[np.uint64], unit: str) -> Stacks:
        """All nodes, with the sums of weights."""
        own = np.zeros(self._count, np.uint64)
        np.add.at(own, node, weight)
        parent, frame = (np.concatenate([np.empty(0, np.int64), *parts]) for parts in (self._parents, self._frames))
        return Stacks(list(frames.names), parent, frame, own, np.bincount(node, minlength=self._count), unit)


def _of_events(trace: Trace, options: ConvertOptions) -> Stacks:
    """Each different stack of each root is made once."""
    table = _selected(trace, options)
    frames = _Frames()
    roots = _roots(trace, options.by, table["common_pid"], table["common_cpu"], frames)
    callers: Lists = table["caller"]
    which, rows = callers.numbered()
    pairs, combined = distinct_values((roots + 1) * max(len(rows), 1) + which)
    nodes: dict[tuple[int, int], int] = {}
    leaves = []
    for pair in pairs:
        root, number = divmod(pair, max(len(rows), 1))
        addresses = callers[rows[number]]
        path = [] if root == 0 else [root - 1]
        path += [frames.names.setdefault(trace.symbols.name_of(a), len(frames.names)) for a in addresses[::-1].tolist()]
        node = -1
        for frame in path:
            node = nodes.setdefault((node, frame), len(nodes))
        leaves.append(node)
    parent, frame = np.array(list(nodes), np.int64).reshape(-1, 2).T
    leaf = np.array(leaves, np.int64)[combined]
    counts = np.bincount(leaf[leaf >= 0], minlength=len(nodes))
    return Stacks(list(frames.names), parent, frame, counts.astype(np.uint64), counts, "samples")


def _selected(trace: Trace, options: ConvertOptions) -> EventTable:
    rows = options.selection.rows(trace, trace.first)
    call = trace.formats[_STACK]
    return EventTable(call, trace.first, rows[trace.first.columns.kind[rows] == call.number])
