# SPDX-License-Identifier: GPL-2.0-only
"""The table of a histogram, filled by native code (`native.hist_map`)."""

from __future__ import annotations

import errno
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from emu.ftrace.errors import TraceError
from emu.ftrace.hist.program import ElementLayout, Program
from emu.ftrace.native.hist_record import FRAMES, Frame, Histogram, Step
from emu.native.records import Bytes, Records, Words, zeros

__all__ = ["HEADER", "HistMap", "HistMemory"]

_SLOTS_PER_ELEMENT = 4
_WORD = 8  # bytes
HEADER = 2  # words of an element before those that it keeps


class HistMemory:
    """A limit for the memory of all tables together: it is the host's, not the guest's.

    Args:
        limit: bytes.
    """

    def __init__(self, limit: int) -> None:
        self._left = limit

    def take(self, size: int) -> Callable[[], None]:
        """Reserves memory. Returns a function that releases it.

        Raises:
            TraceError: ENOMEM.
        """
        if size > self._left:
            raise TraceError(errno.ENOMEM, f"a histogram of {size >> 10} KiB is too large: {self._left >> 10} KiB are left")
        self._left -= size
        return lambda: self._give_back(size)

    def _give_back(self, size: int) -> None:
        self._left += size


class HistMap:
    """A table, initially empty.

    Args:
        memory: the limit of its memory.
        capacity: the number of elements for which there is room, a power of two.
        layout: the layout of the elements.

    Attributes:
        record: native code's record of the table (`native.hist_record`).

    Raises:
        TraceError: ENOMEM.
    """

    def __init__(self, memory: HistMemory, capacity: int, layout: ElementLayout) -> None:
        slots, words = _SLOTS_PER_ELEMENT * capacity, HEADER + layout.size
        self._give_back = memory.take((slots + capacity * words) * _WORD)
        self._slots, self._elements = zeros(slots), zeros(capacity * words)
        self._rows = self._elements.reshape(capacity, words)
        self.record = Histogram.allocate()
        self.record.slots, self.record.slot_mask = Words(self._slots.ctypes.data), slots - 1
        self.record.elements, self.record.element_size = Bytes(self._elements.ctypes.data), words * _WORD
        self.record.capacity = capacity
        self.record.key_size, self.record.comm = layout.key_size, layout.comm

    def run(self, program: Program) -> None:
        """Makes events update the table by this program from now on."""
        record, steps, frame_size = self.record, program.steps, (1 + program.frame_size) * _WORD
        self._program = np.concatenate([step.words for step in steps])
        record.program, record.steps = Records[Step](self._program.ctypes.data), len(steps)
        if (number := program.number) is not None:
            record.number_size, record.number_source, record.number_offset = number.size, number.source, number.offset
        self._frames = np.zeros(FRAMES * frame_size // _WORD, np.uint64)
        record.frame, record.frame_size = Frame(self._frames.ctypes.data), frame_size
        record.frames_end = record.frame.address + FRAMES * frame_size

    @property
    def hitcounts(self) -> NDArray[np.uint64]:
        """The hitcount of each element, in the order in which the keys were added."""
        return self._rows[: self.record.used, 0]

    @property
    def elements(self) -> NDArray[np.uint64]:
        """What each element keeps: a row of words."""
        return self._rows[: self.record.used, HEADER:]

    @property
    def hits(self) -> int:
        """The number of events counted: the sum of all hitcounts."""
        return int(self.hitcounts.sum())

    @property
    def drops(self) -> int:
        """The number of events that were not counted because there was no room for their keys."""
        return self.record.drops

    def clear(self) -> None:
        """Empties the table."""
        self._slots[:] = 0
        self.record.used, self.record.drops, self.record.latest = 0, 0, None

    def release(self) -> None:
        """Releases the memory. References to the table's variables find none from now on."""
        self.clear()
        self._give_back()
