# SPDX-License-Identifier: GPL-2.0-only
"""Histograms, and the triggers that count in them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from emu.cpu.native.cpu_records import Cpu
from emu.ftrace.buffers.clocks import Clocks
from emu.ftrace.dynevent.dyn_event import DynamicEvents
from emu.ftrace.event.catalogue import Catalogue
from emu.ftrace.event.files import EventFile
from emu.ftrace.event.filter_program import EventFilter
from emu.ftrace.hist.debug_text import hist_debug_text
from emu.ftrace.hist.definition import HistDefinition
from emu.ftrace.hist.map import HistMap, HistMemory
from emu.ftrace.hist.text import HistNames, hist_text
from emu.ftrace.native import hist_actions, hist_record, trace_records
from emu.ftrace.native.trace_records import Consumer, TraceArray
from emu.native.functions import Compiled
from emu.native.records import Values, u64

if TYPE_CHECKING:
    from emu.ftrace.native.hist import HistHandlers

__all__ = ["HistTrigger", "Histogram", "Histograms"]


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
        events: the events that definitions can name.
        dynamic_events: the synthetic events among them.
        clocks: the trace clocks that definitions can name.
    """

    def __init__(
        self,
        memory: int,
        names: HistNames,
        handlers: Callable[[], HistHandlers],
        key_stack: Callable[[], Compiled[[Cpu, Values[u64]], None]],
        events: Catalogue,
        dynamic_events: DynamicEvents,
        clocks: Clocks,
    ) -> None:
        self._memory = HistMemory(memory)
        self._key_stack = key_stack
        self._named: dict[str, Histogram] = {}
        self._made = 0
        self.names = names
        self.handlers = handlers
        self.events = events
        self.dynamic_events = dynamic_events
        self.clocks = clocks

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
