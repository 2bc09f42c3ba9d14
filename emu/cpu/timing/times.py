# SPDX-License-Identifier: GPL-2.0-only
"""Times within a block that is not executed yet, in parts of a cycle: not before so long after the block's dispatch,
and not before so long after each of some registers is ready."""

from __future__ import annotations

__all__ = ["NOW", "Time", "after", "join", "ready"]

Time = tuple[int, dict[int, int]]
NOW: Time = (0, {})


def ready(register: int) -> Time:
    """The time when a register written by an earlier block is ready."""
    return 0, {register: 0}


def join(first: Time, second: Time) -> Time:
    """The later of two times."""
    base = first[0] if first[0] > second[0] else second[0]
    if not second[1]:
        return base, first[1]
    if not first[1]:
        return base, second[1]
    inputs = dict(first[1])
    for register, latency in second[1].items():
        if latency > inputs.get(register, -1):
            inputs[register] = latency
    return base, inputs


def after(time: Time, latency: int) -> Time:
    """A time plus a latency."""
    if not latency:
        return time
    return time[0] + latency, {register: known + latency for register, known in time[1].items()}
