# SPDX-License-Identifier: GPL-2.0-only
"""A board's own heap, from which Unicorn's library takes the memory for the board's CPUs (see native.heap).

It makes all that Unicorn knows of the board memory that can be saved and put back.
"""

from __future__ import annotations

import ctypes
import errno
import functools
import mmap
import weakref
from types import TracebackType

import numpy as np

from emu.cpu import library_imports
from emu.cpu.host_memory import ANONYMOUS, FIXED_NOREPLACE, map_memory, unmap_memory
from emu.cpu.native import heap as native

__all__ = ["Heap"]


def _map(address: int, size: int) -> bool:
    """Maps zeros at an address; False if something is there.

    Raises:
        OSError: the host refuses that many addresses.
    """
    try:
        map_memory(address, size, ANONYMOUS | FIXED_NOREPLACE)
    except FileExistsError:
        return False
    return True


@functools.cache
def _in_use() -> ctypes.c_uint64:
    """The word that says which heap is in use. From now on the library asks it.

    Raises:
        OSError: the word's place is taken.
    """
    place = int(native.CONTROL)
    if not _map(place, mmap.PAGESIZE):
        raise OSError(errno.EEXIST, f"the host has something at {place:#x}")
    for name, function in native.FUNCTIONS.items():
        library_imports.replace(name, function)
    return ctypes.c_uint64.from_address(place)


class Heap:
    """A heap of at most `size` bytes. As a context: what Unicorn allocates meanwhile comes from it.

    The memory is given back with the last reference, which must outlive all that was allocated.

    Raises:
        OSError: the host has no place for it.
    """

    def __init__(self, size: int) -> None:
        self._control = _in_use()
        stride = int(native.STRIDE)
        assert size <= stride
        places = range(int(native.CONTROL) + stride, int(native.CONTROL) + int(native.MOST_HEAPS) * stride, stride)
        found = next((place for place in places if _map(place, size)), None)
        if found is None:
            raise OSError(errno.ENOMEM, "too many boards")
        self.address, self.size = found, size
        weakref.finalize(self, unmap_memory, found, size).atexit = False
        self._set(native.NEXT, found + int(native.HEADER_SIZE))
        self._set(native.END, found + size)

    def __enter__(self) -> None:
        self._control.value = self.address

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._control.value = 0

    @property
    def mappings(self) -> list[tuple[int, int]]:
        """Address and size of what Unicorn has mapped for the board: the buffers of translations."""
        first = int(native.MAPPINGS)
        count = self._get(int(native.MAPPING_COUNT))
        return [(self._get(first + 16 * n), self._get(first + 16 * n + 8)) for n in range(count)]

    def _get(self, offset: int) -> int:
        return ctypes.c_uint64.from_address(self.address + offset).value

    def _set(self, field: np.uint64, value: int) -> None:
        ctypes.c_uint64.from_address(self.address + int(field)).value = value
