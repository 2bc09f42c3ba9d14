# SPDX-License-Identifier: GPL-2.0-only
"""Memory of which only changed pages are saved.

At its base, memory becomes a private mapping of an in-memory file. The kernel copies a page when it is first written, and
/proc/self/pagemap shows which pages those are.
"""

from __future__ import annotations

import ctypes
import functools
import itertools
import mmap
import os
import weakref
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from emu.cpu.host_memory import DATA, FIXED, PRIVATE, map_memory

__all__ = ["PAGE", "Memory", "MemoryBase", "Numbers", "PageContents", "note_mapped"]

PAGE = mmap.PAGESIZE
_ENTRY = 8  # bytes of a pagemap entry (Documentation/admin-guide/mm/pagemap.rst)
_IN_USE, _OF_A_FILE = np.uint64(1 << 63 | 1 << 62), np.uint64(1 << 61)  # in RAM or swapped out; not a private copy

_libc = ctypes.CDLL(None, use_errno=True)
_libc.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]

Numbers = npt.NDArray[np.int64]


@functools.cache
def _pagemap() -> int:
    return os.open("/proc/self/pagemap", os.O_RDONLY | os.O_CLOEXEC)


@dataclass(frozen=True)
class PageContents:
    """Some pages of a memory: their numbers, ascending, and their contents, shape (n, PAGE)."""

    numbers: Numbers
    data: npt.NDArray[np.uint8]


class Memory:
    """A private mapping of the host, in whole pages.

    Args:
        address: the start address.
        size: bytes.
        protection: of its pages, DATA or CODE.

    Attributes:
        pages: the contents, shape (n, PAGE), for reading and writing.
    """

    def __init__(self, address: int, size: int, protection: int = DATA) -> None:
        self.address = address
        self.size = size
        self._protection = protection
        self.pages = np.ctypeslib.as_array((ctypes.c_uint8 * size).from_address(address)).reshape(-1, PAGE)

    def changed(self) -> Numbers:
        """The numbers of the pages written since the current base; without a base, of the pages in use."""
        data = os.pread(_pagemap(), self.size // PAGE * _ENTRY, self.address // PAGE * _ENTRY)
        entries = np.frombuffer(data, np.uint64)
        return np.flatnonzero((entries & _IN_USE != 0) & (entries & _OF_A_FILE == 0))

    def used(self) -> Numbers:
        """The numbers of the pages that are not all zeros."""
        numbers = np.union1d(self.changed(), self._of_base())
        return numbers[self.pages[numbers].any(axis=1)]

    def save(self, numbers: Numbers) -> PageContents:
        """Saves some pages."""
        return PageContents(numbers, self.pages[numbers])

    def back_to_base(self) -> None:
        """Restores every page to the current base; without a base, to zeros."""
        _libc.madvise(self.address, self.size, mmap.MADV_DONTNEED)

    def put_back(self, contents: PageContents) -> None:
        """Restores some pages. The others stay as they are."""
        self.pages[contents.numbers] = contents.data

    def change_to(self, contents: PageContents) -> None:
        """Restores some pages, and the others to the current base. Pages that are private copies already stay so: it costs the
        host more to make a copy than to write one."""
        for run in _runs(np.setdiff1d(self.changed(), contents.numbers, assume_unique=True)):
            _libc.madvise(self.address + int(run[0]) * PAGE, len(run) * PAGE, mmap.MADV_DONTNEED)
        self.put_back(contents)

    def put_back_alone(self, contents: PageContents) -> None:
        """Restores some pages. The others become zeros."""
        self.back_to_base()
        self.pages[self._of_base()] = 0
        self.put_back(contents)

    def _of_base(self) -> Numbers:
        """The pages that are not all zeros at the current base. (The base's memory may be gone, and this at its address.)"""
        numbers = _in_force[self.address][1] if self.address in _in_force else np.zeros(0, np.int64)
        return numbers[numbers < len(self.pages)]

    def map(self, file: int, start: int) -> None:
        """Replaces it with a private mapping of a file, from byte `start` on.

        Raises:
            OSError: the host has too little memory.
        """
        map_memory(self.address, self.size, PRIVATE | FIXED, self._protection, file, start)


_in_force: dict[int, tuple[Callable[[], MemoryBase | None], Numbers]] = {}  # by address of the memory, which may be gone


def note_mapped(address: int, numbers: Numbers) -> None:
    """Tells that pages of memory at an address are those of a file, which are in use before they are touched."""
    _in_force[address] = _no_base, numbers


def _no_base() -> MemoryBase | None:
    return None


class MemoryBase:
    """The contents of some memory at this moment. This becomes the current base: pages written from now on are tracked.

    Attributes:
        memory: in the order given.
        used: the number of pages that are not all zeros.

    Raises:
        OSError: the host has too little memory.
    """

    def __init__(self, memory: Sequence[Memory]) -> None:
        self.memory = memory
        self._numbers = [one.used() for one in memory]
        self.used = sum(map(len, self._numbers))
        self._file = os.memfd_create("base", os.MFD_CLOEXEC)
        weakref.finalize(self, os.close, self._file).atexit = False
        self._starts = [0, *itertools.accumulate(one.size for one in memory)]
        os.ftruncate(self._file, self._starts[-1])
        for one, numbers, start in zip(memory, self._numbers, self._starts, strict=False):
            for run in _runs(numbers):
                _write(self._file, one.pages[run[0] : run[-1] + 1], start + int(run[0]) * PAGE)
        self.use()

    @property
    def in_force(self) -> bool:
        """Whether the memory equals this base, apart from the pages written since."""
        return all(one.address in _in_force and _in_force[one.address][0]() is self for one in self.memory)

    def use(self) -> None:
        """Restores the memory's contents, and makes this the current base.

        Raises:
            OSError: the host has too little memory.
        """
        for one, numbers, start in zip(self.memory, self._numbers, self._starts, strict=False):
            one.map(self._file, start)
            _in_force[one.address] = weakref.ref(self), numbers

    def back(self) -> None:
        """Restores the memory's contents. The base must be the current one."""
        for one in self.memory:
            one.back_to_base()


def _runs(numbers: Numbers) -> Iterable[Numbers]:
    """Groups of adjacent pages."""
    return np.split(numbers, np.flatnonzero(np.diff(numbers) != 1) + 1) if len(numbers) else ()


def _write(file: int, pages: npt.NDArray[np.uint8], at: int) -> None:
    data = pages.data.cast("B")
    done = 0
    while done < len(data):
        done += os.pwrite(file, data[done:], at + done)
