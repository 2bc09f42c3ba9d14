# SPDX-License-Identifier: GPL-2.0-only
"""Follows wakeups for a trace array, by means of scheduler events, which the array need not record."""

from __future__ import annotations

from collections.abc import Callable

from emu.cpu.native.cpu_records import Cpu
from emu.ftrace.arrays.array_records import ArrayRecords
from emu.ftrace.event.call import EventCall
from emu.ftrace.event.catalogue import Catalogue
from emu.ftrace.native.trace_records import ArrayCpu, EventFile
from emu.ftrace.native.wakeup import WakeupHandlers
from emu.ftrace.native.wakeup_record import MAX_PRIO, NOBODY, Wakeup, WakeupFile
from emu.native.records import Values

__all__ = ["Wakeups"]

# For each event: the fields with the task, its priority and its CPU
_FIELDS = {
    "sched_wakeup": ("pid", "prio", "target_cpu"),
    "sched_wakeup_new": ("pid", "prio", "target_cpu"),
    "sched_switch": ("next_pid", "next_prio", None),
    "sched_migrate_task": ("pid", None, "dest_cpu"),
}


class Wakeups:
    """Follows the wakeups of one trace array's tracer.

    Args:
        running_task: where a CPU's run queue has the running task, relative to the CPU's per-CPU area.
        cpus: the number of CPUs.
        events: the existing events.
        handlers: the events' native handlers.
    """

    def __init__(self, running_task: int, cpus: int, events: Catalogue, handlers: WakeupHandlers) -> None:
        self._events = events
        self._record = Wakeup.allocate()
        self._record.curr = running_task
        self._record.cpus = cpus
        self._is_following = False
        self._files = {self._event(name): self._file(name, handler) for name, handler in handlers._asdict().items()}
        self.forget()

    def _event(self, name: str) -> EventCall:
        call = self._events.find("sched", name)
        assert call is not None
        return call

    def _file(self, name: str, handler: Callable[[Cpu, EventFile], None]) -> WakeupFile:
        """The tracer's hook on an event."""
        file = WakeupFile.allocate()
        file.handler = handler
        file.followed = self._record
        offsets = {field.name: field.offset for field in self._event(name).fields}
        file.entry_pid, file.entry_prio, file.entry_cpu = (offsets[field] if field else 0 for field in _FIELDS[name])
        return file

    def start(self, records: ArrayRecords, prio_limit: int) -> None:
        """Follows wakeups for the array with these records, of tasks whose priority is a number below `prio_limit`."""
        self._record.prio_limit = prio_limit
        for call, file in self._files.items():
            file.cpus = Values[ArrayCpu](records.array.cpus.address)
            self._events.add_file(call, file)
        self._is_following = True

    def stop(self) -> None:
        """Stops following wakeups, if it does."""
        if self._is_following:
            for call, file in self._files.items():
                self._events.remove_file(call, file)
        self._is_following = False

    def forget(self) -> None:
        """Forgets the task that is being followed. The array's sections must be closed too."""
        self._record.pid = NOBODY
        self._record.prio = MAX_PRIO
