# SPDX-License-Identifier: GPL-2.0-only
"""When tasks ran on each CPU, and when they were off the CPU: from sched_switch, or otherwise from their events."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from emu.trace.event_table import is_text
from emu.trace.tasks import task_keys

if TYPE_CHECKING:
    from emu.trace.trace import Trace

__all__ = ["SWITCH", "OffCpu", "Runs", "has_switches", "off_cpu", "runs"]

SWITCH = "sched:sched_switch"
_NAMES, _PIDS = ("prev_comm", "next_comm"), ("prev_pid", "next_pid")


class Runs(NamedTuple):
    """Columns with one element per run of a task without a switch, CPU by CPU."""

    cpu: NDArray[np.uint16]
    pid: NDArray[np.int32]
    comm: NDArray[np.object_]
    start: NDArray[np.uint64]  # nanoseconds
    end: NDArray[np.uint64]

    def take(self, which: NDArray[np.bool_]) -> Runs:
        """The selected runs."""
        return Runs(self.cpu[which], self.pid[which], self.comm[which], self.start[which], self.end[which])


class OffCpu(NamedTuple):
    """Columns with one element per interval from a task's switch-out to its next switch-in, task by task.

    `key`: see `task_keys`; `switch`: the row of `trace[SWITCH]` that switched it out; -1: switches were not recorded.
    """

    key: NDArray[np.int64]
    start: NDArray[np.uint64]  # nanoseconds
    end: NDArray[np.uint64]
    switch: NDArray[np.int64]


def has_switches(trace: Trace) -> bool:
    """Whether there are switches with the same fields as Linux's."""
    if SWITCH not in trace.formats or not trace[SWITCH].count:
        return False
    texts = {field.name for field in trace[SWITCH].call.fields if is_text(field)}
    return texts.issuperset(_NAMES) and all(trace[SWITCH].has_number(name) for name in _PIDS)


def runs(trace: Trace) -> Runs:
    """All runs. A CPU's first task runs from its first event on, and the last task up to its last event.

    If a CPU switches away from a task other than the one it had switched to, because switches in between were not recorded,
    that task's run time is unknown, and it is left out. Without switches, a task runs from the first to the last of
    its events without an event of another task in between.
    """
    if not has_switches(trace):
        return _by_events(trace)
    columns, table = trace.first.columns, trace[SWITCH]
    parts = []
    for cpu in np.unique(table["common_cpu"]).tolist():
        rows = np.flatnonzero(table["common_cpu"] == cpu)
        times = columns.time[columns.cpu == cpu]
        when = table["common_time"][rows]
        pid, comm = (np.concatenate([table[f"prev_{name}"][rows[:1]], table[f"next_{name}"][rows]]) for name in ("pid", "comm"))
        start, end = np.concatenate([times[:1], when]), np.concatenate([when, times[-1:]])
        part = Runs(np.full(len(pid), cpu, np.uint16), pid, comm, start, np.maximum(start, end))
        parts.append(part.take(np.append(pid[:-1] == table["prev_pid"][rows], True)))
    return Runs(*map(np.concatenate, zip(*parts, strict=True)))


def _by_events(trace: Trace) -> Runs:
    columns = trace.first.columns
    order = np.argsort(columns.cpu, kind="stable")
    cpu, pid, time = columns.cpu[order], trace.first.pid[order], columns.time[order]
    edges = np.flatnonzero((np.diff(cpu) != 0) | (np.diff(pid) != 0)) + 1
    first, last = np.append(0, edges), np.append(edges, len(order)) - 1
    if not len(order):
        first = last = edges
    names, which = np.unique(pid[first], return_inverse=True)
    comm = np.array([*map(trace.tasks.name_of, names.tolist()), None], np.object_)[which]
    return Runs(cpu[first], pid[first], comm, time[first], np.maximum(time[first], time[last]))


def off_cpu(trace: Trace) -> OffCpu:
    """All intervals off the CPU, also of idle tasks."""
    if has_switches(trace):
        table = trace[SWITCH]
        cpu, time = table["common_cpu"], table["common_time"]
        rows = np.arange(table.count)
        keys = np.concatenate([task_keys(table[name], cpu) for name in _PIDS])
        moments, switches = np.concatenate([time, time]), np.concatenate([rows, rows])
        is_in = np.repeat([False, True], table.count)
        order = np.lexsort((is_in, switches, keys))
        keys, moments, switches, is_in = (column[order] for column in (keys, moments, switches, is_in))
        gaps = np.flatnonzero((keys[1:] == keys[:-1]) & ~is_in[:-1] & is_in[1:])
        found = OffCpu(keys[gaps], moments[gaps], moments[gaps + 1], switches[gaps])
    else:
        ran = _by_events(trace)
        keys = task_keys(ran.pid, ran.cpu)
        order = np.lexsort((ran.start, keys))
        keys, start, end = keys[order], ran.start[order], ran.end[order]
        gaps = np.flatnonzero(keys[1:] == keys[:-1])
        found = OffCpu(keys[gaps], end[gaps], start[gaps + 1], np.full(len(gaps), -1, np.int64))
    return found._replace(end=np.maximum(found.start, found.end))
