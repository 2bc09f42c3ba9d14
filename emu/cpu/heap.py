# SPDX-License-Identifier: GPL-2.0-only
"""A board's own heap, from which Unicorn allocates the memory for the board's CPUs (see native.heap).

So all of Unicorn's data about the board is in memory that can be saved and restored.
"""

from __future__ import annotations

import errno
import functools
import mmap
import weakref
from types import TracebackType

from emu.cpu import library_imports
from emu.cpu.host_memory import ANONYMOUS, FIXED_NOREPLACE, map_memory, unmap_memory
from emu.cpu.native import heap as native
from emu.cpu.native import heap_record

__all__ = ["Heap"]


def _map(address: int, size: int) -> bool:
    """Maps zeros at an address. Returns False if something is there.

    Raises:
        OSError: the host refuses to map so much.
    """
    try:
        map_memory(address, size, ANONYMOUS | FIXED_NOREPLACE)
    except FileExistsError:
        return False
    return True


@functools.cache
def _control() -> heap_record.Control:
    """The word that selects the active heap. The library's allocator uses it from now on.

    Raises:
        OSError: the word's address is taken.
    """
    place = int(native.CONTROL)
    if not _map(place, mmap.PAGESIZE):
        raise OSError(errno.EEXIST, f"the host has something at {place:#x}")
    for name, function in native.FUNCTIONS.items():
        library_imports.replace(name, function)
    return heap_record.Control(place)


class Heap:
    """A heap of at most `size` bytes. As a context manager, it serves Unicorn's allocations during the body.

    The memory is freed with the last reference, which must outlive all allocations.

    Raises:
        OSError: the host has no room for it.
    """

    def __init__(self, size: int) -> None:
        self._control = _control()
        stride = int(native.STRIDE)
        assert size <= stride
        places = range(int(native.CONTROL) + stride, int(native.CONTROL) + native.MOST_HEAPS * stride, stride)
        found = next((place for place in places if _map(place, size)), None)
        if found is None:
            raise OSError(errno.ENOMEM, "too many boards")
        self.address, self.size = found, size
        weakref.finalize(self, unmap_memory, found, size).atexit = False
        self.record = heap_record.Heap(found)
        self.record.unused = found + native.HEADER_SIZE
        self.record.end = found + size

    def __enter__(self) -> None:
        self._control.heap = self.record

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._control.heap = None

    @property
    def mappings(self) -> list[tuple[int, int]]:
        """The addresses and sizes of Unicorn's own mappings for the board: the translation buffers."""
        mappings = map(self.record.mappings.__getitem__, range(self.record.mapping_count))
        return [(mapping.start, mapping.size) for mapping in mappings]
