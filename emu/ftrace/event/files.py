# SPDX-License-Identifier: GPL-2.0-only
"""What one trace array wants of the events: which it records, softly or not, and what else happens with them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Protocol

from emu.cpu.native import cpu_records
from emu.ftrace.arrays.array_records import ArrayRecords
from emu.ftrace.buffers.entries import EventType
from emu.ftrace.errors import TraceError
from emu.ftrace.event.call import EventCall, EventKind
from emu.ftrace.event.catalogue import Catalogue
from emu.ftrace.event.filter_program import EventFilter
from emu.ftrace.event.internal import GUEST_ENTRIES
from emu.ftrace.native import trace_records
from emu.ftrace.native.trace_records import Consumer, TraceArray, link
from emu.ftrace.native.trace_values import ENABLED, SOFT_DISABLED
from emu.native.records import u64

__all__ = ["EventFile", "EventFiles", "Handler"]

Handler = Callable[[cpu_records.Cpu, trace_records.EventFile], None]
"""A native function that does all that an array wants of an event."""


class EventTrigger(Protocol):
    """What an event makes happen (`emu.ftrace.trigger`). As text: its line in the file `trigger`; "": it has none."""

    record: Consumer

    @property
    def target(self) -> EventFile | None: ...

    @property
    def needs_entry(self) -> bool: ...

    @property
    def kind(self) -> object: ...

    @property
    def event_handler(self) -> Handler | None:
        """What is sooner done, if the event has no other trigger; None: nothing is."""

    def release(self) -> None: ...


class EventFile:
    """What one trace array wants of one event (Linux: struct trace_event_file). Its EventFiles makes it.

    An event is *enabled* while its key is on. While it has soft users, it can be enabled and yet not recorded: then native code
    starts and stops recording it without a change of kernel text (Linux: soft mode).

    Attributes:
        call: the event.
        files: those of its array.
        record: what native code knows of it.
        filter: which of its entries are recorded; None: all.
        triggers: what it makes happen, in the order in which files show it. Each is a soft user. EventFiles changes them.
    """

    def __init__(self, call: EventCall, files: EventFiles, array: TraceArray) -> None:
        self.call = call
        self.files = files
        self.record = trace_records.EventFile.allocate()
        self.record.cpus = array.cpus
        self.filter: EventFilter | None = None
        self.triggers: list[EventTrigger] = []
        self._soft_users = 0
        if call.kind is EventKind.FTRACE and GUEST_ENTRIES.get(call.number) is not call:  # it is recorded whenever tracing is on
            self._set(ENABLED, True)

    def _has(self, flag: u64) -> bool:
        return bool(self.record.flags & flag)

    def _set(self, flag: u64, on: bool) -> None:
        self.record.flags = self.record.flags | flag if on else self.record.flags & ~flag

    @property
    def enabled(self) -> bool:
        return self._has(ENABLED)

    @property
    def recorded(self) -> bool:
        return self.enabled and not self._has(SOFT_DISABLED)

    @property
    def state(self) -> str:
        """What its file `enable` shows: 0 or 1, and a * if native code may change that."""
        soft = self._soft_users or self._has(SOFT_DISABLED)
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
                self._set(SOFT_DISABLED, True)
        else:
            self._set(SOFT_DISABLED, False)
        self._set(ENABLED, True)

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
        self._set(SOFT_DISABLED, self._soft_users > 0)

    def _end(self) -> None:
        """The array does not want the event any more."""
        if self.call.source is not None and self.enabled:
            self.call.source.end(self)
        self._set(ENABLED, False)

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
        self._set(ENABLED, True)
        try:
            yield
        finally:
            self._set(ENABLED, enabled)

    def put_triggers(self, triggers: list[EventTrigger]) -> None:
        """Has these triggers from now on."""
        self.triggers = triggers
        self.record.consumers = link([trigger.record for trigger in triggers])
        needed = self.call.kind is EventKind.FTRACE or any(trigger.needs_entry for trigger in triggers)
        self.record.trigger_cond = needed
        self.record.record_first = needed and all(trigger.target is not self for trigger in triggers)


class EventFiles:
    """The event files of one trace array. There is one for each event of which the array has ever wanted anything.

    Args:
        records: of the array.
        catalogue: the events there are.
        handler: gives what handles events with more to them than to be recorded.
        stack_handler: gives what is sooner done, if no more is wanted than a stack after each.
    """

    def __init__(
        self, records: ArrayRecords, catalogue: Catalogue, handler: Callable[[], Handler], stack_handler: Callable[[], Handler]
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
            file = EventFile(call, self, self._records.array)
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
        first_step = wanted.first_step if wanted else None
        file.record.filter = first_step
        if call.kind is EventKind.FTRACE:
            if call.number == EventType.FUNCGRAPH_ENTRY:
                self._records.array.graph_entry_filter = first_step
            elif call.number == EventType.FUNCGRAPH_EXIT:
                self._records.array.graph_exit_filter = first_step
            self._records.changed()
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
        with_stack = bool(array.event_stacks)
        alone = not (array.event_user_stacks or array.event_pids or array.print_event)
        handler: Handler | None = None
        if file.call.kind is EventKind.FTRACE:
            pass  # as in Linux, no stack follows a tracer's entry, and no pids choose it; triggers are the host's to call
        elif alone and not triggers:
            handler = self._stack_handler() if with_stack else None
        elif alone and len(triggers) == 1 and not with_stack:
            handler = triggers[0].event_handler or self._handler()
        else:
            handler = self._handler()
        file.record.handler = handler
