# SPDX-License-Identifier: GPL-2.0-only
"""Which task ran on each CPU from when to when, by the event sched_switch."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from emu.trace.event_table import is_text
from emu.trace.selection import Selection
from emu.trace.trace import Trace

__all__ = ["OnCpus", "on_cpus"]

_SWITCH = "sched:sched_switch"
_NAMES, _PIDS = ("prev_comm", "next_comm"), ("prev_pid", "next_pid")


class OnCpus(NamedTuple):
    """Columns with one element for each time that a task ran without a switch, CPU by CPU; idle tasks are left out."""

    cpu: NDArray[np.uint16]
    pid: NDArray[np.int32]
    comm: NDArray[np.object_]
    start: NDArray[np.uint64]  # nanoseconds
    end: NDArray[np.uint64]


def on_cpus(trace: Trace, selection: Selection) -> OnCpus:
    """A CPU's first task runs from its first event on, the last one up to its last event; tasks and CPUs are selected."""
    is_wanted = selection.events is None or _SWITCH in selection.events
    if not is_wanted or not _are_known(trace):
        none = np.empty(0, np.uint64)
        return OnCpus(none.astype(np.uint16), none.astype(np.int32), none.astype(np.object_), none, none)
    columns = trace.first.columns
    parts = [_of_cpu(trace, cpu, columns.time[columns.cpu == cpu]) for cpu in np.unique(trace[_SWITCH]["common_cpu"]).tolist()]
    cpu, pid, comm, start, end = (np.concatenate(column) for column in zip(*parts, strict=True))
    chosen = (pid != 0) & (np.isin(pid, list(selection.pids)) if selection.pids else True)
    if selection.cpus is not None:
        chosen &= np.isin(cpu, list(selection.cpus))
    if selection.start is not None:
        chosen &= end >= np.uint64(selection.start)
    if selection.end is not None:
        chosen &= start <= np.uint64(selection.end)
    return OnCpus(cpu[chosen], pid[chosen], comm[chosen], start[chosen], end[chosen])


def _are_known(trace: Trace) -> bool:
    """Whether there are switches that say what Linux's do."""
    if _SWITCH not in trace.formats or not trace[_SWITCH].count:
        return False
    texts = {field.name for field in trace[_SWITCH].call.fields if is_text(field)}
    return texts.issuperset(_NAMES) and all(trace[_SWITCH].has_number(name) for name in _PIDS)


def _of_cpu(trace: Trace, cpu: int, times: NDArray[np.uint64]) -> tuple[NDArray[Any], ...]:
    """All times between switches of a CPU. `times`: of all of its events."""
    table = trace[_SWITCH]
    rows = np.flatnonzero(table["common_cpu"] == cpu)
    when = table["common_time"][rows]
    pid, comm = (np.concatenate([table[f"prev_{name}"][rows[:1]], table[f"next_{name}"][rows]]) for name in ("pid", "comm"))
    start, end = np.concatenate([times[:1], when]), np.concatenate([when, times[-1:]])
    return np.full(len(pid), cpu, np.uint16), pid, comm, start, np.maximum(start, end)
