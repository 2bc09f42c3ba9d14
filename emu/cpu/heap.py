# SPDX-License-Identifier: GPL-2.0-only
"""A board's own heap, from which Unicorn's library takes the memory for the board's CPUs (see native.heap).

It makes all that Unicorn knows of the board memory that can be saved and put back.
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
def _control() -> heap_record.Control:
    """What says which heap is in use. From now on the library asks it.

    Raises:
        OSError: the word's place is taken.
    """
    place = int(native.CONTROL)
    if not _map(place, mmap.PAGESIZE):
        raise OSError(errno.EEXIST, f"the host has something at {place:#x}")
    for name, function in native.FUNCTIONS.items():
        library_imports.replace(name, function)
    return heap_record.Control(place)


class Heap:
    """A heap of at most `size` bytes. As a context: what Unicorn allocates meanwhile comes from it.

    The memory is given back with the last reference, which must outlive all that was allocated.

    Raises:
        OSError: the host has no place for it.
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
        """Address and size of what Unicorn has mapped for the board: the buffers of translations."""
        mappings = map(self.record.mappings.__getitem__, range(self.record.mapping_count))
        return [(mapping.start, mapping.size) for mapping in mappings]
