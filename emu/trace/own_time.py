# SPDX-License-Identifier: GPL-2.0-only
"""The time that calls used on a CPU themselves: without their callees, and without the time when their task was off the CPU.

function_graph's times include time off the CPU, unless it was recorded with nosleep-time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from emu.trace.switches import has_switches, off_cpu
from emu.trace.tasks import task_keys

if TYPE_CHECKING:
    from emu.trace.trace import Trace

__all__ = ["OwnTime", "own_time"]

Source = Literal["sched_switch", "events", "nosleep-time", "nothing"]
_CLOCKS_OF_CALLS = ("local", "global")  # clocks of events whose times can be compared with those of calls


class OwnTime(NamedTuple):
    """Attributes:
    nanoseconds: uint64, per call.
    source: where the times of switches come from; with "nothing", time off the CPU is still included.
    """

    nanoseconds: NDArray[np.uint64]
    source: Source


def own_time(trace: Trace) -> OwnTime:
    """The own time of all calls of a trace."""
    calls = trace.calls
    own = calls["self_time"]
    if calls.without_sleep:
        return OwnTime(own, "nosleep-time")
    if trace.first.clock not in _CLOCKS_OF_CALLS:
        return OwnTime(own, "nothing")
    off = off_cpu(trace)
    innermost = _innermost(trace, off.key, off.start)
    inside = innermost >= 0
    away = np.zeros(calls.count, np.uint64)
    np.add.at(away, innermost[inside], (off.end - off.start)[inside])
    return OwnTime(own - np.minimum(own, away), "sched_switch" if has_switches(trace) else "events")


def _innermost(trace: Trace, key: NDArray[np.int64], when: NDArray[np.uint64]) -> NDArray[np.int64]:
    """For each moment in a task, its innermost call that is under way; -1 if there is none."""
    calls = trace.calls
    keys = task_keys(calls["pid"], calls["cpu"])
    order = np.lexsort((calls["depth"], calls["entry"], keys))
    keys, entries = keys[order], calls["entry"][order]
    found = np.full(len(key), -1, np.int64)
    for task in np.unique(key).tolist():
        first, last = np.searchsorted(keys, [task, task + 1])
        times = np.flatnonzero(key == task)
        places = np.searchsorted(entries[first:last], when[times], side="right")
        found[times] = np.where(places > 0, np.append(order[first:last], -1)[places - 1], -1)
    exits, parents = np.where(calls["finished"], calls["exit"], ~np.uint64(0)), calls["parent"]
    while (over := np.flatnonzero((found >= 0) & (np.append(exits, 0)[found] <= when))).size:
        found[over] = parents[found[over]]
    return found
