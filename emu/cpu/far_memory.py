# SPDX-License-Identifier: GPL-2.0-only
"""Memory that lies far from the host's libraries.

Translated code can call Unicorn directly only within 2 GiB of Unicorn. From farther away every call goes through a
pointer, and a guest is a tenth slower. So memory of gigabytes is mapped far from where the host maps everything else.
"""

from __future__ import annotations

import ctypes
import mmap
import weakref

from emu.cpu.host_memory import ANONYMOUS, map_memory, unmap_memory

__all__ = ["far_memory"]

_START = 1 << 44  # Linux on x86-64 puts libraries above five times this, programs at fixed addresses far below it

_next = _START


def far_memory(size: int) -> memoryview:
    """Maps `size` zero bytes, which take memory only once they are used. They are unmapped with their last view.

    Raises:
        OSError: the host refuses that many addresses.
    """
    global _next
    # An address that is taken is no error: the host then chooses one.
    address = map_memory(_next, size, ANONYMOUS)
    _next += -(-size // mmap.PAGESIZE) * mmap.PAGESIZE
    memory = (ctypes.c_char * size).from_address(address)
    weakref.finalize(memory, unmap_memory, address, size).atexit = False
    return memoryview(memory).cast("B")
