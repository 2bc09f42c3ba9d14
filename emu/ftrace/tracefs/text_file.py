# SPDX-License-Identifier: GPL-2.0-only
"""Files whose text is made when they are read, and to which each write is one complete command."""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import islice
from typing import ClassVar, Self

from emu.ftrace.errors import TraceError
from emu.ftrace.tracefs.node import File
from emu.kernel.files.node import Handle, OpenFlags

__all__ = ["Pieces", "Show", "Store", "TextFile", "TextHandle"]

Pieces = Callable[[], Iterable[str]]  # returns equal pieces each time
Show = Callable[[], str | Pieces]  # a long text is returned in pieces
Store = Callable[[str], object]


class _Pieces:
    """An iterator that a checkpoint can restore: it starts again, and skips the pieces that it has returned."""

    not_saved: ClassVar = ("_left",)  # attributes

    def __init__(self, make: Pieces) -> None:
        self._make = make
        self._given = 0
        self._left: Iterator[str] | None = None

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> str:
        if self._left is None:
            self._left = islice(self._make(), self._given, None)
        piece = next(self._left)
        self._given += 1
        return piece


def _whole(text: str) -> tuple[str]:
    return (text,)


class TextHandle(Handle):
    """An open text file. A reader sees one consistent text. Reading from an earlier position makes a new text.

    Only the piece at the reader's position is kept, and a read returns at most the rest of it.
    """

    def __init__(self, flags: OpenFlags, show: Show | None, store: Store | None) -> None:
        super().__init__(flags)
        self._show = show
        self._store = store
        self._pieces: _Pieces | None = None
        self._piece = b""
        self._start = 0  # position of the piece in the text

    def read(self, offset: int, size: int) -> bytes:
        self._require(OpenFlags.READ)
        if self._show is None:
            raise TraceError(errno.EINVAL, "this file cannot be read")
        if self._pieces is None or offset == 0 or offset < self._start:
            text = self._show()
            self._pieces = _Pieces(partial(_whole, text) if isinstance(text, str) else text)
            self._piece, self._start = b"", 0
        while offset >= self._start + len(self._piece):
            piece = next(self._pieces, None)
            if piece is None:
                return b""
            self._start += len(self._piece)
            self._piece = piece.encode(errors="surrogateescape")
        start = offset - self._start
        return self._piece[start : start + size]

    def write(self, offset: int, data: bytes) -> int:
        self._require(OpenFlags.WRITE)
        if self._store is None:
            raise TraceError(errno.EINVAL, "this file cannot be written")
        self._store(data.decode(errors="surrogateescape"))
        return len(data)


class TextFile(File):
    """A file made of two functions: `show` makes the text, `store` handles one write."""

    def __init__(self, show: Show | None, store: Store | None = None) -> None:
        super().__init__(0o440 if store is None else 0o640 if show is not None else 0o220)
        self._show = show
        self._store = store

    def open(self, flags: OpenFlags) -> Handle:
        return TextHandle(flags, self._show, self._store)
