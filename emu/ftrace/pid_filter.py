# SPDX-License-Identifier: GPL-2.0-only
"""The tasks whose functions one trace array records: set_ftrace_pid and set_ftrace_notrace_pid."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from emu.ftrace.array_records import ArrayRecords
from emu.ftrace.native import array_cpu_record, array_record

__all__ = ["PidFilter", "Pids"]

Pids: TypeAlias = frozenset[int] | None  # None: there is no list


class PidFilter:
    """The two lists, as flags of each pid: with the option function-fork native code changes them as tasks come and go.

    Args:
        records: the records of the array.
    """

    def __init__(self, records: ArrayRecords) -> None:
        self._records = records
        self._flags = np.zeros(array_record.PID_LIMIT, np.uint8)
        self._there_is_chosen = self._there_is_excluded = False
        records.array.set(array_record.PID_FLAGS, self._flags.ctypes.data)

    @property
    def chosen(self) -> Pids:
        """Only the functions of these tasks are traced; None: those of all tasks."""
        return self._listed(array_record.PID_CHOSEN) if self._there_is_chosen else None

    @property
    def excluded(self) -> Pids:
        """Functions of these tasks are never traced; None: there is no list."""
        return self._listed(array_record.PID_EXCLUDED) if self._there_is_excluded else None

    def _listed(self, flag: np.uint8) -> frozenset[int]:
        return frozenset(np.flatnonzero(self._flags & flag).tolist())

    def choose(self, chosen: Pids, excluded: Pids) -> None:
        """Puts other lists in force, for the tasks that run now, too."""
        self._there_is_chosen, self._there_is_excluded = chosen is not None, excluded is not None
        self._flags[:] = 0
        for pids, flag in ((chosen, array_record.PID_CHOSEN), (excluded, array_record.PID_EXCLUDED)):
            self._flags[[pid for pid in pids or () if pid < array_record.PID_LIMIT]] |= flag
        self._records.array.set(array_record.ONLY_CHOSEN, int(chosen is not None))
        for cpu in self._records.cpus:
            pid = cpu.get(array_cpu_record.PID)
            ignored = (chosen is not None and pid not in chosen) or (excluded is not None and pid in excluded)
            cpu.set(array_cpu_record.IGNORED, int(ignored))
