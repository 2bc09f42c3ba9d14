# SPDX-License-Identifier: GPL-2.0-only
"""The tasks whose functions (set_ftrace_pid, set_ftrace_notrace_pid) and whose events (set_event_pid, set_event_notrace_pid) one
trace array records.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from emu.cpu.far_memory import far_memory
from emu.ftrace.array_records import ArrayRecords
from emu.ftrace.native import array_cpu_record, array_record

__all__ = ["OF_EVENTS", "OF_FUNCTIONS", "PidFilter", "Pids", "pid_flags"]

Pids: TypeAlias = frozenset[int] | None  # None: there is no list


@dataclass(frozen=True)
class _Fields:
    """Where native code finds a filter: two flags of each pid, and words of the array's records."""

    chosen: np.uint8
    excluded: np.uint8
    only_chosen: np.uint64
    ignored: np.uint64


OF_FUNCTIONS = _Fields(array_record.PID_CHOSEN, array_record.PID_EXCLUDED, array_record.ONLY_CHOSEN, array_cpu_record.IGNORED)
OF_EVENTS = _Fields(
    array_record.EVENTS_CHOSEN, array_record.EVENTS_EXCLUDED, array_record.ONLY_EVENTS_CHOSEN, array_cpu_record.EVENTS_IGNORED
)


def pid_flags(records: ArrayRecords) -> NDArray[np.uint8]:
    """Makes the flags of each pid, for both filters of an array. Native code changes them as tasks come and go."""
    flags = np.frombuffer(far_memory(array_record.PID_LIMIT), np.uint8)
    records.array.set(array_record.PID_FLAGS, flags.ctypes.data)
    return flags


class PidFilter:
    """Two lists of tasks.

    Args:
        records: the records of the array.
        flags: of each pid.
        fields: whether the filter is for functions or events.
    """

    def __init__(self, records: ArrayRecords, flags: NDArray[np.uint8], fields: _Fields) -> None:
        self._records = records
        self._flags = flags
        self._fields = fields
        self._there_is_chosen = self._there_is_excluded = False

    def __bool__(self) -> bool:
        """Whether there is a list."""
        return self._there_is_chosen or self._there_is_excluded

    @property
    def chosen(self) -> Pids:
        """Only what these tasks do is recorded; None: what all tasks do."""
        return self._listed(self._fields.chosen) if self._there_is_chosen else None

    @property
    def excluded(self) -> Pids:
        """What these tasks do is never recorded; None: there is no list."""
        return self._listed(self._fields.excluded) if self._there_is_excluded else None

    def _listed(self, flag: np.uint8) -> frozenset[int]:
        return frozenset(np.flatnonzero(self._flags & flag).tolist())

    def choose(self, chosen: Pids, excluded: Pids) -> None:
        """Puts other lists in force, for the tasks that run now, too."""
        self._there_is_chosen, self._there_is_excluded = chosen is not None, excluded is not None
        self._flags &= ~(self._fields.chosen | self._fields.excluded)
        for pids, flag in ((chosen, self._fields.chosen), (excluded, self._fields.excluded)):
            self._flags[[pid for pid in pids or () if pid < array_record.PID_LIMIT]] |= flag
        self._records.array.set(self._fields.only_chosen, int(chosen is not None))
        for cpu in self._records.cpus:
            pid = cpu.get(array_cpu_record.PID)
            ignored = (chosen is not None and pid not in chosen) or (excluded is not None and pid in excluded)
            others = cpu.get(self._fields.ignored) & ~int(array_cpu_record.OF_PID)
            cpu.set(self._fields.ignored, others | (int(array_cpu_record.OF_PID) if ignored else 0))
