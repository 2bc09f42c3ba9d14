# SPDX-License-Identifier: GPL-2.0-only
"""The ring-buffer pages of a trace.dat as arrays: mapped from the file, or unpacked into an unnamed file."""

from __future__ import annotations

import mmap
import tempfile
from collections.abc import Callable
from typing import IO

import numpy as np
from numpy.typing import NDArray

from emu.trace.dat.byte_reader import ByteReader
from emu.trace.dat.compression import Unpack
from emu.trace.errors import TraceFileError
from emu.trace.recording import CpuPages

__all__ = ["MOST_CPUS", "PagesReader", "check_page_size"]

MOST_CPUS = 1 << 16
_MOST_TIMES = 1000  # maximum of the unpacked pages' total size, as a multiple of the file's size


def check_page_size(size: int, place: int) -> None:
    """Raises TraceFileError if a page cannot have this size."""
    if not 1 << 7 <= size <= 1 << 26 or size % 8:
        raise TraceFileError(place, f"pages of {size} bytes")


class PagesReader:
    """Makes arrays of the pages.

    Args:
        memory: the whole file.
        byte_order: of numbers in it: "little" or "big".
        complain: called with each error that does not end reading. It may raise the error.
    """

    def __init__(self, memory: memoryview, byte_order: str, complain: Callable[[TraceFileError], None]) -> None:
        self._memory = memory
        self._byte_order = byte_order
        self._complain = complain
        self._unpacked = self._mapped = 0

    def mapped(self, cpu: int, offset: int, size: int, page_size: int, place: int) -> CpuPages:
        """Uncompressed pages in the file. `place`: the file position that describes them."""
        if offset + size > len(self._memory):
            at = len(self._memory)
            self._complain(TraceFileError(at, f"the file ends in the pages of CPU {cpu}, which begin at byte {offset}"))
        elif size % page_size:
            self._complain(TraceFileError(place, f"CPU {cpu} has {size} bytes, and a page {page_size}"))
        whole = max(min(size, len(self._memory) - offset), 0) // page_size
        self._mapped += whole * page_size
        if self._mapped > len(self._memory):
            raise TraceFileError(place, f"the pages of CPU {cpu} are those of another, too")
        return CpuPages(cpu, _as_pages(self._memory[offset : offset + whole * page_size], page_size), offset)

    def unpacked(self, cpu: int, offset: int, page_size: int, unpack: Unpack) -> CpuPages:
        """Pages in compressed chunks: the number of chunks; then for each its packed and unpacked size, and its bytes."""
        reader = ByteReader(self._memory, self._byte_order, offset)
        with tempfile.TemporaryFile() as file:
            try:
                for _ in range(reader.number(4, f"the number of chunks of CPU {cpu}")):
                    self._unpack_chunk(reader, page_size, unpack, file)
            except TraceFileError as error:
                self._complain(error)
            size = file.tell()
            file.flush()
            memory = mmap.mmap(file.fileno(), size, access=mmap.ACCESS_READ) if size else b""
        return CpuPages(cpu, _as_pages(memoryview(memory), page_size), offset, packed=True)

    def _unpack_chunk(self, reader: ByteReader, page_size: int, unpack: Unpack, file: IO[bytes]) -> None:
        packed, size, place = reader.number(4, "a chunk's size"), reader.number(4, "a chunk's size unpacked"), reader.place
        self._unpacked += size
        if size % page_size or self._unpacked > _MOST_TIMES * len(self._memory):
            raise TraceFileError(place, f"a chunk has an unpacked size of {size} bytes, with pages of {page_size}")
        file.write(unpack(reader.view(packed, "a chunk"), size, place))


def _as_pages(memory: memoryview, page_size: int) -> NDArray[np.uint8]:
    pages: NDArray[np.uint8] = np.frombuffer(memory, np.uint8).reshape(-1, page_size)
    return pages
