# SPDX-License-Identifier: GPL-2.0-only
"""Reads numbers, texts and bytes from an untrusted file."""

from __future__ import annotations

from emu.trace.errors import TraceFileError

__all__ = ["ByteReader"]

Bytes = bytes  # the class below has a method of that name

_LONGEST_NAME = 4096  # bytes: a path is the longest name in a file


class ByteReader:
    """Reads forward in `data`.

    Args:
        data: the bytes. Reading beyond them is an error, and never returns less.
        byte_order: the byte order of numbers: "little" or "big".
        offset: where to begin.
        place: the position of `data` in the file, for errors. With `packed`, `data` was unpacked from that position.
    """

    def __init__(self, data: memoryview, byte_order: str, offset: int = 0, place: int = 0, *, packed: bool = False) -> None:
        self._data = data
        self._byte_order = byte_order
        self._place = place
        self._packed = packed
        self.offset = offset

    @property
    def place(self) -> int:
        """The file position of the next byte; for unpacked data, the start of the packed data."""
        return self._place + (0 if self._packed else self.offset)

    @property
    def left(self) -> int:
        """The number of bytes from here on."""
        return max(len(self._data) - self.offset, 0)

    def error(self, problem: str) -> TraceFileError:
        """An error at this position."""
        return TraceFileError(self.place, problem)

    def view(self, size: int, what: str) -> memoryview:
        """The next bytes, without copying.

        Raises:
            TraceFileError: there are too few bytes. The following methods also raise it.
        """
        if self.offset < 0 or size > self.left:
            raise self.error(f"{what} takes {size} bytes, and {self.left} are left")
        start = self.offset
        self.offset += size
        return self._data[start : start + size]

    def bytes(self, size: int, what: str) -> bytes:
        return bytes(self.view(size, what))

    def number(self, size: int, what: str) -> int:
        return int.from_bytes(self.view(size, what), self._byte_order)  # type: ignore[arg-type]  # one of two strings

    def string(self, what: str) -> str:
        """A NUL-terminated text."""
        end = bytes(self._data[self.offset : self.offset + _LONGEST_NAME]).find(b"\0")
        if self.offset < 0 or end < 0:
            raise self.error(f"{what} has no end")
        found = self.bytes(end, what)
        self.offset += 1
        return found.decode(errors="surrogateescape")

    def expect(self, magic: Bytes, what: str) -> None:
        """Skips bytes that must be there."""
        if self.left < len(magic) or bytes(self._data[self.offset : self.offset + len(magic)]) != magic:
            raise self.error(f"there is no {what}")
        self.offset += len(magic)
