# SPDX-License-Identifier: GPL-2.0-only
"""Has native code follow wakeups for a trace array: by events of the scheduler, which need not be recorded for it."""

from __future__ import annotations

from emu.ftrace.array_records import ArrayRecords
from emu.ftrace.event.call import EventCall
from emu.ftrace.event.catalogue import Catalogue
from emu.ftrace.native import array_record, event_file, wakeup_record
from emu.ftrace.native.wakeup import WakeupHandlers
from emu.kernel.kernel import Kernel
from emu.native.record import Record

__all__ = ["Wakeups"]

# What happens to a task: the fields of the event that say to which, with which priority, and on which CPU
_FIELDS = {
    "sched_wakeup": {"pid": wakeup_record.ENTRY_PID, "prio": wakeup_record.ENTRY_PRIO, "target_cpu": wakeup_record.ENTRY_CPU},
    "sched_wakeup_new": {"pid": wakeup_record.ENTRY_PID, "prio": wakeup_record.ENTRY_PRIO, "target_cpu": wakeup_record.ENTRY_CPU},
    "sched_switch": {"next_pid": wakeup_record.ENTRY_PID, "next_prio": wakeup_record.ENTRY_PRIO},
    "sched_migrate_task": {"pid": wakeup_record.ENTRY_PID, "dest_cpu": wakeup_record.ENTRY_CPU},
}


class Wakeups:
    """Follows the wakeups of one trace array's tracer.

    Args:
        kernel: with its image loaded.
        events: those that there are.
        handlers: of the events.
    """

    def __init__(self, kernel: Kernel, events: Catalogue, handlers: WakeupHandlers) -> None:
        self._events = events
        self._record = Record(wakeup_record.WORDS)
        self._record.set(wakeup_record.CURR, kernel.image.symbol("runqueues") + kernel.image.offset("rq.curr"))
        self._record.set(wakeup_record.CPUS, len(kernel.board.cpus))
        self._is_following = False
        self._files = {self._event(name): self._file(name, handler) for name, handler in handlers._asdict().items()}
        self.forget()

    def _event(self, name: str) -> EventCall:
        call = self._events.find("sched", name)
        assert call is not None
        return call

    def _file(self, name: str, handler: int) -> Record:
        """What the tracer wants of an event."""
        file = Record(wakeup_record.FILE_WORDS)
        file.set(event_file.HANDLER, handler)
        file.set(wakeup_record.RECORD, self._record.address)
        for field in self._event(name).fields:
            if (word := _FIELDS[name].get(field.name)) is not None:
                file.set(word, field.offset)
        return file

    def start(self, records: ArrayRecords, prio_limit: int) -> None:
        """Follows wakeups of tasks whose priority is a number below `prio_limit` for the array that has these records."""
        self._record.set(wakeup_record.PRIO_LIMIT, prio_limit)
        for call, file in self._files.items():
            file.set(event_file.CPUS, records.array.get(array_record.CPUS))
            self._events.add_file(call, file)
        self._is_following = True

    def stop(self) -> None:
        """Follows none any more, if it did."""
        if self._is_following:
            for call, file in self._files.items():
                self._events.remove_file(call, file)
        self._is_following = False

    def forget(self) -> None:
        """Who is followed now is so no longer. The array's sections must be closed, too."""
        self._record.set(wakeup_record.PID, wakeup_record.NOBODY)
        self._record.set(wakeup_record.PRIO, wakeup_record.MAX_PRIO)
