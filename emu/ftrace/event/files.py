# SPDX-License-Identifier: GPL-2.0-only
"""The state of events in one trace array: enabled or not, soft mode, filter and triggers."""

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
"""A native function that does everything that an array needs when an event happens."""


class EventTrigger(Protocol):
    """A trigger of an event (`emu.ftrace.trigger`). Its str() is its line in the file `trigger`; "" if it has none."""

    record: Consumer

    @property
    def target(self) -> EventFile | None: ...

    @property
    def needs_entry(self) -> bool: ...

    @property
    def kind(self) -> object: ...

    @property
    def event_handler(self) -> Handler | None:
        """A faster handler for an event with this trigger only; None if there is none."""

    def release(self) -> None: ...


class EventFile:
    """The state of one event in one trace array (Linux: struct trace_event_file). Made by EventFiles.

    An event is *enabled* while its key is on. With soft users it can be enabled without being recorded: native code then
    starts and stops recording it without patching kernel text (Linux: soft mode).

    Attributes:
        call: the event.
        files: the event files of its array.
        record: the record for native code.
        filter: selects the entries to record; None: all.
        triggers: its triggers, in the files' order. Each is a soft user. Only EventFiles changes them.
    """

    def __init__(self, call: EventCall, files: EventFiles, array: TraceArray) -> None:
        self.call = call
        self.files = files
        self.record = trace_records.EventFile.allocate()
        self.record.cpus = array.cpus
        self.filter: EventFilter | None = None
        self.triggers: list[EventTrigger] = []
        self._soft_users = 0
        if call.kind is EventKind.FTRACE and GUEST_ENTRIES.get(call.number) is not call:  # recorded whenever tracing is on
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
        """What its file `enable` shows: 0 or 1, followed by * if native code may change it."""
        soft = self._soft_users or self._has(SOFT_DISABLED)
        return f"{int(self.recorded)}{'*' if soft else ''}"

    def enable(self, *, soft: bool = False) -> None:
        """Records the event. `soft`: only allows native code to record it; `disable(soft=True)` undoes that.

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
        """Stops recording the event. `soft`: undoes one `enable(soft=True)`."""
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
        """The array no longer needs the event."""
        if self.call.source is not None and self.enabled:
            self.call.source.end(self)
        self._set(ENABLED, False)

    def close(self) -> None:
        """The array or the event is gone."""
        for trigger in list(self.triggers):
            self.files.remove_trigger(self.call, trigger)
        self._end()

    @property
    def has_more(self) -> bool:
        """Whether the event has uses other than recording."""
        return bool(self.triggers) or self.filter is not None

    @contextmanager
    def as_if_enabled(self) -> Iterator[None]:
        """Records the event during the body, except in soft mode, when it is enabled anyway."""
        enabled = self.enabled
        self._set(ENABLED, True)
        try:
            yield
        finally:
            self._set(ENABLED, enabled)

    def put_triggers(self, triggers: list[EventTrigger]) -> None:
        """Replaces the triggers."""
        self.triggers = triggers
        self.record.consumers = link([trigger.record for trigger in triggers])
        needed = self.call.kind is EventKind.FTRACE or any(trigger.needs_entry for trigger in triggers)
        self.record.trigger_cond = needed
        self.record.record_first = needed and all(trigger.target is not self for trigger in triggers)


class EventFiles:
    """The event files of one trace array: one for each event that the array has ever used.

    Args:
        records: the array's records.
        catalogue: the existing events.
        handler: returns the handler for events with uses other than recording.
        stack_handler: returns a faster handler for events that are only recorded, each followed by a stack trace.
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
        """The event file of an event; None if the array has never used the event."""
        return self._files.get(call)

    def file(self, call: EventCall) -> EventFile:
        """The event file of an event, created if necessary."""
        if call not in self._files:
            file = EventFile(call, self, self._records.array)
            self._files[call] = file
            self._follow(file)
            self._catalogue.add_file(call, file.record)
        return self._files[call]

    def take_entries(self, kinds: Iterable[EventType], on: bool) -> None:
        """Starts or stops recording the entries of these kinds, which tracers in the guest fill in."""
        self.set([GUEST_ENTRIES[kind] for kind in kinds], on)

    def takes_entries(self, kind: int) -> bool:
        """Whether entries of a kind are recorded."""
        return kind in GUEST_ENTRIES and self.enabled(GUEST_ENTRIES[kind])

    def enabled(self, call: EventCall) -> bool:
        """Whether an event's key is on for this array."""
        file = self._files.get(call)
        return file is not None and file.enabled

    @property
    def keys(self) -> set[int]:
        """The addresses of the static keys (struct static_key) that must be on."""
        return {key for file in self._files.values() if file.enabled for key in file.call.keys}

    def set(self, calls: Iterable[EventCall], on: bool) -> None:
        """Starts or stops recording these events.

        Raises:
            TraceError: an event cannot happen here (the first one, if there are several). All others are recorded.
        """
        if refused := self.try_set(calls, on):
            raise refused[0]

    def try_set(self, calls: Iterable[EventCall], on: bool) -> list[TraceError]:
        """The same. Returns an error for each event that cannot happen here."""
        refused: list[TraceError] = []
        for call in calls:
            if on:
                try:
                    self.file(call).enable()
                except TraceError as error:
                    refused.append(error)
            elif call in self._files:
                self._files[call].disable()
        return refused

    def add_trigger(self, call: EventCall, trigger: EventTrigger, *, last: bool = False) -> None:
        """Adds a trigger to an event: before all others, or after them (`last`).

        Raises:
            TraceError: the event cannot happen; nothing has changed.
        """
        file = self.file(call)
        file.enable(soft=True)
        file.put_triggers([*file.triggers, trigger] if last else [trigger, *file.triggers])
        self._follow(file)

    def remove_trigger(self, call: EventCall, trigger: EventTrigger) -> None:
        """Removes a trigger of an event."""
        file = self._files[call]
        file.put_triggers([other for other in file.triggers if other is not trigger])
        file.disable(soft=True)
        trigger.release()
        self._follow(file)

    def set_filter(self, call: EventCall, wanted: EventFilter | None) -> None:
        """Records only the entries of an event that pass a filter; None: all."""
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
        """Forgets events that are gone, and the triggers that refer to them.

        Returns whether this array may have recorded any of them.
        """
        gone = [call for call in calls if call in self._files]  # in this order: closing a file may request work from the guest
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
        """Updates the handlers of all events."""
        for file in self._files.values():
            self._follow(file)

    def _follow(self, file: EventFile) -> None:
        """Sets the handler of an event, if there is more to do than to record the entries that pass the filter."""
        array, triggers = self._records.array, file.triggers
        with_stack = bool(array.event_stacks)
        alone = not (array.event_user_stacks or array.event_pids or array.print_event)
        handler: Handler | None = None
        if file.call.kind is EventKind.FTRACE:
            pass  # as in Linux, no stack follows a tracer's entry, and no pids select it; the host calls its triggers
        elif alone and not triggers:
            handler = self._stack_handler() if with_stack else None
        elif alone and len(triggers) == 1 and not with_stack:
            handler = triggers[0].event_handler or self._handler()
        else:
            handler = self._handler()
        file.record.handler = handler
