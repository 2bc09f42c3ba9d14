# SPDX-License-Identifier: GPL-2.0-only
"""A trace: what all outputs read."""

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
    """The tables of the events that a buffer holds, by `system:name`; an event's name alone will do, too."""

    def __init__(self, formats: Formats, events: BufferEvents) -> None:
        self._formats = formats
        self._events = events
        self._tables: dict[str, EventTable] = {}

    @cached_property
    def _numbers(self) -> dict[str, int]:
        """`common_type` of the events there are, in the order of the numbers."""
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
    """What was recorded: events of one or more buffers, and what their text needs.

    >>> trace = Trace.open("trace.dat")
    >>> switches = trace["sched:sched_switch"]
    >>> switches["time"], switches["next_pid"]

    `events`, `trace[...]` and `calls` are those of the top array, or of the first instance if that has recorded nothing;
    `buffers` has them all, and `trace.buffer("foo")` is a trace of one instance.

    Attributes:
        recording: what it was made from.
        damage: what could not be read, if that was allowed.
    """

    notebook_view: ClassVar[Callable[[Trace], str]]
    """HTML of a trace. `emu.trace` gives it: pictures are made of traces, so that traces do not import pictures."""

    def __init__(self, recording: Recording, *, salvage: bool = False, buffer: str | None = None) -> None:
        self.recording = recording
        self.damage = list(recording.damage)
        self._salvage = salvage
        self._chosen = buffer

    @classmethod
    def open(cls, path: str | os.PathLike[str], *, salvage: bool = False) -> Self:
        """The trace in a trace.dat of version 6 or 7.

        Raises:
            TraceFileError: the file is none, or is damaged; with `salvage`, what is intact is read.
            OSError: it cannot be read.
        """
        from emu.trace.dat import open_dat

        return cls(open_dat(Path(path), salvage=salvage), salvage=salvage)

    def _complain(self, error: TraceFileError) -> None:
        if not self._salvage:
            raise error
        if str(error) not in self.damage:
            self.damage.append(str(error))

    def check(self) -> None:
        """Reads all in which damage can show: formats, and the events in pages. Otherwise each is read when it is needed.

        Raises:
            TraceFileError: something is damaged; with `salvage`, it is left out.
        """
        _ = self.formats, self.buffers

    @cached_property
    def formats(self) -> Formats:
        """All events that the trace can hold."""
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
        """The events of every buffer that has recorded any, or that is the top array."""
        return [read_buffer(self.recording, buffer, self._complain) for buffer in self.recording.buffers]

    def buffer(self, name: str) -> Trace:
        """The trace of an instance; "" is the top array.

        Raises:
            KeyError: there is none of that name.
        """
        if name not in [buffer.name for buffer in self.recording.buffers]:
            raise KeyError(f"the trace has no buffer {name!r}")
        return type(self)(self.recording, salvage=self._salvage, buffer=name)

    @property
    def shown(self) -> list[BufferEvents]:
        """The buffers that this is the trace of: one of an instance, or all."""
        return [buffer for buffer in self.buffers if self._chosen in (None, buffer.name)]

    @cached_property
    def first(self) -> BufferEvents:
        """The buffer whose events `events` and `calls` are of."""
        if self._chosen is not None:
            return self.shown[0]
        for buffer in self.buffers:
            if len(buffer):
                return buffer
        return self.buffers[0] if self.buffers else BufferEvents.empty()

    @cached_property
    def events(self) -> EventTables:
        """The events, a table for each type: `for name, table in trace.events.items()`."""
        return EventTables(self.formats, self.first)

    @cached_property
    def calls(self) -> CallTable:
        """The calls that function_graph recorded."""
        return CallTable(self.formats, self.first, self.symbols, self.tasks)

    def __getitem__(self, name: str) -> EventTable:
        return self.events[name]

    def __len__(self) -> int:
        """How many events there are."""
        return len(self.first)

    def __repr__(self) -> str:
        return f"<Trace: {len(self)} events of {len(self.events)} types>"

    def _repr_html_(self) -> str:
        """For notebooks: a table, a timeline, and a flame graph if there are calls or stacks."""
        return Trace.notebook_view(self)
