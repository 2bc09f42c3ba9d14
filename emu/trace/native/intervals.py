# SPDX-License-Identifier: GPL-2.0-only
"""Calls as beginnings and ends that nest, whatever was recorded: a stack for one task after the other."""

from __future__ import annotations

from emu.native import outlined

__all__ = ["begin_and_end"]


@outlined
def begin_and_end(keys, entries, exits, depths, finished, last, stack, calls, ends, times):
    """Fills `calls`, `ends` and `times`, which are twice as long as the others: which call begins or ends, and when.

    A call ends before one begins that is not deeper. No time is before the one that precedes it in its task.

    Args:
        keys, entries, exits, depths, finished: of calls; those of a task together, in the order of their entries.
        last: when a call ends that has not finished.
        stack: is written to; as long as there are calls.
    """
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
            calls[count], ends[count], times[count] = top, True, now
            count += 1
            open_calls -= 1
        if at_end:
            break
        now = entries[n] if other_task else max(now, entries[n])
        calls[count], ends[count], times[count] = n, False, now
        count += 1
        stack[open_calls] = n
        open_calls += 1
