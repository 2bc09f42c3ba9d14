# SPDX-License-Identifier: GPL-2.0-only
"""The events of one type as columns, each decoded when it is first used."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from emu.ftrace.event.call import EventCall, Field
from emu.trace.buffer_events import BufferEvents, EventColumns
from emu.trace.data_frames import DataFrames
from emu.trace.lists import Column, Lists
from emu.trace.native import fields as native
from emu.trace.ranges import Ranges

__all__ = ["CALLER", "KERNEL_STACK", "EventTable", "is_number", "is_text"]

KERNEL_STACK = "ftrace:kernel_stack"
CALLER = "caller"  # the field with its addresses
_COMMON = ("time", "cpu", "pid", "flags", "preempt_count")
_MOST_BYTES = 1 << 16  # per field


class EventTable(DataFrames):
    """The events of one type, sorted by time.

    A mapping from names of columns to arrays with one element per event. First come `time` (uint64, nanoseconds or units of the
    trace's clock), `cpu`, `pid`, `flags` and `preempt_count`, then the event's fields: numbers in their own type, arrays
    of numbers in two dimensions, those of varying length as `Lists`, texts as str. If a field has the name of one of the first
    five, the name means the field. The names `common_time`, `common_cpu`, ... always mean these five.

    >>> trace["sched:sched_switch"]["next_comm"]
    array(['ls', 'rcu_preempt', ...], dtype=object)
    """

    def __init__(self, call: EventCall, events: BufferEvents, rows: NDArray[np.int64]) -> None:
        self.call = call
        self.rows = rows  # in the buffer
        self._events = events
        self._fields = {field.name: field for field in call.fields}
        self._decoded: dict[str, Column] = {}
        self._entries: EventColumns | None = None

    @property
    def count(self) -> int:
        """The number of events."""
        return len(self.rows)

    def some(self, among: NDArray[np.int64]) -> EventTable:
        """The selected events."""
        return EventTable(self.call, self._events, self.rows[among])

    @property
    def entries(self) -> EventColumns:
        """The entries' addresses and sizes."""
        if self._entries is None:
            self._entries = self._events.columns.take(self.rows)
        return self._entries

    def __iter__(self) -> Iterator[str]:
        yield from (f"common_{name}" if name in self._fields else name for name in _COMMON)
        yield from self._fields

    def __len__(self) -> int:
        return len(_COMMON) + len(self._fields)

    def __getitem__(self, name: str) -> Column:
        if name not in self._decoded:
            self._decoded[name] = self._column(name)
        return self._decoded[name]

    def __contains__(self, name: object) -> bool:
        return name in self._fields or (isinstance(name, str) and name.removeprefix("common_") in _COMMON)

    def has_number(self, name: str) -> bool:
        """Whether a column has one number per event."""
        return name in self and (name not in self._fields or is_number(self._fields[name]))

    def __repr__(self) -> str:
        return f"<EventTable {self.call.path}: {self.count} events, columns {', '.join(self)}>"

    def _column(self, name: str) -> Column:
        if name in self._fields:
            return self.field(self._fields[name])
        common = name.removeprefix("common_")
        if common in ("time", "cpu"):
            return np.asarray(getattr(self.entries, common))
        if common in _COMMON:
            return np.asarray(getattr(self._events, common)[self.rows])
        raise KeyError(f"{self.call.path} has no column {name!r}; it has {', '.join(self)}")

    # Fields

    def field(self, field: Field) -> Column:
        """The values of a field."""
        if is_text(field):
            which, contents = self.text_ranges(field).distinct()
            return _picked([content.decode(errors="replace") for content in contents], which)
        if field.size > _MOST_BYTES:
            raise ValueError(f"{self.call.path} has a field {field.name} of {field.size} bytes")
        type_ = self._number_type(field)
        if self.varies(field):
            return Lists.from_memory(self.ranges(field), type_)
        values = self._bytes(field.offset, field.size).view(type_)
        native_values = values.astype(type_.newbyteorder("="), copy=False)
        return native_values[:, 0] if is_number(field) else native_values

    def varies(self, field: Field) -> bool:
        """Whether a field is an array or text whose length may vary between entries."""
        return field.is_dynamic or self._goes_on(field)

    def _goes_on(self, field: Field) -> bool:
        """Whether a field extends to the end of its entry: its format gives it no size, or it is a stack trace."""
        return not field.is_dynamic and (field.size == 0 or self._is_stack(field))

    def _is_stack(self, field: Field) -> bool:
        """Whether a field may have more addresses than its format says, ended by one with all bits set."""
        return self.call.path == KERNEL_STACK and field.name == CALLER

    def _number_type(self, field: Field) -> np.dtype[np.integer]:
        """The type of a number, or of each number in an array; bytes for a structure."""
        size = field.number_size
        is_known = size in (1, 2, 4, 8) and (field.is_dynamic or not field.size % size)
        letter, size = ("i" if field.signed else "u", size) if is_known else ("u", 1)
        return np.dtype(f"{self._events.words.byte_order}{letter}{size}")

    def _bytes(self, offset: int, width: int) -> NDArray[np.uint8]:
        found = np.empty((self.count, width), np.uint8)
        native.gather(self.entries.address, self.entries.size, offset, width, found)
        return found

    def ranges(self, field: Field) -> Ranges:
        """The ranges of a field's data: for a dynamic field, where its location word says; without a size, the entry's rest."""
        if not self._goes_on(field):
            return self.declared_ranges(field)
        entries = self.entries
        found = Ranges(entries.address + field.offset, np.maximum(entries.size.astype(np.int64) - field.offset, 0))
        if self._is_stack(field):
            native.stack_ranges(found.starts, found.lengths, self._number_type(field).itemsize)
        return found

    def declared_ranges(self, field: Field) -> Ranges:
        """The ranges declared in the format: empty for a field without a size."""
        entries = self.entries
        if field.is_dynamic:
            starts, lengths = np.empty(self.count, np.int64), np.empty(self.count, np.int64)
            relative, swapped = field.type.startswith("__rel_loc"), self._events.words.swapped
            native.data_ranges(entries.address, entries.size, field.offset, relative, swapped, starts, lengths)
            return Ranges(starts, lengths)
        there = np.clip(entries.size.astype(np.int64) - field.offset, 0, field.size)
        return Ranges(entries.address + field.offset, there)

    def text_ranges(self, field: Field) -> Ranges:
        """The ranges of a field's text, without its NUL."""
        found = self.ranges(field)
        native.text_ranges(found.starts, found.lengths)
        return found


def _picked(values: Sequence[str], which: NDArray[np.int32]) -> NDArray[np.object_]:
    """For each row, the value with that index: one object for all rows that have it."""
    table = np.empty(len(values) + 1, np.object_)
    for number, value in enumerate(values):
        table[number] = value
    return table[which]


def is_number(field: Field) -> bool:
    """Whether a field is a single number."""
    return not field.is_dynamic and not field.type.endswith("]") and field.size in (1, 2, 4, 8)


def is_text(field: Field) -> bool:
    """Whether a field is an array of characters."""
    base = field.type.removeprefix("__data_loc ").removeprefix("__rel_loc ")
    return base.startswith(("char", "const char[")) and (base.endswith("]") or field.size == 0)
