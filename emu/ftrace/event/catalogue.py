# SPDX-License-Identifier: GPL-2.0-only
"""All existing events, by number and by name."""

from __future__ import annotations

import errno
import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from emu.cpu.native import cpu_records
from emu.ftrace.arrays.array_records import RecordLists
from emu.ftrace.errors import TraceError
from emu.ftrace.event.call import EventCall, EventKind, Field
from emu.ftrace.event.internal import BLK, GUEST_ENTRIES, INTERNAL_EVENTS
from emu.ftrace.event.source import EventSource
from emu.ftrace.linux_events import LINUX_EVENTS
from emu.ftrace.native.trace_records import Event, EventField, EventFile, Stages
from emu.ftrace.native.trace_values import EVENT_LIMIT, NO_OFFSET, STAGE_SIZE, STAGES  # fmt: skip
from emu.native.records import HOST, Records, Values

__all__ = ["PROBE_DEPTH", "Catalogue"]

_FIRST_NUMBER = 20  # Linux's __TRACE_LAST_TYPE: events of the system `ftrace` have fixed numbers below
_STAGE_SIZE = 8192  # bytes, more than any entry has
PROBE_DEPTH = 1  # Linux's probes of system calls and of blktrace do not subtract their own disabling of preemption
# Events that set_event_pid also selects by tasks other than the running one, and the fields with those tasks' pids
_PIDS: dict[str, Sequence[str]] = {"sched:sched_switch": ("prev_pid", "next_pid")}
_PIDS |= {f"sched:{name}": ("pid",) for name in ("sched_waking", "sched_wakeup", "sched_wakeup_new")}


class Catalogue(Mapping[int, EventCall]):
    """The events by number; reads like a dict.

    An event's number is its index in the ring buffers. It is reused only when all other numbers have been used.

    Args:
        records: the records of all trace arrays, through which native code finds the events.
        put_made: returns the native function that delivers host-made events to the arrays (`native.made_event`).
        swapped: whether numbers in the guest's entries have a byte order that is not the host's.
        internal: the events of the system `ftrace`.

    Attributes:
        lacking: of the events that Linux has, by system, those of which a user must be told that this machine lacks them.
    """

    lacking: Mapping[str, frozenset[str]] = LINUX_EVENTS

    def __init__(
        self,
        records: RecordLists,
        put_made: Callable[[], Callable[[cpu_records.Cpu, Stages], None]],
        *,
        swapped: bool = False,
        internal: Sequence[EventCall] = INTERNAL_EVENTS,
    ) -> None:
        self._next_number = _FIRST_NUMBER
        self._calls: dict[int, EventCall] = {}
        self._named: dict[str, dict[str, EventCall]] = {}
        self._recorded: dict[int, Callable[[], _NativeEvent]] = {}  # by the guest, or made by native code
        self._native: dict[int, _NativeEvent] = {}  # those of them that somebody has needed
        self._files: dict[EventCall, list[EventFile]] = {}
        self._table = np.zeros(EVENT_LIMIT, np.uint64)
        self._stage = np.zeros(_STAGE_SIZE, np.uint8)
        self._stages = Stages.allocate()
        self._staged = np.zeros(STAGES * STAGE_SIZE, np.uint8)
        self._stages.memory = self._staged.ctypes.data
        self._put_made = put_made
        for array in records.arrays:
            array.events = Values[Event | None](self._table.ctypes.data)
            array.stage = self._stage.ctypes.data
            array.stages = self._stages
        for call in internal:
            self.put(call)
        for call in GUEST_ENTRIES.values():
            of_blk = call is BLK
            depth = PROBE_DEPTH if of_blk else 0
            self._record_by(call, swapped=swapped, depth=depth, irqs_off=of_blk)

    def _put_recorded(self, call: EventCall, *, swapped: bool = False, depth: int = 0) -> None:
        """Adds an event whose entries native code records."""
        self._record_by(call, swapped=swapped, depth=depth)
        self.put(call)

    def _record_by(self, call: EventCall, **options: Any) -> None:
        """Native code gets the event's data when somebody needs it: most of 500 events are never turned on."""
        self._recorded[call.number] = functools.partial(_NativeEvent, call, **options)

    # Looking up

    def __getitem__(self, number: int) -> EventCall:
        return self._calls[number]

    def __iter__(self) -> Iterator[int]:
        return iter(self._calls)

    def __len__(self) -> int:
        return len(self._calls)

    def systems(self) -> list[str]:
        """The names of the systems, sorted."""
        return sorted(self._named)

    def named(self, system: str) -> Mapping[str, EventCall]:
        """A system's events, by name."""
        return self._named.get(system, {})

    def of_system(self, system: str) -> Sequence[EventCall]:
        """A system's events, sorted by name."""
        return [call for _, call in sorted(self.named(system).items())]

    def find(self, system: str, name: str) -> EventCall | None:
        return self.named(system).get(name)

    def syscall_name(self, number: int) -> str | None:
        """The name of a system call's function, such as sys_close; None if the kernel has no call with that number."""
        return None

    def record(self, call: EventCall) -> Event | None:
        """Native code's record of an event; None if the host records the event."""
        native = self._native.get(call.number)
        if native is None:
            make = self._recorded.get(call.number)
            if make is None:
                return None
            native = self._native[call.number] = make()
            self._table[call.number] = native.record.address
        return native.record

    def record_address(self, call: EventCall) -> int:
        """The address of that record, for code that does not access its fields; 0 if the host records the event."""
        record = self.record(call)
        return record.address if record else 0

    # Adding and removing

    def put(self, call: EventCall) -> None:
        """Adds an event that has a number already."""
        self._calls[call.number] = call
        self._named.setdefault(call.system, {})[call.name] = call

    def remove(self, module: str) -> list[EventCall]:
        """Removes the events of a module that is gone, and returns them."""
        gone = [call for call in self._calls.values() if call.module == module]
        for call in gone:
            self._forget(call)
        return gone

    def _forget(self, call: EventCall) -> None:
        del self._calls[call.number], self._named[call.system][call.name], self._recorded[call.number]
        self._native.pop(call.number, None)
        self._files.pop(call, None)
        self._table[call.number] = 0
        if not self._named[call.system]:
            del self._named[call.system]

    # Events that are defined at run time

    def define(
        self,
        system: str,
        name: str,
        fields: Sequence[Field],
        print_fmt: str,
        size: int,
        kind: EventKind,
        source: EventSource,
        depth: int = 0,
        at_once: bool = True,
    ) -> EventCall:
        """Adds an event whose entries are made by native code. `record` then returns the argument for `native.stages.put`.

        Args:
            system, name: the event's name.
            fields: those after the common ones.
            print_fmt: as `format` shows it.
            size: bytes of an entry's fixed part, without the data of dynamic fields.
            kind: how it is printed.
            source: the source of its entries.
            depth: added to the preemption depth in entries.
            at_once: whether the event can happen from now on. If not, `use_made_events` must be called first.

        Raises:
            TraceError: EEXIST; ENODEV if no number is left.
        """
        if self.find(system, name) is not None:
            raise TraceError(errno.EEXIST, f"there is an event {system}:{name} already")
        number = self._free_number()
        if number is None:
            raise TraceError(errno.ENODEV, f"no number is left for the event {system}:{name}")
        call = EventCall(system, name, number, fields, print_fmt, size, kind, source=source)
        self._put_recorded(call, depth=depth)
        if at_once:
            self.use_made_events()
        return call

    def use_made_events(self) -> None:
        """Must be called before native code makes an event. Compiles the code for this."""
        self._stages.put = self._put_made()

    def drop(self, call: EventCall) -> None:
        """Removes a defined event. Afterwards the arrays must forget it."""
        self._forget(call)

    # The event files of trace arrays

    def add_file(self, call: EventCall, file: EventFile) -> None:
        """Adds an event file for native code to check whenever the event happens."""
        self._files.setdefault(call, []).append(file)
        self._chain(call)

    def remove_file(self, call: EventCall, file: EventFile) -> None:
        self._files[call].remove(file)
        self._chain(call)

    def _chain(self, call: EventCall) -> None:
        if call.kind is EventKind.FTRACE and GUEST_ENTRIES.get(call.number) is not call:
            return  # the guest does not make such entries
        if record := self.record(call):
            files: list[EventFile | None] = [*self._files[call], None]
            record.files = files[0]
            for file, following in zip(self._files[call], files[1:], strict=True):
                file.next = following

    def _free_number(self) -> int | None:
        number = self._next_number
        if number < EVENT_LIMIT:
            self._next_number += 1
            return number
        return next((number for number in range(_FIRST_NUMBER, EVENT_LIMIT) if number not in self._calls), None)


class _NativeEvent:
    """An event for native code.

    Args:
        call: the event.
        swapped: whether numbers in entries have the guest's byte order, which is not the host's.
        depth: added to the preemption depth in entries.
        irqs_off: entries always show interrupts as off, because Linux's probe does not check.
    """

    def __init__(self, call: EventCall, *, swapped: bool = False, depth: int = 0, irqs_off: bool = False) -> None:
        self.record = Event.allocate()
        self.record.number, self.record.size = call.number, call.size
        self.record.depth, self.record.irqs_off = depth, irqs_off
        offsets = {field.name: field.offset for field in call.fields}
        pids = [offsets[name] for name in _PIDS.get(call.path, ())]
        self.record.first_pid, self.record.second_pid = (*pids, 0, 0)[:2]
        numbers = [field for field in call.fields if field.size and field.number_size > 1 and not field.is_dynamic]
        dynamic = [field for field in call.fields if field.is_dynamic or not field.size]
        self._swaps, self._dynamic = _Fields(numbers if swapped else []), _Fields(dynamic)
        self.record.swaps, self.record.swap_count = self._swaps.records, self._swaps.count
        self.record.dynamic, self.record.dynamic_count = self._dynamic.records, self._dynamic.count


class _Fields:
    """Some fields of an event for native code."""

    def __init__(self, fields: Sequence[Field]) -> None:
        self.count = len(fields)
        self._memory = np.zeros(self.count * HOST.size(EventField), np.uint8)
        self.records = Records[EventField](self._memory.ctypes.data)
        for n, field in enumerate(fields):
            record = self.records[n]
            record.offset = field.offset if field.size else NO_OFFSET
            record.element, record.count = field.number_size, field.size // field.number_size
            record.relative = bool(field.data_base)
