# SPDX-License-Identifier: GPL-2.0-only
"""Calls as starts and ends that nest, task by task."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from emu.trace.native.intervals import Changes, TaskCalls, begin_and_end
from emu.trace.tasks import task_keys
from emu.trace.trace import Trace

__all__ = ["Intervals", "intervals", "task_name"]


class Intervals(NamedTuple):
    """Attributes:
    rows: of `trace.calls`, grouped by task, in the order of their entries.
    keys: the task keys of the rows.
    which: int64[2 n]: indices into `rows`, in the order of starts and ends in each task.
    ends: bool[2 n]: whether it is an end.
    times: uint64[2 n], nanoseconds. An unfinished call ends with the trace, or when another one begins in its place.
    """

    rows: NDArray[np.int64]
    keys: NDArray[np.int64]
    which: NDArray[np.int64]
    ends: NDArray[np.bool_]
    times: NDArray[np.uint64]


def task_name(trace: Trace, key: int) -> str:
    """`ls-57`, by task key; idle tasks are `swapper/0`, by their CPU."""
    return f"swapper/{-1 - key}" if key < 0 else f"{trace.tasks.name_of(key)}-{key}"


def intervals(trace: Trace, rows: NDArray[np.int64]) -> Intervals:
    """The intervals of some calls of a trace."""
    calls = trace.calls
    keys = task_keys(calls["pid"][rows], calls["cpu"][rows])
    order = np.lexsort((calls["depth"][rows], calls["entry"][rows], keys))
    rows, keys, count = rows[order], keys[order], len(rows)
    changes = Changes(np.empty(2 * count, np.int64), np.empty(2 * count, np.bool_), np.empty(2 * count, np.uint64))
    time = trace.first.columns.time
    last = max(np.uint64(time.max(initial=0)), calls["exit"].max(initial=0))
    of_tasks = TaskCalls(keys, calls["entry"][rows], calls["exit"][rows], calls["depth"][rows], calls["finished"][rows])
    begin_and_end(of_tasks, last, np.empty(count, np.int64), changes)
    return Intervals(rows, keys, *changes)
