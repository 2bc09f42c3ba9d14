# SPDX-License-Identifier: GPL-2.0-only
"""Converts entries of any kernel to the form that the text of `trace` needs.

Their numbers get the host's byte order. Entries of the system ftrace get the layouts and numbers of
`emu.ftrace.buffers.entries`; entries of other systems keep the layout of their formats.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from emu.ftrace.buffers.entries import ENTRY, LAYOUTS, WITH_VALUES, Events, EventType
from emu.ftrace.event.call import COMMON_FIELDS, EventCall, Field
from emu.ftrace.event.internal import BLK, INTERNAL_EVENTS, SYSTEM
from emu.trace.buffer_events import BufferEvents
from emu.trace.event_table import EventTable, is_number, is_text
from emu.trace.lists import Lists
from emu.trace.native import fields as native_fields
from emu.trace.native import text as native_text
from emu.trace.native.swap import swap_numbers
from emu.trace.ranges import Ranges

__all__ = ["fixed_size", "host_events", "host_numbers"]

Rows = NDArray[np.int64]

_TYPES = {call.name: EventType(call.number) for call in INTERNAL_EVENTS}
_TAILS = {  # the fields that extend to the end of their entries
    EventType.KERNEL_STACK: "caller", EventType.PRINT: "buf", EventType.BPRINT: "buf", EventType.RAW_DATA: "buf",
    EventType.FUNCTION: "args", EventType.FUNCGRAPH_ENTRY: "args",
}  # fmt: skip
_OF_LONGS = {EventType.KERNEL_STACK, EventType.FUNCTION, EventType.FUNCGRAPH_ENTRY}  # those of them that are longs
_VALUES = {EventType.FUNCGRAPH_ENTRY: "args", EventType.FUNCGRAPH_EXIT: "retval"}  # with these fields, other layouts are needed
_WITHOUT_FORMAT = {BLK.number: BLK}  # no format file describes it: assumed to be as in today's kernels
_YOUNGER = {"padding", "constant", "count"}  # fields that older kernels lack: those of branch and hwlat


def host_numbers(calls: Mapping[int, EventCall]) -> dict[int, int]:
    """The new number of each event's entries, by the number in the trace.

    Kernels number the events of the system ftrace first, then the others. Today there are more of the
    former.
    """
    found = {number: int(_TYPES[call.name]) for number, call in calls.items() if call.system == SYSTEM and call.name in _TYPES}
    own = set(map(int, EventType))
    free = iter(number for number in range(1, 1 << 16) if number not in own and number not in calls)
    for number in sorted(own | calls.keys()):
        if number not in found and (number in calls or number not in _WITHOUT_FORMAT):
            found[number] = next(free) if number in own else number
    return found


def fixed_size(number: int, calls: Mapping[int, EventCall]) -> int:
    """The minimum size of an event's entry in bytes. For ftrace's events, that of the fields shown in `trace`.

    Raises:
        ValueError: an event of ftrace is not shown in `trace`, or lacks fields for it.
    """
    if number not in calls:
        return _WITHOUT_FORMAT[number].size if number in _WITHOUT_FORMAT else ENTRY.itemsize
    call = calls[number]
    if call.system != SYSTEM:
        return call.size
    if call.name not in _TYPES or not _has_fields(call, LAYOUTS[_TYPES[call.name]]):
        raise ValueError(f"{call.path} does not have the fields that --format trace shows")
    tail = _TAILS.get(_TYPES[call.name])
    return max((field.offset + field.size for field in call.fields if field.name != tail), default=ENTRY.itemsize)


def _has_fields(call: EventCall, layout: np.dtype[np.void]) -> bool:
    fields = {field.name: field for field in call.fields}
    needed = set(layout.names or ()) - set(ENTRY.names or ()) - _YOUNGER
    return needed <= fields.keys() and all(_fits(fields[name], layout[name]) for name in needed)


def _layout(call: EventCall) -> np.dtype[np.void]:
    """The layout to which an entry of ftrace's is converted."""
    type_ = _TYPES[call.name]
    with_values = _VALUES.get(type_) in {field.name for field in call.fields}
    return WITH_VALUES[type_] if with_values else LAYOUTS[type_]


def _fits(field: Field, type_: np.dtype[np.generic]) -> bool:
    """Whether a field can be converted to one of a layout."""
    if type_.kind == "S":
        return is_text(field) and not field.is_dynamic
    if type_.shape:
        return field.type.endswith("]") and not field.is_dynamic and not is_text(field)
    return is_number(field)


def host_events(events: BufferEvents, rows: Rows, calls: Mapping[int, EventCall], numbers: Mapping[int, int]) -> list[Events]:
    """The events of some rows, split by CPU and after each loss of events.

    Args:
        events: the events of a buffer.
        rows: the rows, each of which has at least the `fixed_size` of its event.
        calls: the events by number.
        numbers: from `host_numbers`.
    """
    found = []
    cpus = events.columns.cpu[rows]
    for cpu in events.cpus:
        here = rows[cpus == cpu]
        words, offset, sizes = _Entries(events, here, calls, numbers).memory()
        starts = [place for place, row in enumerate(here.tolist()) if row in events.lost] if events.lost else []
        for start, end in zip([0, *starts], [*starts, len(here)], strict=True):
            if start < end:
                lost = max(events.lost.get(int(here[start]), 0), 0)
                times = events.columns.time[here[start:end]]
                found.append(Events(cpu, words, times, offset[start:end], sizes[start:end], lost))
    return found


class _Entries:
    """The converted entries, one after another."""

    def __init__(self, events: BufferEvents, rows: Rows, calls: Mapping[int, EventCall], numbers: Mapping[int, int]) -> None:
        self._events = events
        self._rows = rows
        self._calls = calls
        self._numbers = numbers
        self._heads: list[tuple[Rows, NDArray[np.void]]] = []
        self._copied: list[tuple[Rows, Ranges]] = []
        self._others: list[tuple[Rows, int]] = []
        self._kept: list[object] = []  # keeps the memory of ranges alive
        self._sizes = np.zeros(len(rows), np.int64)

    def memory(self) -> tuple[NDArray[np.uint32], NDArray[np.int64], NDArray[np.int64]]:
        """The words of the entries; where each begins, and its size, in bytes."""
        columns = self._events.columns.take(self._rows)
        for number in np.flatnonzero(np.bincount(columns.kind)).tolist():
            places = np.flatnonzero(columns.kind == number)
            call = self._calls.get(number)
            if call is not None and call.system == SYSTEM:
                self._add_own(call, places)
            else:
                self._copy(places, Ranges(columns.address[places], columns.size[places].astype(np.int64)))
                self._others.append((places, number))
        self._sizes += -self._sizes % 4
        ends = np.cumsum(self._sizes)
        offset = ends - self._sizes
        memory = np.zeros(int(ends[-1]) if len(ends) else 0, np.uint8)
        self._fill(memory, offset)
        return memory.view(np.uint32), offset, self._sizes

    def _add_own(self, call: EventCall, places: Rows) -> None:
        """Adds entries of the system ftrace: the fields shown in `trace`, then the rest."""
        table = EventTable(call, self._events, self._rows[places])
        type_ = _TYPES[call.name]
        head = _head(table, type_)
        self._sizes[places] = head.itemsize
        self._heads.append((places, head))
        tail = next((field for field in call.fields if field.name == _TAILS.get(type_)), None)
        if tail is not None:
            self._copy(places, self._widened(table.field(tail)) if type_ in _OF_LONGS else table.ranges(tail))

    def _widened(self, longs: Lists) -> Ranges:
        """Addresses or arguments as 8-byte words."""
        words = longs.values.astype(np.uint64)
        self._kept.append(words)
        return Ranges(words.ctypes.data + longs.offsets[:-1] * words.itemsize, longs.lengths * words.itemsize)

    def _copy(self, places: Rows, ranges: Ranges) -> None:
        """Extends entries with copies of memory ranges."""
        self._sizes[places] += ranges.lengths
        self._copied.append((places, ranges))

    def _fill(self, memory: NDArray[np.uint8], offset: NDArray[np.int64]) -> None:
        cursors = offset.copy()
        for places, head in self._heads:
            memory[offset[places, np.newaxis] + np.arange(head.itemsize)] = head.view(np.uint8).reshape(len(places), -1)
            cursors[places] += head.itemsize
        for places, ranges in self._copied:
            native_text.put_ranges(memory.ctypes.data, cursors, places, ranges.starts, ranges.lengths)
        for places, number in self._others:
            call = self._calls.get(number) or _WITHOUT_FORMAT.get(number)
            if self._events.words.swapped:
                starts = memory.ctypes.data + offset[places]
                for field in (*COMMON_FIELDS, *(call.fields if call else ())):
                    _swap(field, starts, self._sizes[places])
            memory.view(np.uint16)[offset[places] // 2] = self._numbers.get(number, number)


def _head(table: EventTable, type_: EventType) -> NDArray[np.void]:
    """The fixed part of the entries, in the layout of their type."""
    layout = _layout(table.call)
    found = np.zeros(table.count, layout)
    found["type"] = type_
    for name in ("flags", "preempt_count", "pid"):
        found[name] = table[f"common_{name}"]
    for field in table.call.fields:
        if field.name not in (layout.names or ()) or not _fits(field, layout[field.name]):
            continue
        if is_text(field):
            which, contents = table.ranges(field).distinct()
            found[field.name] = _texts(contents, layout[field.name])[which]
        elif layout[field.name].shape:
            most, values = layout[field.name].shape[0], table.field(field)
            found[field.name][:, : values.shape[1]] = values[:, :most]
        else:
            found[field.name] = table.field(field)
    return found


def _texts(contents: Sequence[bytes], type_: np.dtype[np.generic]) -> NDArray[np.generic]:
    return np.array([*contents, b""], type_)


def _swap(field: Field, starts: NDArray[np.int64], sizes: NDArray[np.int64]) -> None:
    """Byte-swaps a field of entries; an array without a length extends to the end of its entry."""
    if field.is_dynamic:
        data, lengths = np.empty_like(starts), np.empty_like(starts)
        native_fields.data_ranges(starts, sizes, field.offset, field.type.startswith("__rel_loc"), True, data, lengths)
        _swap_ranges(data, lengths, field.number_size)
        _swap_ranges(starts + field.offset, np.full(len(starts), 4), 4)
        return
    left = np.maximum(sizes - field.offset, 0)
    _swap_ranges(starts + field.offset, left if not field.size else np.minimum(left, field.size), field.number_size)


def _swap_ranges(starts: NDArray[np.int64], lengths: NDArray[np.int64], width: int) -> None:
    if width in (2, 4, 8):
        swap_numbers(starts, lengths.astype(np.int64), width)
