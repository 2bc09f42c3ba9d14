# SPDX-License-Identifier: GPL-2.0-only
"""Stack traces, added up: a tree in which each distinct stack is one node, with its own weight.

Weights are nanoseconds on the CPU: of calls, without their callees. If a trace has no calls, the stack traces recorded
with its events (option stacktrace, or a trigger) are counted. Or weights are nanoseconds off the CPU, of the
stack traces recorded with sched_switch.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from emu.trace.call_levels import call_levels
from emu.trace.convert.options import By, CannotConvert, ConvertOptions
from emu.trace.event_table import KERNEL_STACK, EventTable
from emu.trace.lists import Lists
from emu.trace.own_time import own_time
from emu.trace.ranges import distinct_values
from emu.trace.stack_events import has_stacks, stacks_after
from emu.trace.switches import SWITCH, has_switches, off_cpu
from emu.trace.trace import Trace

__all__ = ["Meaning", "Stacks", "stacks"]

_NO_SWITCHES = "no sched_switch with stacks was recorded; `emu record -e sched_switch -R stacktrace` records them"

_NO_ROOT = -1
_SLEPT = {  # the caption's words about time when tasks did not run, by what is known of it
    "sched_switch": "without the time in which their task was switched out",
    "nosleep-time": "without the time in which their task was switched out (nosleep-time)",
    "events": "without the time switched out that other tasks' events show (no sched_switch was recorded)",
    "nothing": "with the time in which their task was switched out",
}


class Meaning(NamedTuple):
    """The meaning of weights.

    Attributes:
        name: a few words.
        sums: what was added up, as a sentence for a picture.
        unit: "ns", or "samples".
        counted: what `Stacks.calls` counts: "call", "switch", "sample".
    """

    name: str
    sums: str
    unit: str
    counted: str


class Stacks(NamedTuple):
    """Columns with one element per node; a node comes after its parent.

    Attributes:
        names: the frames' names.
        parent: int64: the caller's node; -1 if there is none.
        frame: int64: the index of the innermost frame's name.
        own: uint64: the weight without that of deeper stacks.
        calls: int64: the number of calls, or of events.
        meaning: the meaning of weights.
    """

    names: list[str]
    parent: NDArray[np.int64]
    frame: NDArray[np.int64]
    own: NDArray[np.uint64]
    calls: NDArray[np.int64]
    meaning: Meaning


def stacks(trace: Trace, options: ConvertOptions) -> Stacks:
    """The selected stacks: of calls, or otherwise of events; with `options.off_cpu` those of switches.

    Raises:
        CannotConvert: the trace has none.
    """
    if options.off_cpu:
        return _of_switches(trace, options)
    if trace.calls.count:
        return _of_calls(trace, options)
    if has_stacks(trace):
        return _of_events(trace, options)
    raise CannotConvert(
        "neither calls nor stacks were recorded; `emu record -p function_graph` records calls, -O stacktrace stacks"
    )


def _whole(options: ConvertOptions) -> str:
    """The caption's words about the selection."""
    selection = options.selection
    of_all = selection.cpus is None and not selection.pids and selection.start is None and selection.end is None
    return "of all tasks and CPUs" if of_all else "of what was selected"


class _Frames:
    """Assigns numbers to names."""

    def __init__(self) -> None:
        self.names: dict[str, int] = {}

    def number(self, values: NDArray[np.integer], name: Callable[[int], str]) -> NDArray[np.int64]:
        """The number of each value's name, which is made once per distinct value."""
        distinct, which = distinct_values(values)
        return np.array([self.names.setdefault(name(value), len(self.names)) for value in distinct], np.int64)[which]


def _roots(trace: Trace, by: By, pid: NDArray[np.int32], cpu: NDArray[np.uint16], frames: _Frames) -> NDArray[np.int64]:
    """The first frame of each stack; -1 if that is the function itself."""
    if by == "task":
        return frames.number(pid, trace.tasks.name_of)
    if by == "cpu":
        return frames.number(cpu, "CPU {}".format)
    return np.full(len(pid), _NO_ROOT)


def _of_calls(trace: Trace, options: ConvertOptions) -> Stacks:
    """Level by level: all calls of a level get their nodes at once, below those of their callers."""
    calls, frames = trace.calls, _Frames()
    functions = frames.number(calls["address"], trace.symbols.name_of)
    roots = _roots(trace, options.by, calls["pid"], calls["cpu"], frames)
    tree = _Tree(len(frames.names))
    node = np.full(calls.count + 1, -1, np.int64)  # the last element stands for no caller
    for level, rows in enumerate(call_levels(calls["depth"], calls["parent"])):
        above = node[calls["parent"][rows]]
        if level == 0 and options.by != "function":
            above = tree.nodes(above, roots[rows])
        node[rows] = tree.nodes(above, functions[rows])
    chosen = options.selection.calls(trace)
    own = own_time(trace)
    sums = f"own time of calls in microseconds, without what they call, {_SLEPT[own.source]}; {_whole(options)}"
    name = "with sleep" if own.source == "nothing" else "on CPU"
    return tree.weighted(frames, node[chosen], own.nanoseconds[chosen], Meaning(name, sums, "ns", "call"))


class _Tree:
    """The nodes found so far."""

    def __init__(self, names: int) -> None:
        self._names = names
        self._parents: list[NDArray[np.int64]] = []
        self._frames: list[NDArray[np.int64]] = []
        self._count = 0

    def nodes(self, above: NDArray[np.int64], frames: NDArray[np.int64]) -> NDArray[np.int64]:
        """The nodes with these frames below some nodes; all of them are new."""
        pairs, which = distinct_values((above + 1) * self._names + frames)
        parents, numbers = np.divmod(np.array(pairs, np.int64), self._names)
        self._parents.append(parents - 1)
        self._frames.append(numbers)
        first = self._count
        self._count += len(pairs)
        return first + which.astype(np.int64)

    def weighted(self, frames: _Frames, node: NDArray[np.int64], weight: NDArray[np.uint64], meaning: Meaning) -> Stacks:
        """All nodes, with their total weights."""
        own = np.zeros(self._count, np.uint64)
        np.add.at(own, node, weight)
        parent, frame = (np.concatenate([np.empty(0, np.int64), *parts]) for parts in (self._parents, self._frames))
        return Stacks(list(frames.names), parent, frame, own, np.bincount(node, minlength=self._count), meaning)


def _of_events(trace: Trace, options: ConvertOptions) -> Stacks:
    table = _selected(trace, options, KERNEL_STACK)
    sums = f"how often each stack was recorded beside an event; {_whole(options)}"
    meaning = Meaning("stacks of events", sums, "samples", "sample")
    return _recorded(trace, options.by, table, np.ones(table.count, np.uint64), meaning)


def _of_switches(trace: Trace, options: ConvertOptions) -> Stacks:
    if not (has_switches(trace) and has_stacks(trace)):
        raise CannotConvert(_NO_SWITCHES)
    off = off_cpu(trace)
    switches = trace[SWITCH].rows[off.switch]
    its_stacks = stacks_after(trace, switches)
    if not (its_stacks >= 0).any():
        raise CannotConvert(_NO_SWITCHES)
    wanted = (off.key >= 0) & np.isin(switches, _selected(trace, options, SWITCH).rows)
    if missing := int(np.count_nonzero(wanted & (its_stacks < 0))):
        one, its = ("time", "its switch has") if missing == 1 else ("times", "their switches have")
        options.notes.append(f"{missing} {one} off the CPU left out: {its} no stack")
    wanted &= its_stacks >= 0
    table = EventTable(trace.formats[KERNEL_STACK], trace.first, its_stacks[wanted])
    sums = f"time from a task's switch-out to its next switch-in, in microseconds, asleep or waiting for a CPU; {_whole(options)}"
    return _recorded(trace, options.by, table, (off.end - off.start)[wanted], Meaning("off CPU", sums, "ns", "switch"))


def _recorded(trace: Trace, by: By, table: EventTable, weight: NDArray[np.uint64], meaning: Meaning) -> Stacks:
    """Stack traces from KERNEL_STACK events, each with a weight. Each distinct stack of each root is made once."""
    frames = _Frames()
    roots = _roots(trace, by, table["common_pid"], table["common_cpu"], frames)
    callers: Lists = table["caller"]
    which, rows = callers.numbered()
    pairs, combined = distinct_values((roots + 1) * max(len(rows), 1) + which)
    nodes: dict[tuple[int, int], int] = {}
    leaves = []
    for pair in pairs:
        root, number = divmod(pair, max(len(rows), 1))
        path = [] if root == 0 else [root - 1]
        names = (trace.symbols.name_of(address) for address in callers[rows[number]][::-1].tolist())
        path += [frames.names.setdefault(name, len(frames.names)) for name in names]
        node = -1
        for part in path:
            node = nodes.setdefault((node, part), len(nodes))
        leaves.append(node)
    parent, frame = np.array(list(nodes), np.int64).reshape(-1, 2).T
    leaf = np.array(leaves, np.int64)[combined]
    counts = np.bincount(leaf[leaf >= 0], minlength=len(nodes))
    own = np.zeros(len(nodes), np.uint64)
    np.add.at(own, leaf[leaf >= 0], weight[leaf >= 0])
    return Stacks(list(frames.names), parent, frame, own, counts, meaning)


def _selected(trace: Trace, options: ConvertOptions, path: str) -> EventTable:
    """The selected events of one type."""
    rows = options.selection.rows(trace, trace.first)
    call = trace.formats[path]
    return EventTable(call, trace.first, rows[trace.first.columns.kind[rows] == call.number])
