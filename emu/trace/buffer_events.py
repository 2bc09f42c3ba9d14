# SPDX-License-Identifier: GPL-2.0-only
"""The events of one buffer as columns: found in its pages, and sorted by time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from emu.ftrace.words import Words
from emu.trace.errors import TraceFileError
from emu.trace.native import fields as native_fields
from emu.trace.native import pages as native
from emu.trace.recording import Buffer, CpuPages, Recording

__all__ = ["BufferEvents", "EventColumns", "merge", "read_buffer"]

_Number = TypeVar("_Number", bound=np.integer)
_SMALLEST = 8  # bytes of an event with its header
_PROBLEMS = {
    native.COMMIT_BEYOND_PAGE: "a page says that it holds more than it can",
    native.EVENT_BEYOND_COMMIT: "an event extends beyond its page",
    native.TOO_SHORT: "an event is too short for its common fields",
}
_MOST_PROBLEMS = 16  # per CPU that are reported one by one


@dataclass(frozen=True, eq=False)
class EventColumns:
    """One element per event in each column."""

    time: NDArray[np.uint64]  # nanoseconds, or units of the clock
    cpu: NDArray[np.uint16]
    address: NDArray[np.int64]  # of the entry, in the host's memory
    size: NDArray[np.int32]  # bytes of the entry
    kind: NDArray[np.uint16]  # `common_type`

    def __len__(self) -> int:
        return len(self.time)

    def take(self, rows: NDArray[np.int64] | NDArray[np.bool_] | slice) -> EventColumns:
        """The selected events."""
        return EventColumns(self.time[rows], self.cpu[rows], self.address[rows], self.size[rows], self.kind[rows])


@dataclass(frozen=True, eq=False)
class BufferEvents:
    """All events of a buffer, sorted by time; events with equal times are sorted by CPU.

    Attributes:
        name: the instance's name, "" for the top array.
        clock: the clock of the times.
        cpus: the CPUs with pages, ascending.
        lost: the rows before which events of their CPU were lost, and how many; -1: not counted.
    """

    name: str
    clock: str
    cpus: list[int]
    columns: EventColumns
    lost: Mapping[int, int]
    words: Words  # of the kernel that recorded
    pages: list[CpuPages] = field(repr=False)  # hold the memory that the addresses refer to

    def __len__(self) -> int:
        return len(self.columns)

    @classmethod
    def empty(cls) -> BufferEvents:
        """The events of a buffer in which nothing was recorded."""
        return cls("", "local", [], _joined([]), {}, Words(), [])

    @cached_property
    def flags(self) -> NDArray[np.uint8]:
        """`common_flags` of each event."""
        return self._common(2, np.uint8)

    @cached_property
    def preempt_count(self) -> NDArray[np.uint8]:
        """`common_preempt_count` of each event."""
        return self._common(3, np.uint8)

    @cached_property
    def pid(self) -> NDArray[np.int32]:
        """`common_pid` of each event: the running task."""
        return self._common(4, np.int32)

    def _common(self, offset: int, type_: type[_Number]) -> NDArray[_Number]:
        of_host = np.dtype(type_)
        found = np.empty((len(self), of_host.itemsize), np.uint8)
        native_fields.gather(self.columns.address, self.columns.size, offset, of_host.itemsize, found)
        return found.view(f"{self.words.byte_order}{of_host.str[1:]}")[:, 0].astype(type_)


def read_buffer(recording: Recording, buffer: Buffer, complain: Callable[[TraceFileError], None]) -> BufferEvents:
    """Finds the events in a buffer's pages.

    `complain` is called with each error in a page. If it does not raise the error, the rest of the page is left out.
    """
    parts, losses, ends = [], [], [0]
    for cpu in sorted(buffer.cpus, key=lambda cpu: cpu.cpu):
        part, lost = _read_cpu(recording, cpu, complain)
        losses += [(ends[-1] + row, count) for row, count in lost]
        parts.append(part)
        ends.append(ends[-1] + len(part))
    columns = _joined(parts)
    order = _order(columns.time, ends)
    if order is not None:
        columns = columns.take(order)
        place = np.empty(len(order), np.int64)
        place[order] = np.arange(len(order))
        losses = [(int(place[row]), count) for row, count in losses if row < len(order)]
    cpus = [cpu.cpu for cpu in sorted(buffer.cpus, key=lambda cpu: cpu.cpu)]
    return BufferEvents(
        buffer.name, buffer.clock, cpus, columns, dict(losses), recording.words, list(buffer.cpus)
    )  # fmt: skip


def merge(buffers: Sequence[BufferEvents]) -> tuple[BufferEvents, NDArray[np.int64]]:
    """The events of several buffers, sorted by time, then by buffer; and the buffer of each event."""
    ends = np.cumsum([0, *map(len, buffers)])
    columns = _joined([buffer.columns for buffer in buffers])
    source = np.repeat(np.arange(len(buffers)), np.diff(ends))
    starts = zip(ends.tolist(), buffers, strict=False)
    losses = [(start + row, count) for start, buffer in starts for row, count in buffer.lost.items()]
    order = _order(columns.time, ends.tolist())
    if order is None:
        return buffers[0], source
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    lost = {int(place[row]): count for row, count in losses}
    cpus = sorted({cpu for buffer in buffers for cpu in buffer.cpus})
    pages = [page for buffer in buffers for page in buffer.pages]
    merged = BufferEvents("", buffers[0].clock, cpus, columns.take(order), lost, buffers[0].words, pages)
    return merged, source[order]


def _read_cpu(
    recording: Recording, cpu: CpuPages, complain: Callable[[TraceFileError], None]
) -> tuple[EventColumns, list[tuple[int, int]]]:
    """The events of one CPU in the order of its pages, and where events were lost."""
    pages, (count, page_size) = cpu.pages, cpu.pages.shape
    most = count * (page_size // _SMALLEST)
    found = native.Found(
        np.empty(most, np.uint64), np.empty(most, np.int64), np.empty(most, np.int32), np.empty(most, np.uint16),
        np.empty((count, 2), np.int64), np.empty((_MOST_PROBLEMS, 2), np.int64),
    )  # fmt: skip
    swapped = recording.words.swapped
    events, lost, wrong = native.find_events(pages.ctypes.data, count, page_size, recording.layout, swapped, found)
    for place, problem in found.problems[:wrong].tolist():
        text = f"{_PROBLEMS[problem]} (CPU {cpu.cpu}, page {place // page_size})"
        complain(TraceFileError(cpu.offset if cpu.packed else cpu.offset + place, text))
    if wrong > _MOST_PROBLEMS:
        complain(TraceFileError(cpu.offset, f"{wrong - _MOST_PROBLEMS} more pages of CPU {cpu.cpu} are damaged"))
    time, address = found.times[:events].copy(), found.addresses[:events].copy()
    size, kind = found.sizes[:events].copy(), found.kinds[:events].copy()
    part = EventColumns(time, np.full(events, cpu.cpu, np.uint16), address, size, kind)
    return part, [(row, many) for row, many in found.losses[:lost].tolist() if row < events]


def _joined(parts: list[EventColumns]) -> EventColumns:
    if len(parts) == 1:
        return parts[0]
    names = {"time": np.uint64, "cpu": np.uint16, "address": np.int64, "size": np.int32, "kind": np.uint16}
    return EventColumns(
        **{name: np.concatenate([np.empty(0, type_), *(getattr(part, name) for part in parts)]) for name, type_ in names.items()}
    )


def _order(time: NDArray[np.uint64], ends: list[int]) -> NDArray[np.int64] | None:
    """The printing order of the events of several CPUs, which are stored one CPU after another; None if they are in order.

    The CPU with the earliest next event comes next. So an event that is earlier than its predecessor on the same CPU
    follows the predecessor.
    """
    if len(ends) <= 2:
        return None
    latest = time.copy()
    for start, end in pairwise(ends):
        np.maximum.accumulate(time[start:end], out=latest[start:end])
    return np.argsort(latest, kind="stable")
