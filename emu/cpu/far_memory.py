# SPDX-License-Identifier: GPL-2.0-only
"""Memory that lies far from the host's libraries.

Translated code can call Unicorn directly only within 2 GiB of Unicorn. From farther away every call goes through a
pointer, and a guest is a tenth slower. So memory of gigabytes is mapped far from where the host maps everything else.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import weakref

__all__ = ["far_memory"]

_START = 1 << 44  # Linux on x86-64 puts libraries above five times this, programs at fixed addresses far below it
_MAP_NORESERVE = 0x4000  # Linux; Python names it from 3.13 on
_FAILED = ctypes.c_void_p(-1).value

_libc = ctypes.CDLL(None, use_errno=True)
_libc.mmap.restype = ctypes.c_void_p
_libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
_libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]

_next = _START


def far_memory(size: int) -> memoryview:
    """Maps `size` zero bytes, which take memory only once they are used. They are unmapped with their last view.

    Raises:
        OSError: the host refuses that many addresses.
    """
    global _next
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _MAP_NORESERVE
    # An address that is taken is no error: the host then chooses one.
    address = _libc.mmap(_next, size, mmap.PROT_READ | mmap.PROT_WRITE, flags, -1, 0)
    if address == _FAILED:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))
    _next += -(-size // mmap.PAGESIZE) * mmap.PAGESIZE
    memory = (ctypes.c_char * size).from_address(address)
    weakref.finalize(memory, _libc.munmap, address, size).atexit = False
    return memoryview(memory).cast("B")
