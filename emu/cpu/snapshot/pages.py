# SPDX-License-Identifier: GPL-2.0-only
"""Memory of which only the pages that have changed are kept.

At its base the memory becomes a private mapping of a file in memory. The kernel copies a page when it is written first, and
/proc/self/pagemap tells which pages those are.
"""

from __future__ import annotations

import ctypes
import functools
import mmap
import os
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

__all__ = ["PAGE", "Memory", "PageContents"]

PAGE = mmap.PAGESIZE
_MAP_FIXED, _MAP_NORESERVE = 0x10, 0x4000  # Linux
_ENTRY = 8  # bytes of a pagemap entry (Documentation/admin-guide/mm/pagemap.rst)
_IN_USE, _OF_A_FILE = np.uint64(1 << 63 | 1 << 62), np.uint64(1 << 61)  # in RAM or swapped out; not a private copy

_libc = ctypes.CDLL(None, use_errno=True)
_libc.mmap.restype = ctypes.c_void_p
_libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
_libc.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]


@functools.cache
def _pagemap() -> int:
    return os.open("/proc/self/pagemap", os.O_RDONLY | os.O_CLOEXEC)


@dataclass(frozen=True)
class PageContents:
    """Some pages of a memory: their numbers, ascending, and what they hold, shape (n, PAGE)."""

    numbers: npt.NDArray[np.int64]
    data: npt.NDArray[np.uint8]


class Memory:
    """A mapping of the host, in whole pages.

    Args:
        address: where it begins.
        size: bytes.
        protection: of its pages.

    Attributes:
        pages: what it holds, shape (n, PAGE), to be read and written.
    """

    def __init__(self, address: int, size: int, protection: int = mmap.PROT_READ | mmap.PROT_WRITE) -> None:
        self.address = address
        self.size = size
        self._protection = protection
        self.pages = np.ctypeslib.as_array((ctypes.c_uint8 * size).from_address(address)).reshape(-1, PAGE)

    def begin(self) -> None:
        """What the memory holds now is its base.

        Raises:
            OSError: the host has too little memory.
        """
        numbers = self.changed()
        numbers = numbers[self.pages[numbers].any(axis=1)]
        file = os.memfd_create("base", os.MFD_CLOEXEC)
        try:
            os.ftruncate(file, self.size)
            for run in np.split(numbers, np.flatnonzero(np.diff(numbers) != 1) + 1) if len(numbers) else ():
                os.pwrite(file, self.pages[run[0] : run[-1] + 1].data, int(run[0]) * PAGE)
            flags = mmap.MAP_PRIVATE | _MAP_FIXED | _MAP_NORESERVE
            if _libc.mmap(self.address, self.size, self._protection, flags, file, 0) != self.address:
                raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
        finally:
            os.close(file)

    def changed(self) -> npt.NDArray[np.int64]:
        """The numbers of the pages that have been written since the base; without one, of the pages in use."""
        data = os.pread(_pagemap(), self.size // PAGE * _ENTRY, self.address // PAGE * _ENTRY)
        entries = np.frombuffer(data, np.uint64)
        return np.flatnonzero((entries & _IN_USE != 0) & (entries & _OF_A_FILE == 0))

    def save(self, numbers: npt.NDArray[np.int64]) -> PageContents:
        """What some pages hold."""
        return PageContents(numbers, self.pages[numbers])

    def back_to_base(self) -> None:
        """Every page holds again what it held at the base; without one, zeros."""
        _libc.madvise(self.address, self.size, mmap.MADV_DONTNEED)

    def put_back(self, contents: PageContents) -> None:
        """Stores the contents of some pages; the others stay as they are."""
        self.pages[contents.numbers] = contents.data
