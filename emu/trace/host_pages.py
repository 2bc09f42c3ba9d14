# SPDX-License-Identifier: GPL-2.0-only
"""The entries of a trace as the text of `trace` takes them: words of the host, with offsets."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from emu.ftrace.event.call import COMMON_FIELDS, EventCall, Field
from emu.ftrace.events import Events
from emu.trace.buffer_events import BufferEvents, EventColumns
from emu.trace.native import fields as native_fields
from emu.trace.native.swap import swap_numbers
from emu.trace.recording import CpuPages

__all__ = ["host_events"]


def host_events(events: BufferEvents, rows: NDArray[np.int64], calls: Mapping[int, EventCall]) -> list[Events]:
    """The events of some rows, a part for each CPU and after each loss."""
    found = []
    columns = events.columns.take(rows)
    for pages in events.pages:
        there = np.flatnonzero(columns.cpu == pages.cpu)
        offset = columns.address[there] - pages.pages.ctypes.data
        words = _words(pages, columns.take(there), calls, swapped=events.swapped)
        starts = [place for place in range(len(there)) if int(rows[there[place]]) in events.lost] if events.lost else []
        for start, end in zip([0, *starts], [*starts, len(there)], strict=True):
            if start == end:
                continue
            part = there[start:end]
            lost = max(events.lost.get(int(rows[part[0]]), 0), 0)
            sizes = columns.size[part].astype(np.int64)
            found.append(Events(pages.cpu, words, columns.time[part], offset[start:end], sizes, lost))
    return found


def _words(pages: CpuPages, columns: EventColumns, calls: Mapping[int, EventCall], *, swapped: bool) -> NDArray[np.uint32]:
    if not swapped:
        return pages.pages.reshape(-1).view(np.uint32)
    copy = pages.pages.copy()
    address = columns.address - pages.pages.ctypes.data + copy.ctypes.data
    for number in np.flatnonzero(np.bincount(columns.kind)).tolist():
        there = np.flatnonzero(columns.kind == number)
        starts, sizes = address[there], columns.size[there]
        for field in (*COMMON_FIELDS, *(calls[number].fields if number in calls else ())):
            _swap(field, starts, sizes)
    return copy.reshape(-1).view(np.uint32)


def _swap(field: Field, starts: NDArray[np.int64], sizes: NDArray[np.int32]) -> None:
    """Swaps a field of entries; an array without a length goes on to the end of its entry."""
    if field.is_dynamic:
        data, lengths = np.empty_like(starts), np.empty_like(starts)
        native_fields.data_ranges(starts, sizes, field.offset, field.type.startswith("__rel_loc"), True, data, lengths)
        _swap_ranges(data, lengths, field.number_size)
        _swap_ranges(starts + field.offset, np.full(len(starts), 4), 4)
        return
    left = np.maximum(sizes.astype(np.int64) - field.offset, 0)
    is_last = field.name == "caller" or not field.size
    _swap_ranges(starts + field.offset, left if is_last else np.minimum(left, field.size), field.number_size)


def _swap_ranges(starts: NDArray[np.int64], lengths: NDArray[np.int64], width: int) -> None:
    if width in (2, 4, 8):
        swap_numbers(starts, lengths.astype(np.int64), width)
