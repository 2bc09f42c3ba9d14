# SPDX-License-Identifier: GPL-2.0-only
"""Pairs function_graph's entries and exits: a stack for each task, stored as links from each open call to its caller."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from emu.native.functions import specialized
from emu.native.records import u64

__all__ = ["CUT", "NO_CALL", "PAIRED", "UNFINISHED", "Calls", "GraphEvents", "TaskStacks", "pair"]

NO_CALL = -1
PAIRED, UNFINISHED, CUT = 0, 1, 2  # entry and exit exist; no exit; no entry


class GraphEvents(NamedTuple):
    """Columns of entries and exits, sorted by time. `calltime`, `rettime`: of exits."""

    task: NDArray[np.int64]  # task number
    is_exit: NDArray[np.bool_]
    time: NDArray[np.uint64]
    address: NDArray[np.uint64]  # of the function
    depth: NDArray[np.int32]
    calltime: NDArray[np.uint64]
    rettime: NDArray[np.uint64]


class Calls(NamedTuple):
    """Columns of calls, in the order of first appearance. Unknown values are 0."""

    row: NDArray[np.int64]  # the first event of the call
    parent: NDArray[np.int64]  # the caller, or NO_CALL
    depth: NDArray[np.int32]
    entry: NDArray[np.uint64]
    exit: NDArray[np.uint64]
    inner: NDArray[np.uint64]  # total duration of its callees
    state: NDArray[np.uint8]  # PAIRED, UNFINISHED or CUT

    @classmethod
    def empty(cls, count: int) -> Calls:
        """Room for `count` calls."""
        return cls(
            np.empty(count, np.int64), np.empty(count, np.int64), np.empty(count, np.int32),
            np.empty(count, np.uint64), np.empty(count, np.uint64), np.empty(count, np.uint64), np.empty(count, np.uint8),
        )  # fmt: skip


class TaskStacks(NamedTuple):
    """For each task: its innermost open call, or NO_CALL; and calls that returned to a caller not yet seen."""

    top: NDArray[np.int64]
    orphan_depth: NDArray[np.int32]
    orphan_time: NDArray[np.uint64]

    @classmethod
    def of(cls, tasks: int) -> TaskStacks:
        """The stacks of this many tasks, before the first event."""
        return cls(np.full(tasks, NO_CALL, np.int64), np.full(tasks, -1, np.int32), np.zeros(tasks, np.uint64))


@specialized
def _close(
    call: int, task: int, lasted: u64, parents: NDArray[np.int64], depths: NDArray[np.int32], inner: NDArray[np.uint64],
    orphan_depths: NDArray[np.int32], orphan_times: NDArray[np.uint64],
) -> None:  # fmt: skip
    """Adds a call's duration to its caller; if the caller is unknown, keeps it for one of which only the exit is recorded."""
    parent = parents[call]
    if parent != NO_CALL:
        inner[parent] += lasted
    elif orphan_depths[task] == depths[call]:
        orphan_times[task] += lasted
    else:
        orphan_depths[task], orphan_times[task] = depths[call], lasted


@specialized
def pair(events: GraphEvents, stacks: TaskStacks, calls: Calls) -> int:
    """Fills the columns of the calls. Returns their number."""
    tasks, is_exit, times, functions, depths, calltimes, rettimes = events
    tops, orphan_depths, orphan_times = stacks
    rows, parents, call_depths, entries, exits, inner, states = calls
    count = 0
    for n in range(len(tasks)):
        task, depth, top = tasks[n], depths[n], tops[tasks[n]]
        least = depth + 1 if is_exit[n] else depth
        while top != NO_CALL and call_depths[top] >= least:  # their exits are lost
            top = parents[top]
        if not is_exit[n]:
            rows[count], parents[count], call_depths[count] = n, top, depth
            entries[count], exits[count], inner[count], states[count] = times[n], 0, 0, UNFINISHED
            tops[task] = count
            count += 1
            continue
        lasted = rettimes[n] - calltimes[n]
        if top != NO_CALL and call_depths[top] == depth and functions[rows[top]] == functions[n]:
            entries[top], exits[top], states[top] = calltimes[n], rettimes[n], PAIRED
            tops[task] = parents[top]
            _close(top, task, lasted, parents, call_depths, inner, orphan_depths, orphan_times)
            continue
        if top != NO_CALL and call_depths[top] == depth:  # another function: its exit is lost, and so is this one's entry
            top = parents[top]
        rows[count], parents[count], call_depths[count] = n, top, depth
        entries[count], exits[count], states[count] = calltimes[n], rettimes[n], CUT
        inner[count] = 0
        if orphan_depths[task] == depth + 1:
            inner[count] = orphan_times[task]
        tops[task] = top
        _close(count, task, lasted, parents, call_depths, inner, orphan_depths, orphan_times)
        count += 1
    return count
