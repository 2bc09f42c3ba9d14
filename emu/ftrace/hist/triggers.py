# SPDX-License-Identifier: GPL-2.0-only
"""Hist triggers of events."""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Protocol

from emu.cpu.native.cpu_records import Cpu
from emu.ftrace.arrays.array_records import ArrayRecords
from emu.ftrace.buffers.clocks import Clocks
from emu.ftrace.dynevent.dyn_event import DynamicEvents
from emu.ftrace.dynevent.synthetic import SYSTEM as SYNTHETIC
from emu.ftrace.dynevent.synthetic import SyntheticEvent
from emu.ftrace.errors import ErrorReport, TraceError
from emu.ftrace.event.call import EventCall, EventKind
from emu.ftrace.event.catalogue import Catalogue
from emu.ftrace.event.files import EventFile, EventFiles
from emu.ftrace.event.filter_program import EventFilter
from emu.ftrace.hist.action_fields import find_actions
from emu.ftrace.hist.debug_text import hist_debug_text
from emu.ftrace.hist.definition import HistDefinition
from emu.ftrace.hist.map import HistMap, HistMemory
from emu.ftrace.hist.parse import HistCommand, parse_hist
from emu.ftrace.hist.text import HistNames, hist_text
from emu.ftrace.hist.variables import HistVariable, HistVariables
from emu.ftrace.native import hist_actions, hist_record, trace_records
from emu.ftrace.native.trace_records import Consumer, TraceArray
from emu.native.functions import Compiled
from emu.native.records import Values, u64

if TYPE_CHECKING:
    from emu.ftrace.native.hist import HistHandlers

__all__ = ["HistTrigger", "HistTriggers", "Histogram", "Histograms"]

_NAMED_MISMATCH = "Named hist trigger doesn't match existing named trigger (includes variables)"
_EXISTS = "Hist trigger already exists"
_NOT_THERE = "Can't clear or continue a nonexistent hist trigger"
_CLOCK = "Couldn't set trace_clock"


class Histogram:
    """A table with its definition, for one trigger, or for all triggers with its name.

    Args:
        number: identifies it in hist_debug.
        definition: the first trigger's definition.
        table: the table, empty.
    """

    def __init__(self, number: int, definition: HistDefinition, table: HistMap) -> None:
        self.number = number
        self.definition = definition
        self.table = table
        self.triggers = 0  # the number of triggers that count in it

    @property
    def record(self) -> hist_record.Histogram:
        """Native code's record of the table."""
        return self.table.record


class Histograms:
    """State that the histograms of all trace arrays share.

    Args:
        memory: the limit in bytes for all tables together.
        names: names for numbers.
        handlers: the native handlers of histogram programs, compiled when they are first used.
        key_stack: the native function that stores stack traces as keys, compiled likewise.
    """

    def __init__(
        self,
        memory: int,
        names: HistNames,
        handlers: Callable[[], HistHandlers],
        key_stack: Callable[[], Compiled[[Cpu, Values[u64]], None]],
    ) -> None:
        self._memory = HistMemory(memory)
        self._key_stack = key_stack
        self._named: dict[str, Histogram] = {}
        self._made = 0
        self.names = names
        self.handlers = handlers

    def named(self, name: str) -> Histogram | None:
        return self._named.get(name)

    def make(self, definition: HistDefinition, array: TraceArray, *, clock_is_ns: bool) -> Histogram:
        """Makes a histogram without triggers. Its name is known from now on. `array`: its array.

        Raises:
            TraceError: ENOMEM.
        """
        layout = definition.layout()
        table = HistMap(self._memory, definition.size, layout)
        program = definition.program(clock_is_ns=clock_is_ns)
        if definition.command.actions:
            definition.actions.compile(program, layout, table, array, hist_actions.build())
        table.run(program)
        if definition.has_stack:
            table.record.stack = self._key_stack()
        self._made += 1
        made = Histogram(self._made, definition, table)
        if definition.command.name:
            self._named[definition.command.name] = made
        return made

    def release(self, one: Histogram) -> None:
        """A trigger no longer counts in it, or failed to be set. The histogram goes with its last trigger."""
        if not one.triggers:
            self._named.pop(one.definition.command.name, None)
            one.definition.actions.release()
            one.table.release()


class HistTrigger:
    """A hist trigger of an event. It keeps the event in soft mode.

    Args:
        histograms: the histograms of all trace arrays.
        definition: the trigger's definition.
        histogram: the histogram that it counts in; if named, perhaps another trigger's.
        array: its array.
        condition: selects the entries that it counts; None: all.

    Attributes:
        record: native code's record of the trigger (`trace_records.Consumer`).
    """

    target: EventFile | None = None
    needs_entry = True

    def __init__(
        self,
        histograms: Histograms,
        definition: HistDefinition,
        histogram: Histogram,
        array: TraceArray,
        condition: EventFilter | None,
    ) -> None:
        self.definition = definition
        self.histogram = histogram
        self.condition = condition
        self._histograms = histograms
        histogram.triggers += 1
        self.record = Consumer.allocate()
        self.record.handler, self.record.array = histograms.handlers().hist, array
        self.record.target = histogram.record.address
        self.record.filter = condition.first_step if condition else None

    @property
    def kind(self) -> object:
        """Unique to each trigger: an event may have many different ones."""
        return self

    @property
    def event_handler(self) -> Compiled[[Cpu, trace_records.EventFile], None] | None:
        return None if self.condition or self.definition.command.actions else self._histograms.handlers().event_with_hist

    @property
    def paused(self) -> bool:
        return self.record.paused

    def pause(self, paused: bool) -> None:
        """Pauses or resumes counting."""
        self.record.paused = paused

    def is_same(self, definition: HistDefinition, condition: str | None) -> bool:
        """Whether another trigger of the event would count the same in the same table."""
        own = self.condition.text if self.condition else None
        same_name = self.definition.command.name == definition.command.name
        return same_name and own == condition and self.definition.is_same(definition)

    def __str__(self) -> str:
        condition = f" if {self.condition.text}" if self.condition else ""
        return f"hist:{self.definition}{condition} [{'paused' if self.paused else 'active'}]"

    def text(self) -> Iterator[str]:
        """The text of the table."""
        return hist_text(str(self), self.histogram.definition, self.histogram.table, self._histograms.names)

    def debug_text(self) -> Iterator[str]:
        """The text of its internals."""
        return hist_debug_text(str(self), self.histogram.number, self.histogram.definition)

    def release(self) -> None:
        """Stops the trigger."""
        self.pause(True)
        self.histogram.triggers -= 1
        self._histograms.release(self.histogram)


class HistGlobals(Protocol):
    """The shared state of trace arrays that hist triggers need (`emu.ftrace.arrays.trace_globals`)."""

    events: Catalogue
    dynamic_events: DynamicEvents
    clocks: Clocks

    @property
    def hists(self) -> Histograms: ...

    def condition(self, call: EventCall, text: str) -> EventFilter: ...


class HistTriggers:
    """The hist triggers of one trace array.

    Args:
        records: the array's records.
        files: the array's event files.
        trace_globals: what the trace arrays share.
        set_clock: sets the array's trace clock.
        reserve_snapshot: reserves the snapshot for an action, until the returned function is called. Raises TraceError: EBUSY,
            ENOMEM.
        tell: adds a report to the array's error_log, whether a trigger fails or not.
    """

    def __init__(
        self,
        records: ArrayRecords,
        files: EventFiles,
        trace_globals: HistGlobals,
        set_clock: Callable[[str], None],
        reserve_snapshot: Callable[[], Callable[[], None]],
        tell: Callable[[ErrorReport], None],
    ) -> None:
        self._array = records.array
        self._files = files
        self._globals = trace_globals
        self._histograms = trace_globals.hists
        self._set_clock = set_clock
        self.reserve_snapshot = reserve_snapshot
        self.tell = tell
        self._variables = HistVariables(self._all)

    def _all(self) -> Iterator[HistTrigger]:
        """The hist triggers of all events."""
        for file in self._files:
            yield from self.of(file.call)

    def of(self, call: EventCall) -> list[HistTrigger]:
        """The hist triggers of an event, oldest first."""
        file = self._files.get(call)
        return [trigger for trigger in file.triggers if isinstance(trigger, HistTrigger)] if file else []

    def text(self, call: EventCall) -> Iterator[str]:
        """The text of an event's file `hist`."""
        for number, trigger in enumerate(self.of(call)):
            if number:
                yield "\n\n"
            yield from trigger.text()

    def debug_text(self, call: EventCall) -> Iterator[str]:
        """The text of an event's file `hist_debug`."""
        for number, trigger in enumerate(self.of(call)):
            if number:
                yield "\n\n"
            yield from trigger.debug_text()

    def obey(self, call: EventCall, text: str, *, removes: bool) -> None:
        """Sets, changes or removes a hist trigger of an event. Removing a trigger that does not exist changes nothing.

        Args:
            call: the event.
            text: the text after `hist:`.
            removes: whether to remove it.

        Raises:
            TraceError: EINVAL, EDOM, with the report for error_log; EEXIST; ENOENT; ENOMEM; EBUSY if other triggers need its
                variables or have reserved the snapshot.
        """
        command = parse_hist(call.path, text)
        definition = HistDefinition(call, command, self._variables, removes=removes)
        condition = self._globals.condition(call, command.condition) if command.condition is not None else None
        there = next((one for one in self.of(call) if one.is_same(definition, command.condition)), None)
        if removes:
            if there is not None:
                if self._variables.need(there.histogram):
                    raise TraceError(errno.EBUSY, f"other triggers refer to variables of '{there}'")
                self._files.remove_trigger(call, there)
        elif there is None:
            self._add(call, command, definition, condition)
        elif command.pause or command.resume:
            there.pause(command.pause)
        elif command.clear:
            there.histogram.table.clear()
        else:
            raise command.source.error(_EXISTS, code=errno.EEXIST)

    def remove_all(self, call: EventCall) -> bool:
        """Removes an event's hist triggers, but none if others refer to their variables. Returns whether any were removed."""
        there = self.of(call)
        if any(self._variables.need(one.histogram) for one in there):
            return False
        for one in there:
            self._files.remove_trigger(call, one)
        return bool(there)

    def _add(self, call: EventCall, command: HistCommand, definition: HistDefinition, condition: EventFilter | None) -> None:
        source = command.source
        histogram = self._histograms.named(command.name)
        if histogram is not None and not definition.fits(histogram.definition):
            raise source.error(_NAMED_MISMATCH, f"name={command.name}")
        if command.resume or command.clear:
            raise source.error(_NOT_THERE, code=errno.ENOENT)
        clock = self._globals.clocks.named(command.clock)
        if definition.uses_time and clock is None:
            raise source.error(_CLOCK, command.clock)
        if histogram is None:
            histogram = self._make(definition, clock_is_ns=clock is not None and clock.is_ns)
        trigger = HistTrigger(self._histograms, definition, histogram, self._array, condition)
        trigger.pause(command.pause)
        try:
            self._files.add_trigger(call, trigger, last=True)
        except TraceError:
            trigger.release()
            raise
        if definition.uses_time:
            self._set_clock(command.clock)

    def _make(self, definition: HistDefinition, *, clock_is_ns: bool) -> Histogram:
        """Raises TraceError; nothing has changed."""
        definition.actions = find_actions(definition, self)
        try:
            return self._histograms.make(definition, self._array, clock_is_ns=clock_is_ns)
        except TraceError:
            definition.actions.release()
            raise

    # The interface for actions (action_fields.Surroundings)

    def synthetic_event(self, name: str) -> SyntheticEvent | None:
        call = self._globals.events.find(SYNTHETIC, name)
        event = self._globals.dynamic_events.find(call) if call else None
        return event if isinstance(event, SyntheticEvent) else None

    def event(self, system: str, name: str) -> EventCall | None:
        call = self._globals.events.find(system, name)
        return None if call is not None and call.kind is EventKind.FTRACE else call

    def variable(self, system: str, event: str, name: str) -> HistVariable | None:
        return self._variables.of_event(system, event, name)

    def compatible(self, call: EventCall, definition: HistDefinition) -> tuple[HistDefinition, str | None] | None:
        for trigger in self.of(call):
            if [(key.room, key.signed) for key in trigger.definition.keys] == [(key.room, key.signed) for key in definition.keys]:
                return trigger.definition, trigger.condition.text if trigger.condition else None
        return None

    def add_hist(self, call: EventCall, text: str) -> Callable[[], None]:
        self.obey(call, text, removes=False)
        return partial(self._take_back, call, self.of(call)[-1])

    def _take_back(self, call: EventCall, added: HistTrigger) -> None:
        """Removes a trigger, if it still exists and no other trigger needs its variables."""
        if added in self.of(call) and not self._variables.need(added.histogram):
            self._files.remove_trigger(call, added)
