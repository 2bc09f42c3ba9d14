# SPDX-License-Identifier: GPL-2.0-only
"""Follows wakeups by means of scheduler events of emu's own kernel, which the array need not record."""

from __future__ import annotations

from collections.abc import Callable

from emu.cpu.native.cpu_records import Cpu
from emu.ftrace.arrays.array_records import ArrayRecords
from emu.ftrace.event.call import EventCall
from emu.ftrace.event.catalogue import Catalogue
from emu.ftrace.native.trace_records import ArrayCpu, EventFile
from emu.ftrace.native.wakeup_events import WakeupFile, WakeupHandlers
from emu.ftrace.tracers.wakeups import Wakeups
from emu.native.records import Values

__all__ = ["EventWakeups"]

# For each event: the fields with the task, its priority and its CPU
_FIELDS = {
    "sched_wakeup": ("pid", "prio", "target_cpu"),
    "sched_wakeup_new": ("pid", "prio", "target_cpu"),
    "sched_switch": ("next_pid", "next_prio", None),
    "sched_migrate_task": ("pid", None, "dest_cpu"),
}


class EventWakeups(Wakeups):
    """Follows the wakeups of one trace array's tracer.

    Args:
        running_task: where a CPU's run queue has the running task, relative to the CPU's per-CPU area.
        cpus: the number of CPUs.
        events: the existing events.
        handlers: the events' native handlers.
    """

    def __init__(self, running_task: int, cpus: int, events: Catalogue, handlers: WakeupHandlers) -> None:
        super().__init__(cpus)
        self._events = events
        self._record.curr = running_task
        self._files = {self._event(name): self._file(name, handler) for name, handler in handlers._asdict().items()}

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

    def _listen(self, records: ArrayRecords | None) -> None:
        for call, file in self._files.items():
            if records is None:
                self._events.remove_file(call, file)
            else:
                file.cpus = Values[ArrayCpu](records.array.cpus.address)
                self._events.add_file(call, file)
