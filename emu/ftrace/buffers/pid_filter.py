# SPDX-License-Identifier: GPL-2.0-only
"""The tasks for which one trace array records functions (set_ftrace_pid, set_ftrace_notrace_pid) and events (set_event_pid,
set_event_notrace_pid).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from emu.cpu.far_memory import far_memory
from emu.ftrace.arrays.array_records import ArrayRecords
from emu.ftrace.native.trace_values import EVENTS_CHOSEN, EVENTS_EXCLUDED, OF_PID, PID_CHOSEN, PID_EXCLUDED, PID_LIMIT
from emu.native.records import Values, u8

__all__ = ["OF_EVENTS", "OF_FUNCTIONS", "PidFilter", "Pids", "pid_flags"]

Pids: TypeAlias = frozenset[int] | None  # None: there is no list


@dataclass(frozen=True)
class _Fields:
    """Where a filter is stored for native code: two flags of each pid, and names of fields in TraceArray and ArrayCpu."""

    chosen: int
    excluded: int
    only_chosen: str
    ignored: str


OF_FUNCTIONS = _Fields(PID_CHOSEN, PID_EXCLUDED, "only_chosen", "ignored")
OF_EVENTS = _Fields(EVENTS_CHOSEN, EVENTS_EXCLUDED, "only_events_chosen", "events_ignored")


def pid_flags(records: ArrayRecords) -> NDArray[np.uint8]:
    """The flags of each pid, for both filters of an array. Native code changes them as tasks come and go."""
    flags = np.frombuffer(far_memory(PID_LIMIT), np.uint8)
    records.array.pid_flags = Values[u8](flags.ctypes.data)
    return flags


class PidFilter:
    """Two lists of tasks.

    Args:
        records: the records of the array.
        flags: the flags of each pid.
        fields: whether the filter is for functions or events.
        changed: called when the lists have changed.
    """

    def __init__(
        self,
        records: ArrayRecords,
        flags: NDArray[np.uint8],
        fields: _Fields,
        changed: Callable[[], None] = lambda: None,
    ) -> None:
        self._records = records
        self._flags = flags
        self._fields = fields
        self._changed = changed
        self._there_is_chosen = self._there_is_excluded = False

    def __bool__(self) -> bool:
        """Whether there is a list."""
        return self._there_is_chosen or self._there_is_excluded

    @property
    def chosen(self) -> Pids:
        """The tasks that are recorded exclusively; None: all tasks."""
        return self._listed(self._fields.chosen) if self._there_is_chosen else None

    @property
    def excluded(self) -> Pids:
        """The tasks that are never recorded; None: there is no list."""
        return self._listed(self._fields.excluded) if self._there_is_excluded else None

    def _listed(self, flag: int) -> frozenset[int]:
        return frozenset(np.flatnonzero(self._flags & np.uint8(flag)).tolist())

    def choose(self, pids: Pids) -> None:
        """Replaces the list of chosen tasks, also for the tasks that are running now."""
        self._put_in_force(pids, self.excluded)

    def exclude(self, pids: Pids) -> None:
        """Replaces the list of excluded tasks, also for the tasks that are running now."""
        self._put_in_force(self.chosen, pids)

    def _put_in_force(self, chosen: Pids, excluded: Pids) -> None:
        self._there_is_chosen, self._there_is_excluded = chosen is not None, excluded is not None
        self._flags &= ~np.uint8(self._fields.chosen | self._fields.excluded)
        for pids, flag in ((chosen, self._fields.chosen), (excluded, self._fields.excluded)):
            self._flags[[pid for pid in pids or () if pid < PID_LIMIT]] |= np.uint8(flag)
        setattr(self._records.array, self._fields.only_chosen, chosen is not None)
        for cpu in self._records.cpus:
            left_out = chosen is not None and cpu.pid not in chosen
            ignored = left_out or (excluded is not None and cpu.pid in excluded)
            others = getattr(cpu, self._fields.ignored) & ~OF_PID
            setattr(cpu, self._fields.ignored, others | OF_PID if ignored else others)
        self._changed()
