# SPDX-License-Identifier: GPL-2.0-only
"""The events of all CPUs in printing order, as columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import DTypeLike, NDArray

from emu.ftrace.buffers.entries import ENTRY, Events, entries_at

__all__ = ["Indices", "Rows", "merge"]

Indices = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Rows:
    """One element per event in each column. `lost`: the rows before which events of their CPU were lost, and how many."""

    words: NDArray[np.uint32]
    time: NDArray[np.uint64]
    cpu: NDArray[np.int64]
    offset: NDArray[np.int64]
    size: NDArray[np.int64]
    entry: NDArray[np.void]  # the common fields: entries.ENTRY
    place: NDArray[np.int64]  # index among all events, in printing order
    times: NDArray[np.uint64]  # of all events, in printing order
    lost: dict[int, int] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.time)

    def take(self, indices: Indices | NDArray[np.bool_]) -> Rows:
        """The selected rows, in the order given."""
        return Rows(
            self.words,
            self.time[indices],
            self.cpu[indices],
            self.offset[indices],
            self.size[indices],
            self.entry[indices],
            self.place[indices],
            self.times,
        )

    def entries(self, layout: DTypeLike) -> NDArray[np.void]:
        """The entries, each read as `layout`."""
        return entries_at(self.words, self.offset, layout)

    def payload(self, index: int, start: int) -> bytes:
        """The bytes of one entry, from byte `start` on."""
        first = int(self.offset[index])
        return self.words[first // 4 : (first + int(self.size[index])) // 4].tobytes()[start:]

    def bodies(self) -> list[bytes]:
        """The entries, with zeros for the common fields: entries with equal bodies have equal text."""
        bodies = np.empty(len(self), np.object_)
        for size in np.unique(self.size).tolist():
            chosen = np.flatnonzero(self.size == size)
            words = self.words[self.offset[chosen, np.newaxis] // 4 + np.arange(size // 4)]
            words[:, : ENTRY.itemsize // 4] = 0
            memory = words.tobytes()
            bodies[chosen] = [memory[start : start + size] for start in range(0, len(memory), size)]
        found: list[bytes] = bodies.tolist()
        return found


def merge(parts: Sequence[Events]) -> Rows:
    """All events, sorted by time; events with equal times are in the order of the parts."""
    if not parts:
        nothing, never = np.empty(0, np.int64), np.empty(0, np.uint64)
        return Rows(np.empty(0, np.uint32), never, nothing, nothing, nothing, np.empty(0, ENTRY), nothing, never)
    bases = np.cumsum([0, *(part.words.nbytes for part in parts)])
    words = parts[0].words if len(parts) == 1 else np.concatenate([part.words for part in parts])
    time = np.concatenate([part.time for part in parts])
    offset = np.concatenate([part.offset + base for part, base in zip(parts, bases, strict=False)])
    order = np.argsort(time, kind="stable")
    time, offset = time[order], offset[order]
    firsts = np.cumsum([0, *(len(part) for part in parts)])
    losses = [(first, part.lost) for part, first in zip(parts, firsts, strict=False) if part.lost and len(part)]
    return Rows(
        words,
        time,
        np.concatenate([np.full(len(part), part.cpu) for part in parts])[order],
        offset,
        np.concatenate([part.size for part in parts])[order],
        entries_at(words, offset, ENTRY),
        np.arange(len(time)),
        time,
        {int(np.flatnonzero(order == first)[0]): lost for first, lost in losses},
    )
