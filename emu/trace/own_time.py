# SPDX-License-Identifier: GPL-2.0-only
"""The time that calls took themselves on a CPU: without what they call, and without that in which their task was off it.

The times of function_graph have that in them, unless it was recorded with nosleep-time.
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
_CLOCKS_OF_CALLS = ("local", "global")  # of events: whose times can be compared with those of calls


class OwnTime(NamedTuple):
    """Attributes:
    nanoseconds: uint64, of each call.
    source: what says when tasks were switched out; with "nothing", that time is still in there.
    """

    nanoseconds: NDArray[np.uint64]
    source: Source


def own_time(trace: Trace) -> OwnTime:
    """That of all calls of a trace."""
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
    """For each moment of a task the innermost of its calls that have begun and not yet ended; -1: there is none."""
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
