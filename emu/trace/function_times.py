# SPDX-License-Identifier: GPL-2.0-only
"""Function statistics: the number and durations of calls, summed up over a trace."""

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
    """The statistics of a function, or of a function in one task or on one CPU.

    Attributes:
        function: its name.
        calls: the number of calls.
        self_time: nanoseconds in the function, without its recorded callees; None if only calls were recorded.
        total: nanoseconds including callees.
        minimum, maximum: the shortest and the longest call, in nanoseconds.
        tracing: nanoseconds of the self time that were spent on recording calls; None: unknown.
    pid, process: the task, if tasks are counted separately.
        cpu: the CPU, if CPUs are counted separately.
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
        """Nanoseconds per call."""
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
    """The statistics of all called functions, in no particular order.

    Calls recorded by function_graph have times; calls that have not returned are left out. If there are no such calls, the
    function tracer's events are counted.

    Args:
        trace: the trace.
        groups: what is counted separately.
        pids, cpus: only count calls of these tasks, on these CPUs; none: all.
        overhead: also sum up the time spent on recording calls.
        net: subtract that time from all times.

    Raises:
        ValueError: with `overhead` or `net`: the cost of recording a call is unknown.
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
    """The distinct rows of the columns, and the index of each row's."""
    rows = np.zeros(len(columns[0]), np.int64)
    for column in columns:
        values, which = np.unique(column, return_inverse=True)
        rows = rows * max(len(values), 1) + which
    _, first, which = np.unique(rows, return_index=True, return_inverse=True)
    return [column[first] for column in columns], which


def _times(
    duration: NDArray[np.uint64], self_time: NDArray[np.uint64], which: NDArray[np.intp], count: int
) -> tuple[NDArray[np.uint64], ...]:
    """For each group: the sum of self times, the sum of durations, the shortest and the longest duration."""
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
