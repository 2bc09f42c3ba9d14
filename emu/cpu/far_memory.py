# SPDX-License-Identifier: GPL-2.0-only
"""Memory far from the host's libraries.

Translated code can call Unicorn directly only within 2 GiB. From farther away, every call goes through a pointer, and the guest
is a tenth slower. So gigabytes of memory are mapped far from the addresses that the host uses for other mappings.
"""

from __future__ import annotations

import ctypes
import mmap
import weakref

from emu.cpu.host_memory import ANONYMOUS, map_memory, unmap_memory

__all__ = ["far_memory"]

_START = 1 << 44  # Linux on x86-64 maps libraries above five times this, and programs at fixed addresses far below it

_next = _START


def far_memory(size: int) -> memoryview:
    """Maps `size` zero bytes, which take memory only when they are used. They are unmapped with their last view.

    Raises:
        OSError: the host refuses to map so much.
    """
    global _next
    # If the address is taken, the host chooses another one.
    address = map_memory(_next, size, ANONYMOUS)
    _next += -(-size // mmap.PAGESIZE) * mmap.PAGESIZE
    memory = (ctypes.c_char * size).from_address(address)
    weakref.finalize(memory, unmap_memory, address, size).atexit = False
    return memoryview(memory).cast("B")
