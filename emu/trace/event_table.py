# SPDX-License-Identifier: GPL-2.0-only
"""The events of one type as columns, each decoded when it is asked for."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from emu.ftrace.event.call import EventCall, Field
from emu.trace.buffer_events import BufferEvents, EventColumns
from emu.trace.data_frames import DataFrames
from emu.trace.native import fields as native

__all__ = ["EventTable", "Ranges", "distinct_values", "is_number", "is_text"]

_COMMON = ("time", "cpu", "pid", "flags", "preempt_count")
_MOST_BYTES = 1 << 16  # of a field


class Ranges:
    """A range of memory in each entry: of a text, say.

    Attributes:
        starts: int64, addresses.
        lengths: int64, bytes.
    """

    def __init__(self, starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> None:
        self.starts, self.lengths = starts, lengths

    def distinct(self) -> tuple[NDArray[np.int32], list[bytes]]:
        """Which of the distinct contents each has, and these."""
        which, firsts = self.numbered()
        return which, [ctypes.string_at(int(self.starts[n]), int(self.lengths[n])) for n in firsts]

    def numbered(self) -> tuple[NDArray[np.int32], list[int]]:
        """Which of the distinct contents each has, and where each content is found first."""
        count = len(self.starts)
        which, firsts = np.empty(count, np.int32), np.empty(count, np.int64)
        table = np.full(1 << max(2 * count, 1).bit_length(), -1, np.int32)
        found = native.distinct(self.starts, self.lengths, which, firsts, table)
        return which, firsts[:found].tolist()


def distinct_values(values: NDArray[Any]) -> tuple[list[Any], NDArray[np.int32]]:
    """The values in a column of numbers, in the order in which they come, and which of them each row has."""
    kept = np.ascontiguousarray(values)
    size, count = kept.itemsize, len(kept)
    which, firsts = Ranges(kept.ctypes.data + np.arange(count) * size, np.full(count, size)).numbered()
    return kept[firsts].tolist(), which


class EventTable(DataFrames):
    """The events of one type in the order of time.

    A mapping from names of columns to arrays with one element per event. First come `time` (uint64, nanoseconds of the
    trace's clock), `cpu`, `pid`, `flags` and `preempt_count`, then the event's fields: numbers in their own type, arrays
    of numbers in two dimensions, texts as str. If a field has one of the first five names, the name is the field's. Under
    `common_time`, `common_cpu`, ... these five are there in any case.

    >>> trace["sched:sched_switch"]["next_comm"]
    array(['ls', 'rcu_preempt', ...], dtype=object)
    """

    def __init__(self, call: EventCall, events: BufferEvents, rows: NDArray[np.int64]) -> None:
        self.call = call
        self.rows = rows  # of the buffer
        self._events = events
        self._fields = {field.name: field for field in call.fields}
        self._decoded: dict[str, NDArray[Any]] = {}
        self._entries: EventColumns | None = None

    @property
    def count(self) -> int:
        """How many events there are."""
        return len(self.rows)

    @property
    def entries(self) -> EventColumns:
        """Where the entries are."""
        if self._entries is None:
            self._entries = self._events.columns.take(self.rows)
        return self._entries

    def __iter__(self) -> Iterator[str]:
        yield from (f"common_{name}" if name in self._fields else name for name in _COMMON)
        yield from self._fields

    def __len__(self) -> int:
        return len(_COMMON) + len(self._fields)

    def __getitem__(self, name: str) -> NDArray[Any]:
        if name not in self._decoded:
            self._decoded[name] = self._column(name)
        return self._decoded[name]

    def __contains__(self, name: object) -> bool:
        return name in self._fields or (isinstance(name, str) and name.removeprefix("common_") in _COMMON)

    def has_number(self, name: str) -> bool:
        """Whether a column has one number for each event."""
        return name in self and (name not in self._fields or is_number(self._fields[name]))

    def __repr__(self) -> str:
        return f"<EventTable {self.call.path}: {self.count} events, columns {', '.join(self)}>"

    def _column(self, name: str) -> NDArray[Any]:
        if name in self._fields:
            return self.field(self._fields[name])
        common = name.removeprefix("common_")
        if common in ("time", "cpu"):
            return np.asarray(getattr(self.entries, common))
        if common in _COMMON:
            return np.asarray(getattr(self._events, common)[self.rows])
        raise KeyError(f"{self.call.path} has no column {name!r}; it has {', '.join(self)}")

    # Fields

    def field(self, field: Field) -> NDArray[Any]:
        """The values of a field."""
        if field.is_dynamic:
            return self._dynamic(field)
        if is_text(field):
            return self._texts(self.text_ranges(field))
        if field.size > _MOST_BYTES:
            raise ValueError(f"{self.call.path} has a field {field.name} of {field.size} bytes")
        is_array = field.type.endswith("]")
        size = field.number_size
        if size not in (1, 2, 4, 8) or field.size % size:
            size, is_array = 1, True
        values = self._bytes(field.offset, field.size).view(self._type(size, field.signed and size == field.number_size))
        native_values = values.astype(values.dtype.newbyteorder("="), copy=False)
        return native_values if is_array else native_values[:, 0]

    def _type(self, size: int, signed: bool) -> np.dtype[Any]:
        return np.dtype(f"{self._events.words.byte_order}{'i' if signed else 'u'}{size}")

    def _bytes(self, offset: int, width: int) -> NDArray[np.uint8]:
        found = np.empty((self.count, width), np.uint8)
        native.gather(self.entries.address, self.entries.size, offset, width, found)
        return found

    def ranges(self, field: Field) -> Ranges:
        """Where a field's data is; of a dynamic one, what its word leads to."""
        starts, lengths = np.empty(self.count, np.int64), np.empty(self.count, np.int64)
        entries = self.entries
        if field.is_dynamic:
            relative = field.type.startswith("__rel_loc")
            swapped = self._events.words.swapped
            native.data_ranges(entries.address, entries.size, field.offset, relative, swapped, starts, lengths)
        else:
            starts[:] = entries.address + field.offset
            lengths[:] = np.clip(entries.size.astype(np.int64) - field.offset, 0, field.size or None)
        return Ranges(starts, lengths)

    def tails(self, field: Field) -> Ranges:
        """Where a field's data is that goes on to the end of its entry, whatever its format says."""
        entries = self.entries
        return Ranges(entries.address + field.offset, np.maximum(entries.size.astype(np.int64) - field.offset, 0))

    def text_ranges(self, field: Field) -> Ranges:
        """Where a field's text is, without its NUL."""
        found = self.ranges(field)
        native.text_ranges(found.starts, found.lengths)
        return found

    @staticmethod
    def _texts(ranges: Ranges) -> NDArray[Any]:
        which, contents = ranges.distinct()
        return _picked([content.decode(errors="replace") for content in contents], which)

    def _dynamic(self, field: Field) -> NDArray[Any]:
        if is_text(field):
            return self._texts(self.text_ranges(field))
        which, contents = self.ranges(field).distinct()
        size = field.number_size if field.number_size in (1, 2, 4, 8) else 1
        type_ = self._type(size, field.signed)
        arrays = [np.frombuffer(content, type_, len(content) // size).astype(type_.newbyteorder("=")) for content in contents]
        return _picked(arrays, which)


def _picked(values: list[Any], which: NDArray[np.int32]) -> NDArray[Any]:
    """For each row the value with that number: one object for all rows that have it."""
    table = np.empty(len(values) + 1, np.object_)
    for number, value in enumerate(values):
        table[number] = value
    return table[which]


def is_number(field: Field) -> bool:
    """Whether a field is one number."""
    return not field.is_dynamic and not field.type.endswith("]") and field.size in (1, 2, 4, 8)


def is_text(field: Field) -> bool:
    """Whether a field is an array of characters."""
    base = field.type.removeprefix("__data_loc ").removeprefix("__rel_loc ")
    return base.startswith(("char", "const char[")) and base.endswith("]")
