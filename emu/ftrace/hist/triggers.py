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
    """A table and what is counted in it, for one trigger, or for all that have its name.

    Args:
        number: by which hist_debug tells it from others.
        definition: of the first of these.
        table: empty.
    """

    def __init__(self, number: int, definition: HistDefinition, table: HistMap) -> None:
        self.number = number
        self.definition = definition
        self.table = table
        self.triggers = 0  # that count in it

    @property
    def record(self) -> hist_record.Histogram:
        """What native code knows of it."""
        return self.table.record


class Histograms:
    """What the histograms of all trace arrays share.

    Args:
        memory: bytes that all tables may take.
        names: what numbers are called.
        handlers: what events do to them, compiled when they are first asked for.
        key_stack: the same of what stores stacks of calls.
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
        """A new one, without triggers. Its name is known from now on. `array`: its array.

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
        """A trigger does not count in it any more, or is not to begin to. It is gone with the last."""
        if not one.triggers:
            self._named.pop(one.definition.command.name, None)
            one.definition.actions.release()
            one.table.release()


class HistTrigger:
    """A hist trigger of an event. While it is there, the event is in soft mode.

    Args:
        histograms: those of all trace arrays.
        definition: what was written.
        histogram: in which it counts; if it has a name, perhaps one that others have made.
        array: its array.
        condition: which entries it counts; None: all.

    Attributes:
        record: what native code knows of it (`trace_records.Consumer`).
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
        """There may be many, that differ."""
        return self

    @property
    def event_handler(self) -> Compiled[[Cpu, trace_records.EventFile], None] | None:
        return None if self.condition or self.definition.command.actions else self._histograms.handlers().event_with_hist

    @property
    def paused(self) -> bool:
        return self.record.paused

    def pause(self, paused: bool) -> None:
        """Has it count no longer, or again."""
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
        """The table."""
        return hist_text(str(self), self.histogram.definition, self.histogram.table, self._histograms.names)

    def debug_text(self) -> Iterator[str]:
        """What it is made of."""
        return hist_debug_text(str(self), self.histogram.number, self.histogram.definition)

    def release(self) -> None:
        """It does nothing any more."""
        self.pause(True)
        self.histogram.triggers -= 1
        self._histograms.release(self.histogram)


class HistGlobals(Protocol):
    """What the trace arrays share, as far as hist triggers need it (`emu.ftrace.arrays.trace_globals`)."""

    events: Catalogue
    dynamic_events: DynamicEvents
    clocks: Clocks

    @property
    def hists(self) -> Histograms: ...

    def condition(self, call: EventCall, text: str) -> EventFilter: ...


class HistTriggers:
    """The hist triggers of one trace array.

    Args:
        records: of the array.
        files: what the array wants of events.
        trace_globals: what the trace arrays share.
        set_clock: sets the array's trace clock to one of those there are.
        reserve_snapshot: keeps the snapshot for one action, until what it returns is called. Raises TraceError: EBUSY, ENOMEM.
        tell: has the array's error_log tell something, whatever becomes of a trigger.
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
        """Those of all events."""
        for file in self._files:
            yield from self.of(file.call)

    def of(self, call: EventCall) -> list[HistTrigger]:
        """Those of an event, the oldest first."""
        file = self._files.get(call)
        return [trigger for trigger in file.triggers if isinstance(trigger, HistTrigger)] if file else []

    def text(self, call: EventCall) -> Iterator[str]:
        """What the file `hist` of an event shows."""
        for number, trigger in enumerate(self.of(call)):
            if number:
                yield "\n\n"
            yield from trigger.text()

    def debug_text(self, call: EventCall) -> Iterator[str]:
        """What the file `hist_debug` of an event shows."""
        for number, trigger in enumerate(self.of(call)):
            if number:
                yield "\n\n"
            yield from trigger.debug_text()

    def obey(self, call: EventCall, text: str, *, removes: bool) -> None:
        """Sets, changes or takes back a hist trigger of an event. To take back what is not there changes nothing.

        Args:
            call: the event.
            text: what follows `hist:`.
            removes: takes it back.

        Raises:
            TraceError: EINVAL, EDOM, with what error_log tells; EEXIST; ENOENT; ENOMEM; EBUSY if others need its variables, or
                have the snapshot.
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
        """Takes back those of an event; none, when other triggers refer to variables of one. Says whether any have gone."""
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
        """Raises TraceError, and nothing has changed."""
        definition.actions = find_actions(definition, self)
        try:
            return self._histograms.make(definition, self._array, clock_is_ns=clock_is_ns)
        except TraceError:
            definition.actions.release()
            raise

    # What actions need (see action_fields.Surroundings)

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
        """Removes a trigger, if it is still there and nobody else needs its variables."""
        if added in self.of(call) and not self._variables.need(added.histogram):
            self._files.remove_trigger(call, added)
