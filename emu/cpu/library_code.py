# SPDX-License-Identifier: GPL-2.0-only
"""Patches the code and constants of Unicorn's library in memory, for the `repairs` of an architecture."""

from __future__ import annotations

import ctypes
import mmap
import os

__all__ = ["CODE", "CONSTANTS", "store"]

CONSTANTS, CODE = mmap.PROT_READ, mmap.PROT_READ | mmap.PROT_EXEC

_libc = ctypes.CDLL(None, use_errno=True)
_libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]


def store(address: int, data: bytes, protection: int) -> None:
    """Writes to read-only memory. `protection`: CODE or CONSTANTS, the protection of its pages.

    Raises:
        OSError: the host does not allow a process to change its code.
    """
    page = address & -mmap.PAGESIZE
    size = address + len(data) - page
    for now in (protection | mmap.PROT_WRITE, protection):
        if _libc.mprotect(page, size, now):
            error = ctypes.get_errno()
            raise OSError(error, os.strerror(error))
        if now & mmap.PROT_WRITE:
            ctypes.memmove(address, data, len(data))
