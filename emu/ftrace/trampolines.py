# SPDX-License-Identifier: GPL-2.0-only
"""Places in the guest kernel's .ftrace.tramp, in which the host puts code."""

from __future__ import annotations

import errno

import numpy as np

from emu.ftrace.array_records import RecordLists
from emu.ftrace.errors import TraceError
from emu.ftrace.native import array_record
from emu.kernel.kernel import Kernel

__all__ = ["PLACE_SIZE", "Trampolines"]

PLACE_SIZE = 32  # bytes


class Trampolines:
    """The places of an image.

    Args:
        kernel: with its image loaded.
        records: say what the code in each place stands for.
    """

    def __init__(self, kernel: Kernel, records: RecordLists) -> None:
        self._kernel = kernel
        image = kernel.image
        self._area = range(image.symbol("__ftrace_tramp_start"), image.symbol("__ftrace_shared"))
        self._free = list(self._area[::PLACE_SIZE])
        self._free.reverse()
        self._stands_for = np.zeros(len(self._free), np.uint64)
        records.set_in_all(array_record.PLACES, self._area.start)
        records.set_in_all(array_record.PLACES_SIZE, len(self._area))
        records.set_in_all(array_record.STANDS_FOR, self._stands_for.ctypes.data)

    def allocate(self, size: int, stands_for: int = 0) -> int:
        """The address of a place for code of so many bytes. `stands_for`: where backtraces show a CPU that is there.

        Raises:
            TraceError: ENOMEM, when all places are in use.
        """
        assert size <= PLACE_SIZE
        if not self._free:
            raise TraceError(errno.ENOMEM, "all places for trampolines are in use")
        place = self._free.pop()
        self._stands_for[self._number(place)] = stands_for
        return place

    def write(self, place: int, code: bytes) -> None:
        """Puts code into a place, where no CPU is. CPUs may have translated what was there before."""
        board, start = self._kernel.board, self._kernel.memory.physical(place)
        board.write_code(start, code)
        for cpu in board.cpus:
            cpu.forget(np.array([[start, start + len(code)]], np.uint64))

    def release(self, place: int) -> None:
        """Nobody will come to a place any more."""
        self._free.append(place)

    def original(self, address: int) -> int:
        """The address that code at an address stands for, or the address itself."""
        if address not in self._area:
            return address
        return int(self._stands_for[self._number(address)]) or address

    def _number(self, address: int) -> int:
        return (address - self._area.start) // PLACE_SIZE
