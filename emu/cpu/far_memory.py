# SPDX-License-Identifier: GPL-2.0-only
"""Memory that lies far from the host's libraries.

What Unicorn translates calls Unicorn directly only within 2 GiB of it; from further away every call goes through a pointer, and
a guest is a tenth slower. So what takes up gigabytes of addresses keeps away from where the host puts everything else.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import weakref

__all__ = ["far_memory"]

_START = 1 << 44  # Linux has programs and libraries on x86-64 above five times that, and programs at fixed addresses far below
_MAP_NORESERVE = 0x4000  # Linux; Python names it from 3.13 on
_FAILED = ctypes.c_void_p(-1).value

_libc = ctypes.CDLL(None, use_errno=True)
_libc.mmap.restype = ctypes.c_void_p
_libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
_libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]

_next = _START


def far_memory(size: int) -> memoryview:
    """That many zero bytes: addresses, not memory, until they are used; given back with the last view of them.

    Raises:
        OSError: the host has not as many addresses.
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
