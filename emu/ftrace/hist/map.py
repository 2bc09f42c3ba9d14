# SPDX-License-Identifier: GPL-2.0-only
"""The table of a histogram, which native code fills (`native.hist_map`)."""

from __future__ import annotations

import errno
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from emu.ftrace.errors import TraceError
from emu.ftrace.hist.program import Program
from emu.ftrace.native import hist_record
from emu.native.record import Record

__all__ = ["HistMap", "HistMemory"]

_SLOTS_PER_ELEMENT = 4
_WORD = 8  # bytes


class HistMemory:
    """How much memory tables may take in all: it is the host's, not the guest's.

    Args:
        limit: bytes.
    """

    def __init__(self, limit: int) -> None:
        self._left = limit

    def take(self, size: int) -> Callable[[], None]:
        """Returns what gives the memory back.

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
    """A table, empty at first.

    Args:
        memory: from which its room is taken.
        capacity: how many elements there is room for, a power of two.
        key_size: bytes of a key.
        element_size: bytes of an element.
        comm: where an element has the name of a task; 0: it has none.

    Attributes:
        record: what native code knows of it (`native.hist_record`).

    Raises:
        TraceError: ENOMEM.
    """

    def __init__(self, memory: HistMemory, capacity: int, key_size: int, element_size: int, comm: int) -> None:
        slots = _SLOTS_PER_ELEMENT * capacity
        self._give_back = memory.take(slots * _WORD + capacity * element_size)
        self._slots = Record(slots)
        self._elements = Record(capacity * element_size // _WORD)
        self._words = element_size // _WORD
        self.record = Record(hist_record.WORDS)
        for field, value in (
            (hist_record.SLOTS, self._slots.address),
            (hist_record.SLOT_MASK, slots - 1),
            (hist_record.ELEMENTS, self._elements.address),
            (hist_record.ELEMENT_SIZE, element_size),
            (hist_record.CAPACITY, capacity),
            (hist_record.KEY_SIZE, key_size),
            (hist_record.COMM, comm),
        ):
            self.record.set(field, value)

    def run(self, program: Program) -> None:
        """Events change it by this program from now on."""
        self._program = program.words
        start, size = self._program.ctypes.data, program.frame_size
        self.record.set(hist_record.NUMBER, program.number)
        self.record.set(hist_record.PROGRAM, start)
        self.record.set(hist_record.PROGRAM_END, start + self._program.nbytes)
        self._frames = Record(hist_record.FRAMES * size // _WORD)
        self.record.set(hist_record.FRAME, self._frames.address)
        self.record.set(hist_record.FRAME_SIZE, size)
        self.record.set(hist_record.FRAMES_END, self._frames.address + hist_record.FRAMES * size)

    @property
    def elements(self) -> NDArray[np.uint64]:
        """A row of words for each, in the order in which their keys came."""
        used = self.record.get(hist_record.USED)
        return self._elements.words[: used * self._words].reshape(used, self._words)

    @property
    def hits(self) -> int:
        """How many events have been counted: the sum of all hitcounts."""
        return int(self.elements[:, self.record.get(hist_record.KEY_SIZE) // _WORD].sum())

    @property
    def drops(self) -> int:
        """How many events were not, because there was no room for their keys."""
        return self.record.get(hist_record.DROPS)

    def clear(self) -> None:
        """Empties it."""
        self._slots.clear()
        for field in (hist_record.USED, hist_record.DROPS, hist_record.LATEST):
            self.record.set(field, 0)

    def release(self) -> None:
        """Gives its room back. Who still refers to its variables finds none."""
        self.clear()
        self._give_back()
