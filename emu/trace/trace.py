# SPDX-License-Identifier: GPL-2.0-only
"""A trace, the input of all outputs."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import ClassVar, Self

import numpy as np

from emu.trace.buffer_events import BufferEvents, read_buffer
from emu.trace.calls import CallTable
from emu.trace.errors import TraceFileError
from emu.trace.event_table import EventTable
from emu.trace.format_files import Formats, parse_format
from emu.trace.recording import Recording
from emu.trace.symbols import KernelSymbols
from emu.trace.task_events import told_names
from emu.trace.tasks import Tasks

__all__ = ["EventTables", "Trace"]


class EventTables(Mapping[str, EventTable]):
    """The tables of the events in a buffer, by `system:name`, or by the event's name alone."""

    def __init__(self, formats: Formats, events: BufferEvents) -> None:
        self._formats = formats
        self._events = events
        self._tables: dict[str, EventTable] = {}

    @cached_property
    def _numbers(self) -> dict[str, int]:
        """`common_type` of the existing events, in the order of the numbers."""
        numbers = np.flatnonzero(np.bincount(self._events.columns.kind)).tolist()
        known = self._formats.by_number
        return {known[number].path: number for number in numbers if number in known}

    def __getitem__(self, name: str) -> EventTable:
        path = name if name in self._formats else self._path(name)
        if path not in self._tables:
            call = self._formats[path]
            rows = np.flatnonzero(self._events.columns.kind == call.number)
            self._tables[path] = EventTable(call, self._events, rows)
        return self._tables[path]

    def _path(self, name: str) -> str:
        paths: list[str] = [*self._numbers, *self._formats]
        for path in paths:
            if path.partition(":")[2] == name:
                return path
        raise KeyError(f"the trace has no format of an event {name!r}")

    def __iter__(self) -> Iterator[str]:
        return iter(self._numbers)

    def __len__(self) -> int:
        return len(self._numbers)


class Trace:
    """A trace: the events of one or more buffers, and everything that their text needs.

    >>> trace = Trace.open("trace.dat")
    >>> switches = trace["sched:sched_switch"]
    >>> switches["time"], switches["next_pid"]

    `events`, `trace[...]` and `calls` are those of the top array, or of the first instance if the top array is empty;
    `buffers` has all of them, and `trace.buffer("foo")` is the trace of one instance.

    Attributes:
        recording: the recording that it was made from.
        damage: what could not be read, if errors were tolerated.
    """

    notebook_view: ClassVar[Callable[[Trace], str]]
    """HTML of a trace. Set by `emu.trace`: pictures are made from traces, so this module does not import them."""

    def __init__(self, recording: Recording, *, salvage: bool = False, buffer: str | None = None) -> None:
        self.recording = recording
        self.damage = list(recording.damage)
        self._salvage = salvage
        self._chosen = buffer

    @classmethod
    def open(cls, path: str | os.PathLike[str], *, salvage: bool = False) -> Self:
        """Opens a trace.dat of version 6 or 7.

        Raises:
            TraceFileError: the file is not a trace.dat, or is damaged; with `salvage`, its intact part is read.
            OSError: the file cannot be read.
        """
        from emu.trace.dat import open_dat

        return cls(open_dat(Path(path), salvage=salvage), salvage=salvage)

    def _complain(self, error: TraceFileError) -> None:
        if not self._salvage:
            raise error
        if str(error) not in self.damage:
            self.damage.append(str(error))

    def check(self) -> None:
        """Reads everything that may be damaged: formats, and the events in pages. Otherwise each is read when it is needed.

        Raises:
            TraceFileError: something is damaged. With `salvage`, it is left out instead.
        """
        _ = self.formats, self.buffers

    @cached_property
    def formats(self) -> Formats:
        """All events that the trace may contain."""
        found = []
        for file in self.recording.formats:
            try:
                found.append((parse_format(file, self.recording.words.long_size), file))
            except TraceFileError as error:
                self._complain(error)
        return Formats(found)

    @cached_property
    def symbols(self) -> KernelSymbols:
        """The kernel's functions."""
        return KernelSymbols(self.recording.kallsyms)

    @cached_property
    def tasks(self) -> Tasks:
        """The names of tasks."""
        return Tasks(self.recording.saved_cmdlines, self.recording.saved_tgids, lambda: told_names(self.formats, self.buffers))

    @cached_property
    def buffers(self) -> list[BufferEvents]:
        """The events of the top array, and of every other buffer with events."""
        return [read_buffer(self.recording, buffer, self._complain) for buffer in self.recording.buffers]

    def buffer(self, name: str) -> Trace:
        """The trace of an instance; "" is the top array.

        Raises:
            KeyError: no instance has that name.
        """
        if name not in [buffer.name for buffer in self.recording.buffers]:
            raise KeyError(f"the trace has no buffer {name!r}")
        return type(self)(self.recording, salvage=self._salvage, buffer=name)

    @property
    def shown(self) -> list[BufferEvents]:
        """The buffers of this trace: one of an instance, or all."""
        return [buffer for buffer in self.buffers if self._chosen in (None, buffer.name)]

    @cached_property
    def first(self) -> BufferEvents:
        """The buffer of `events` and `calls`."""
        if self._chosen is not None:
            return self.shown[0]
        for buffer in self.buffers:
            if len(buffer):
                return buffer
        return self.buffers[0] if self.buffers else BufferEvents.empty()

    @cached_property
    def events(self) -> EventTables:
        """The events, a table per type: `for name, table in trace.events.items()`."""
        return EventTables(self.formats, self.first)

    @cached_property
    def calls(self) -> CallTable:
        """The calls recorded by function_graph."""
        return CallTable(self.formats, self.first, self.symbols, self.tasks)

    def __getitem__(self, name: str) -> EventTable:
        return self.events[name]

    def __len__(self) -> int:
        """The number of events."""
        return len(self.first)

    def __repr__(self) -> str:
        return f"<Trace: {len(self)} events of {len(self.events)} types>"

    def _repr_html_(self) -> str:
        """For notebooks: a table, a timeline, and a flame graph if there are calls or stacks."""
        return Trace.notebook_view(self)
