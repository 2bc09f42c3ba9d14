# SPDX-License-Identifier: GPL-2.0-only
"""The times of calls without the cost of recording them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from emu.trace.call_levels import call_levels
from emu.trace.calls import CallTable
from emu.trace.recording import CallCost

__all__ = ["NetTimes", "net_times"]

_NO_CALLER = -1


class NetTimes(NamedTuple):
    """Nanoseconds of each call, as uint64.

    Attributes:
        duration, self_time: as in `CallTable`, without the cost of recording.
        tracing: the cost of recording in the call's self time: its own, and that of the calls that it made.
    """

    duration: NDArray[np.uint64]
    self_time: NDArray[np.uint64]
    tracing: NDArray[np.uint64]


def net_times(calls: CallTable, cost: CallCost) -> NetTimes:
    """The times of all calls; 0 for unfinished calls."""
    parents, finished = calls["parent"], calls["finished"]
    made = np.bincount(parents[parents != _NO_CALLER], minlength=calls.count).astype(np.uint64)
    within = np.zeros(calls.count + 1, np.uint64)  # calls of any depth; the last element stands for no caller
    for rows in reversed(list(call_levels(calls["depth"], parents))):
        np.add.at(within, parents[rows], within[rows] + np.uint64(1))
    own, caller = np.uint64(cost.own), np.uint64(cost.caller)
    tracing = np.where(finished, own + caller * made, np.uint64(0))
    in_all = np.where(finished, own + (own + caller) * within[:-1], np.uint64(0))
    duration, self_time = calls["duration"], calls["self_time"]
    return NetTimes(duration - np.minimum(in_all, duration), self_time - np.minimum(tracing, self_time), tracing)
