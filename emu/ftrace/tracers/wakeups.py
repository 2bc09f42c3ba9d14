# SPDX-License-Identifier: GPL-2.0-only
"""Follows wakeups for a trace array."""

from __future__ import annotations

from abc import ABC, abstractmethod

from emu.ftrace.arrays.array_records import ArrayRecords
from emu.ftrace.native.wakeup_record import MAX_PRIO, NOBODY, Wakeup

__all__ = ["Wakeups"]


class Wakeups(ABC):
    """Follows the wakeups of one trace array's tracer.

    Args:
        cpus: the number of CPUs.
    """

    def __init__(self, cpus: int) -> None:
        self._record = Wakeup.allocate()
        self._record.cpus = cpus
        self._is_following = False
        self.forget()

    def start(self, records: ArrayRecords, prio_limit: int) -> None:
        """Follows wakeups for the array with these records, of tasks whose priority is a number below `prio_limit`."""
        self._record.prio_limit = prio_limit
        self._is_following = True
        self._listen(records)

    def stop(self) -> None:
        """Stops following wakeups, if it does."""
        if self._is_following:
            self._is_following = False
            self._listen(None)

    def forget(self) -> None:
        """Forgets the task that is being followed. The array's sections must be closed too."""
        self._record.pid = NOBODY
        self._record.prio = MAX_PRIO

    @abstractmethod
    def _listen(self, records: ArrayRecords | None) -> None:
        """From now on, native code follows wakeups for the array with these records; None: for none."""
