# SPDX-License-Identifier: GPL-2.0-only
"""Calls from the entries and exits of function_graph: a stack for each task, kept as links from each open call to its caller."""

from __future__ import annotations

import numpy as np

from emu.native import njit, outlined

__all__ = ["CUT", "NO_CALL", "PAIRED", "UNFINISHED", "pair"]

NO_CALL = -1
PAIRED, UNFINISHED, CUT = 0, 1, 2  # there are both; there is no exit; there is no entry


@njit
def _close(call, key, lasted, parents, depths, inner, orphan_depth, orphan_time):
    """Adds how long a call lasted to its caller; if that is not known, keeps it for a caller of which only the exit comes."""
    parent = parents[call]
    if parent != NO_CALL:
        inner[parent] += lasted
    elif orphan_depth[key] == depths[call]:
        orphan_time[key] += lasted
    else:
        orphan_depth[key], orphan_time[key] = depths[call], lasted


@outlined
def pair(
    is_exit, keys, times, functions, depths, calltimes, rettimes, tops, orphan_depth, orphan_time,
    rows, parents, call_depths, entries, exits, inner, state,
):  # fmt: skip
    """Fills the columns of the calls, in the order in which they were seen first, and returns how many there are.

    Args:
        is_exit, keys, times, functions, depths: of the events: whether it is an exit; the number of its task; when.
        calltimes, rettimes: uint64, of exits.
        tops: int64[tasks] of NO_CALL: the innermost open call of each task.
        orphan_depth, orphan_time: of tasks: calls that returned to a caller that was not seen.
        rows: is filled: the event that a call was first seen in.
        parents: the caller, or NO_CALL.
        call_depths, entries, exits: as recorded; what is not known is 0.
        inner: how long the calls made by each lasted.
        state: PAIRED, UNFINISHED or CUT.
    """
    count = 0
    for n in range(len(is_exit)):
        key, depth, top = keys[n], depths[n], tops[keys[n]]
        least = depth + 1 if is_exit[n] else depth
        while top != NO_CALL and call_depths[top] >= least:  # their exits are lost
            top = parents[top]
        if not is_exit[n]:
            rows[count], parents[count], call_depths[count] = n, top, depth
            entries[count], exits[count], inner[count], state[count] = times[n], 0, 0, UNFINISHED
            tops[key] = count
            count += 1
            continue
        lasted = rettimes[n] - calltimes[n]
        if top != NO_CALL and call_depths[top] == depth and functions[rows[top]] == functions[n]:
            entries[top], exits[top], state[top] = calltimes[n], rettimes[n], PAIRED
            tops[key] = parents[top]
            _close(top, key, lasted, parents, call_depths, inner, orphan_depth, orphan_time)
            continue
        if top != NO_CALL and call_depths[top] == depth:  # another function: its exit is lost, and this one's entry
            top = parents[top]
        rows[count], parents[count], call_depths[count] = n, top, depth
        entries[count], exits[count], state[count] = calltimes[n], rettimes[n], CUT
        inner[count] = np.uint64(0)
        if orphan_depth[key] == depth + 1:
            inner[count] = orphan_time[key]
        tops[key] = top
        _close(count, key, lasted, parents, call_depths, inner, orphan_depth, orphan_time)
        count += 1
    return count
