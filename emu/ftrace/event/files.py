# SPDX-License-Identifier: GPL-2.0-only
"""What one trace array wants of the events: which it records, softly or not, and what else happens with them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Protocol

import numpy as np

from emu.ftrace.array_records import ArrayRecords
from emu.ftrace.errors import TraceError
from emu.ftrace.event.call import EventCall, EventKind
from emu.ftrace.event.catalogue import Catalogue
from emu.ftrace.event.filter_program import EventFilter
from emu.ftrace.event.internal import GUEST_ENTRIES
from emu.ftrace.events import EventType
from emu.ftrace.native import array_record, consumer, event_file, trace_records
from emu.native.record import Record

__all__ = ["EventFile", "EventFiles"]

_GRAPH_FILTERS: dict[int, np.uint64] = {
    EventType.FUNCGRAPH_ENTRY: array_record.GRAPH_ENTRY_FILTER,
    EventType.FUNCGRAPH_EXIT: array_record.GRAPH_EXIT_FILTER,
}
# What an array wants of every event that it records, or asks about it
_FOR_EACH = (array_record.EVENT_USER_STACKS, array_record.EVENT_PIDS, array_record.PRINT_EVENT)


class EventTrigger(Protocol):
    """What an event makes happen (`emu.ftrace.trigger`). As text: its line in the file `trigger`; "": it has none."""

    record: Record

    @property
    def target(self) -> EventFile | None: ...

    @property
    def needs_entry(self) -> bool: ...

    @property
    def kind(self) -> object: ...

    @property
    def event_handler(self) -> int:
        """The address of void (*)(cpu, file) that is sooner done, if the event has no other trigger; 0: there is none."""

    def release(self) -> None: ...


class EventFile:
    """What one trace array wants of one event (Linux: struct trace_event_file). Its EventFiles makes it.

    An event is *enabled* while its key is on. While it has soft users, it can be enabled and yet not recorded: then native code
    starts and stops recording it without a change of kernel text (Linux: soft mode).

    Attributes:
        call: the event.
        files: those of its array.
        record: what native code knows of it (`native.event_file`).
        filter: which of its entries are recorded; None: all.
        triggers: what it makes happen, in the order in which files show it. Each is a soft user. EventFiles changes them.
    """

    def __init__(self, call: EventCall, files: EventFiles, cpus: int) -> None:
        self.call = call
        self.files = files
        self.record = trace_records.EventFile.allocate()
        self.record.set(event_file.CPUS, cpus)
        self.filter: EventFilter | None = None
        self.triggers: list[EventTrigger] = []
        self._soft_users = 0
        if call.kind is EventKind.FTRACE and GUEST_ENTRIES.get(call.number) is not call:  # it is recorded whenever tracing is on
            self._set(event_file.ENABLED, True)

    def _has(self, flag: np.uint64) -> bool:
        return bool(self.record.get(event_file.FLAGS) & int(flag))

    def _set(self, flag: np.uint64, on: bool) -> None:
        flags = self.record.get(event_file.FLAGS)
        self.record.set(event_file.FLAGS, flags | int(flag) if on else flags & ~int(flag))

    @property
    def enabled(self) -> bool:
        return self._has(event_file.ENABLED)

    @property
    def recorded(self) -> bool:
        return self.enabled and not self._has(event_file.SOFT_DISABLED)

    @property
    def state(self) -> str:
        """What its file `enable` shows: 0 or 1, and a * if native code may change that."""
        soft = self._soft_users or self._has(event_file.SOFT_DISABLED)
        return f"{int(self.recorded)}{'*' if soft else ''}"

    def enable(self, *, soft: bool = False) -> None:
        """Records the event. `soft`: only makes it possible that native code does; undone by `disable(soft=True)`.

        Raises:
            TraceError: the event cannot happen; nothing has changed.
        """
        if self.call.source is not None and not self.enabled:
            self.call.source.begin(self)
        if soft:
            self._soft_users += 1
            if not self.enabled:
                self._set(event_file.SOFT_DISABLED, True)
        else:
            self._set(event_file.SOFT_DISABLED, False)
        self._set(event_file.ENABLED, True)

    def disable(self, *, soft: bool = False) -> None:
        """Records the event no longer. `soft`: takes back one `enable(soft=True)`."""
        if soft:
            self._soft_users -= 1
            if self._soft_users:
                return
            wanted = self.recorded
        else:
            wanted = self._soft_users > 0
        if not wanted:
            self._end()
        self._set(event_file.SOFT_DISABLED, self._soft_users > 0)

    def _end(self) -> None:
        """The array does not want the event any more."""
        if self.call.source is not None and self.enabled:
            self.call.source.end(self)
        self._set(event_file.ENABLED, False)

    def close(self) -> None:
        """The array is gone, or the event."""
        for trigger in list(self.triggers):
            self.files.remove_trigger(self.call, trigger)
        self._end()

    @property
    def has_more(self) -> bool:
        """Whether more is wanted of the event than that it is recorded."""
        return bool(self.triggers) or self.filter is not None

    @contextmanager
    def as_if_enabled(self) -> Iterator[None]:
        """The event is recorded while the body runs, unless it is in soft mode: it is then enabled in any case."""
        enabled = self.enabled
        self._set(event_file.ENABLED, True)
        try:
            yield
        finally:
            self._set(event_file.ENABLED, enabled)

    def put_triggers(self, triggers: list[EventTrigger]) -> None:
        """Has these triggers from now on."""
        self.triggers = triggers
        addresses = [trigger.record.address for trigger in triggers] + [0]
        for trigger, following in zip(triggers, addresses[1:], strict=True):
            trigger.record.set(consumer.NEXT, following)
        self.record.set(event_file.CONSUMERS, addresses[0])
        needed = self.call.kind is EventKind.FTRACE or any(trigger.needs_entry for trigger in triggers)
        self.record.set(event_file.TRIGGER_COND, int(needed))
        self.record.set(event_file.RECORD_FIRST, int(needed and all(trigger.target is not self for trigger in triggers)))


class EventFiles:
    """The event files of one trace array. There is one for each event of which the array has ever wanted anything.

    Args:
        records: of the array.
        catalogue: the events there are.
        handler: the address of the native function that handles events with more to them than to be recorded.
        stack_handler: the same of one that is sooner done, if no more is wanted than a stack after each.
    """

    def __init__(
        self, records: ArrayRecords, catalogue: Catalogue, handler: Callable[[], int], stack_handler: Callable[[], int]
    ) -> None:
        self._records = records
        self._catalogue = catalogue
        self._handler = handler
        self._stack_handler = stack_handler
        self._files: dict[EventCall, EventFile] = {}

    def __iter__(self) -> Iterator[EventFile]:
        return iter(self._files.values())

    def get(self, call: EventCall) -> EventFile | None:
        """What the array wants of an event; None: it has never wanted anything."""
        return self._files.get(call)

    def file(self, call: EventCall) -> EventFile:
        """The same, made if there is none yet."""
        if call not in self._files:
            file = EventFile(call, self, self._records.array.get(array_record.CPUS))
            self._files[call] = file
            self._follow(file)
            self._catalogue.add_file(call, file.record)
        return self._files[call]

    def take_entries(self, kinds: Iterable[EventType], on: bool) -> None:
        """Records from now on the entries of these kinds that tracers in the guest fill, or no longer."""
        self.set([GUEST_ENTRIES[kind] for kind in kinds], on)

    def takes_entries(self, kind: int) -> bool:
        """Whether it does, of one kind."""
        return kind in GUEST_ENTRIES and self.enabled(GUEST_ENTRIES[kind])

    def enabled(self, call: EventCall) -> bool:
        """Whether an event's key is on for this array."""
        file = self._files.get(call)
        return file is not None and file.enabled

    @property
    def keys(self) -> set[int]:
        """The static keys that must be on: the addresses of their struct static_key."""
        return {key for file in self._files.values() if file.enabled for key in file.call.keys}

    def set(self, calls: Iterable[EventCall], on: bool) -> None:
        """Records these events from now on, or no longer.

        Raises:
            TraceError: an event, of several the first, cannot happen. All others are recorded.
        """
        refused: list[TraceError] = []
        for call in calls:
            if on:
                try:
                    self.file(call).enable()
                except TraceError as error:
                    refused.append(error)
            elif call in self._files:
                self._files[call].disable()
        if refused:
            raise refused[0]

    def add_trigger(self, call: EventCall, trigger: EventTrigger, *, last: bool = False) -> None:
        """Has an event make something happen, too: before all others, or after them (`last`).

        Raises:
            TraceError: the event cannot happen; nothing has changed.
        """
        file = self.file(call)
        file.enable(soft=True)
        file.put_triggers([*file.triggers, trigger] if last else [trigger, *file.triggers])
        self._follow(file)

    def remove_trigger(self, call: EventCall, trigger: EventTrigger) -> None:
        """Takes back a trigger of an event."""
        file = self._files[call]
        file.put_triggers([other for other in file.triggers if other is not trigger])
        file.disable(soft=True)
        trigger.release()
        self._follow(file)

    def set_filter(self, call: EventCall, wanted: EventFilter | None) -> None:
        """Records only those entries of an event that a filter keeps; None: all."""
        file = self.file(call)
        file.filter = wanted
        address = wanted.address if wanted else 0
        file.record.set(event_file.FILTER, address)
        if call.kind is EventKind.FTRACE and call.number in _GRAPH_FILTERS:
            self._records.set(_GRAPH_FILTERS[call.number], address)
        self._follow(file)

    def forget(self, calls: Iterable[EventCall]) -> bool:
        """Follows events that are gone, and with them triggers that have to do with them.

        Returns whether this array may have recorded any of them.
        """
        gone = [call for call in calls if call in self._files]  # in this order: closing a file may ask the guest for work
        for call, file in list(self._files.items()):
            for trigger in file.triggers:
                if call in gone or (trigger.target is not None and trigger.target.call in gone):
                    self.remove_trigger(call, trigger)
        for call in gone:
            self._files.pop(call).close()
        return bool(gone)

    def close(self) -> None:
        """The array is gone."""
        for file in list(self._files.values()):
            file.close()
        for call, file in self._files.items():
            self._catalogue.remove_file(call, file.record)
        self._files.clear()

    def follow(self) -> None:
        """Follows what the array wants of all events."""
        for file in self._files.values():
            self._follow(file)

    def _follow(self, file: EventFile) -> None:
        """Has the handler called for an event, if there is more to do than to record what a filter keeps of it."""
        array, triggers = self._records.array, file.triggers
        with_stack = array.get(array_record.EVENT_STACKS) != 0
        alone = not any(map(array.get, _FOR_EACH))
        address = 0
        if file.call.kind is EventKind.FTRACE:
            pass  # as in Linux, no stack follows a tracer's entry, and no pids choose it; triggers are the host's to call
        elif alone and not triggers:
            address = self._stack_handler() if with_stack else 0
        elif alone and len(triggers) == 1 and not with_stack:
            address = triggers[0].event_handler or self._handler()
        else:
            address = self._handler()
        file.record.set(event_file.HANDLER, address)
