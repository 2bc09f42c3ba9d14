# SPDX-License-Identifier: GPL-2.0-only
"""How often functions were called, and how long they took: sums over the calls of a trace."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from emu.trace.selection import selected
from emu.trace.tracing_cost import net_times

if TYPE_CHECKING:
    from emu.trace.trace import Trace

__all__ = ["FunctionTime", "Group", "function_times"]

Group = Literal["process", "cpu"]
_FUNCTION = "ftrace:function"


@dataclass(frozen=True)
class FunctionTime:
    """A function, or a function in one task or on one CPU.

    Attributes:
        function: its name.
        calls: how often it was called.
        self_time: nanoseconds that it took, without the functions that were recorded in it; None: only calls were recorded.
        total: nanoseconds with them.
        minimum, maximum: the shortest and the longest call, in nanoseconds.
        tracing: nanoseconds of its own time that recording the calls has cost; None: it is not known.
    pid, process: the task, where tasks count apart.
        cpu: where CPUs count apart.
    """

    function: str
    calls: int
    self_time: int | None = None
    total: int | None = None
    minimum: int | None = None
    maximum: int | None = None
    tracing: int | None = None
    pid: int | None = None
    process: str | None = None
    cpu: int | None = None

    @property
    def mean(self) -> float | None:
        """Nanoseconds of a call."""
        return None if self.total is None else self.total / self.calls


def function_times(
    trace: Trace,
    groups: Collection[Group] = (),
    *,
    pids: Collection[int] = (),
    cpus: Collection[int] | None = None,
    overhead: bool = False,
    net: bool = False,
) -> list[FunctionTime]:
    """The functions that were called, in no order.

    Calls that function_graph has recorded have times; one that has not returned does not count. Without any, the function
    tracer's events count.

    Args:
        trace: what was recorded.
        groups: what counts apart.
        pids, cpus: only calls of these tasks, on these CPUs; none: all.
        overhead: also add up what recording the calls has cost.
        net: take that off all times.

    Raises:
        ValueError: with `overhead` or `net`: what recording a call costs is not known.
    """
    calls = trace.calls
    cost = trace.recording.call_cost
    if (overhead or net) and cost is None:
        raise ValueError("what recording a call costs is not known")
    timed = calls.count > 0
    if timed:
        columns = {"address": calls["address"], "pid": calls["pid"], "cpu": calls["cpu"]}
        counted = calls["finished"]
    elif _FUNCTION in trace.events:
        events = trace[_FUNCTION]
        columns = {"address": events["ip"], "pid": events["pid"], "cpu": events["cpu"]}
        counted = np.ones(len(columns["address"]), bool)
    else:
        return []
    chosen = counted & selected(columns["pid"], columns["cpu"], pids, cpus)
    keys = ["address", *(["pid"] if "process" in groups else []), *(["cpu"] if "cpu" in groups else [])]
    values, which = _grouped([columns[name][chosen] for name in keys])
    count = len(values[0])
    numbers = np.bincount(which, minlength=count)
    times = tracing = None
    if timed:
        duration, self_time = calls["duration"], calls["self_time"]
        if cost is not None and (overhead or net):
            without = net_times(calls, cost)
            tracing = np.bincount(which, without.tracing[chosen], count)
            if net:
                duration, self_time = without.duration, without.self_time
        times = _times(duration[chosen], self_time[chosen], which, count)
    result = []
    for row, found in enumerate(zip(*(value.tolist() for value in values), strict=True)):
        of: dict[str, int] = dict(zip(keys, found, strict=True))
        own, total, minimum, maximum = (int(column[row]) for column in times) if times else (None,) * 4
        pid = of.get("pid")
        result.append(
            FunctionTime(
                function=trace.symbols.name_of(of["address"]),
                calls=int(numbers[row]),
                self_time=own,
                total=total,
                minimum=minimum,
                maximum=maximum,
                tracing=None if tracing is None else int(tracing[row]),
                pid=pid,
                process=None if pid is None else trace.tasks.name_of(pid),
                cpu=of.get("cpu"),
            )
        )
    return result


def _grouped(columns: Sequence[NDArray[np.integer]]) -> tuple[list[NDArray[np.integer]], NDArray[np.intp]]:
    """The different rows of the columns, and which of them each row is."""
    rows = np.zeros(len(columns[0]), np.int64)
    for column in columns:
        values, which = np.unique(column, return_inverse=True)
        rows = rows * max(len(values), 1) + which
    _, first, which = np.unique(rows, return_index=True, return_inverse=True)
    return [column[first] for column in columns], which


def _times(
    duration: NDArray[np.uint64], self_time: NDArray[np.uint64], which: NDArray[np.intp], count: int
) -> tuple[NDArray[np.uint64], ...]:
    """Sum of the self times, sum of the durations, the shortest and the longest of each group."""
    order = np.argsort(which, kind="stable")
    starts = np.searchsorted(which[order], np.arange(count))
    durations = duration[order]
    if not count:
        return (durations,) * 4
    return (
        np.add.reduceat(self_time[order], starts),
        np.add.reduceat(durations, starts),
        np.minimum.reduceat(durations, starts),
        np.maximum.reduceat(durations, starts),
    )
