# SPDX-License-Identifier: GPL-2.0-only
"""Maps the host's memory at chosen addresses."""

from __future__ import annotations

import ctypes
import mmap
import os

__all__ = ["ANONYMOUS", "CODE", "DATA", "FIXED", "FIXED_NOREPLACE", "PRIVATE", "map_memory", "unmap_memory", "use_large_pages"]

DATA = mmap.PROT_READ | mmap.PROT_WRITE
CODE = DATA | mmap.PROT_EXEC
PRIVATE = mmap.MAP_PRIVATE | 0x4000  # Linux's MAP_NORESERVE, which Python defines from 3.13 on
ANONYMOUS = PRIVATE | mmap.MAP_ANONYMOUS
FIXED, FIXED_NOREPLACE = 0x10, 0x10_0000  # Linux's values
_FAILED = ctypes.c_void_p(-1).value

_libc = ctypes.CDLL(None, use_errno=True)
_libc.mmap.restype = ctypes.c_void_p
_libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
_libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
_libc.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]


def map_memory(address: int, size: int, flags: int, protection: int = DATA, file: int = -1, start: int = 0) -> int:
    """mmap(2): returns the address chosen by the host, which is `address` with FIXED and FIXED_NOREPLACE.

    Raises:
        OSError: the host refuses. EEXIST: something is there.
    """
    mapped: int = _libc.mmap(address, size, protection, flags, file, start)
    if mapped == _FAILED:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))
    return mapped


def unmap_memory(address: int, size: int) -> None:
    """munmap(2)."""
    _libc.munmap(address, size)


def use_large_pages(address: int, size: int) -> None:
    """Asks the host for large pages, for memory that is accessed at random. It may not have any."""
    first = -(-address // mmap.PAGESIZE) * mmap.PAGESIZE
    _libc.madvise(first, address + size - first, mmap.MADV_HUGEPAGE)
