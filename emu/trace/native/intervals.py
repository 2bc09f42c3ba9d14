# SPDX-License-Identifier: GPL-2.0-only
"""Calls as starts and ends that nest, whatever was recorded: a stack for one task after another."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from emu.native.functions import specialized
from emu.native.records import u64

__all__ = ["Changes", "TaskCalls", "begin_and_end"]


class TaskCalls(NamedTuple):
    """Columns of calls, grouped by task (with the task keys `keys`), in the order of their entries."""

    keys: NDArray[np.int64]
    entries: NDArray[np.uint64]
    exits: NDArray[np.uint64]
    depths: NDArray[np.int32]
    finished: NDArray[np.bool_]


class Changes(NamedTuple):
    """Which call starts or ends, and when: columns twice as long as those of the calls."""

    calls: NDArray[np.int64]
    ends: NDArray[np.bool_]
    times: NDArray[np.uint64]


@specialized
def begin_and_end(calls: TaskCalls, last: u64, stack: NDArray[np.int64], changes: Changes) -> None:
    """Fills `changes`. A call ends before a call of the same or a smaller depth begins. Times never decrease within a task.

    Args:
        last: the end of unfinished calls.
        stack: working memory, as long as there are calls.
    """
    keys, entries, exits, depths, finished = calls
    which, ends, times = changes
    count, open_calls, now = 0, 0, last
    for n in range(len(keys) + 1):
        at_end = n == len(keys)
        other_task = at_end or n == 0 or keys[n] != keys[n - 1]
        while open_calls:
            top = stack[open_calls - 1]
            if not other_task and depths[top] < depths[n] and not (finished[top] and exits[top] <= entries[n]):
                break
            end = exits[top] if finished[top] else last
            if not other_task:
                end = min(end, entries[n])
            now = max(now, end)
            which[count], ends[count], times[count] = top, True, now
            count += 1
            open_calls -= 1
        if at_end:
            break
        now = entries[n] if other_task else max(now, entries[n])
        which[count], ends[count], times[count] = n, False, now
        count += 1
        stack[open_calls] = n
        open_calls += 1
