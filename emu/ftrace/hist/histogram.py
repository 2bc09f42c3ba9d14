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
        events: those that definitions can name.
        dynamic_events: the synthetic ones among them.
        clocks: those that definitions can name.
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
