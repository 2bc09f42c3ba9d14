# SPDX-License-Identifier: GPL-2.0-only
"""Makes lines of text from columns, a million at a time: native code measures them, then fills them in column by column."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from emu.trace.native import fields as native_fields
from emu.trace.native import text as native
from emu.trace.ranges import Ranges, distinct_values

__all__ = [
    "Among", "Lines", "Numbers", "Piece", "RangesPiece", "TextTable", "Texts", "Times", "constant", "line_end", "texts_of",
]  # fmt: skip

Rows = NDArray[np.int64]
_NEWLINE = ord("\n")


class Piece(Protocol):
    """A text for each of some rows."""

    def measure(self, lengths: NDArray[np.int64], rows: Rows) -> None:
        """Adds the length of each text."""

    def put(self, out: NDArray[np.uint8], cursors: NDArray[np.int64], rows: Rows) -> None:
        """Writes each text at its line's cursor."""


class TextTable:
    """Texts in the form for native code: one after another in `bytes`; text n begins at `offsets[n]`."""

    def __init__(self, texts: Iterable[str | bytes]) -> None:
        parts = [text if isinstance(text, bytes) else text.encode(errors="surrogateescape") for text in texts]
        self.bytes = np.frombuffer(b"".join(parts), np.uint8)
        self.offsets = np.zeros(len(parts) + 1, np.int64)
        np.cumsum([len(part) for part in parts], out=self.offsets[1:])


class Texts:
    """For each row, the text with that number."""

    def __init__(self, texts: TextTable | Iterable[str | bytes], which: NDArray[np.integer | np.bool_]) -> None:
        self._which = np.ascontiguousarray(which, np.int32)
        self._table = texts if isinstance(texts, TextTable) else TextTable(texts)

    def measure(self, lengths: NDArray[np.int64], rows: Rows) -> None:
        native.measure_table(lengths, rows, self._which, self._table.offsets)

    def put(self, out: NDArray[np.uint8], cursors: NDArray[np.int64], rows: Rows) -> None:
        table = self._table
        native.put_table(out.ctypes.data, cursors, rows, self._which, table.bytes.ctypes.data, table.offsets)

    def end_lines(self) -> NDArray[np.bool_]:
        """Which texts end in a newline."""
        table = self._table
        found = np.diff(table.offsets) > 0
        found[found] = table.bytes[table.offsets[1:][found] - 1] == _NEWLINE
        return found[self._which]


def constant(text: str | bytes, count: int) -> Texts:
    """The same text for each of `count` rows."""
    return Texts([text], np.zeros(count, np.int32))


def texts_of(values: NDArray[np.integer], text: Callable[[int], str | bytes]) -> Texts:
    """For each row `text(value)`, made once per distinct value."""
    distinct, which = distinct_values(values)
    return Texts([text(value) for value in distinct], which)


class RangesPiece:
    """Text in ranges of memory."""

    def __init__(self, ranges: Ranges) -> None:
        self._ranges = ranges

    def measure(self, lengths: NDArray[np.int64], rows: Rows) -> None:
        lengths[rows] += self._ranges.lengths

    def put(self, out: NDArray[np.uint8], cursors: NDArray[np.int64], rows: Rows) -> None:
        native.put_ranges(out.ctypes.data, cursors, rows, self._ranges.starts, self._ranges.lengths)

    def end_lines(self) -> NDArray[np.bool_]:
        """Which texts end in a newline."""
        starts, lengths = self._ranges.starts, self._ranges.lengths
        last = np.empty((len(starts), 1), np.uint8)
        native_fields.gather(starts + lengths - 1, np.minimum(lengths, 1).astype(np.int32), 0, 1, last)
        found: NDArray[np.bool_] = last[:, 0] == _NEWLINE
        return found


class Among:
    """A piece for some of the rows."""

    def __init__(self, piece: Piece, among: Rows) -> None:
        self._piece, self._among = piece, among

    def measure(self, lengths: NDArray[np.int64], rows: Rows) -> None:
        self._piece.measure(lengths, rows[self._among])

    def put(self, out: NDArray[np.uint8], cursors: NDArray[np.int64], rows: Rows) -> None:
        self._piece.put(out, cursors, rows[self._among])


def line_end(piece: Piece, count: int) -> Texts:
    """A piece that ends lines with a newline, unless their last piece has one."""
    if isinstance(piece, Texts | RangesPiece):
        return Texts(["\n", ""], piece.end_lines())
    return constant("\n", count)


@dataclass(frozen=True, eq=False)
class Numbers:
    """Integers in printf's format."""

    values: NDArray[np.integer]
    base: int = 10
    width: int = 0
    prefix: bool = False  # with a leading 0x
    zeros: bool = False
    left: bool = False

    def _format(self) -> native.NumberFormat:
        is_signed = self.values.dtype.kind == "i"
        return native.NumberFormat(self.base, is_signed, self.width, 2 * self.prefix, self.zeros, self.left)

    def _unsigned(self) -> NDArray[np.uint64]:
        kind = np.int64 if self.values.dtype.kind == "i" else np.uint64
        return np.ascontiguousarray(self.values.astype(kind, copy=False)).view(np.uint64)

    def measure(self, lengths: NDArray[np.int64], rows: Rows) -> None:
        native.measure_numbers(lengths, rows, self._unsigned(), self._format())

    def put(self, out: NDArray[np.uint8], cursors: NDArray[np.int64], rows: Rows) -> None:
        native.put_numbers(out, cursors, rows, self._unsigned(), self._format())


@dataclass(frozen=True, eq=False)
class Times:
    """`  114.105020`: seconds with a number of decimal places, rounded."""

    nanoseconds: NDArray[np.uint64]
    width: int
    places: int  # 6 or 9

    def _parts(self) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        time = self.nanoseconds
        if self.places == 6:
            time = time // np.uint64(1000) + (time % np.uint64(1000) >= 500)
        return np.divmod(time, np.uint64(10**self.places))

    def measure(self, lengths: NDArray[np.int64], rows: Rows) -> None:
        native.measure_times(lengths, rows, self._parts()[0], self.width, self.places)

    def put(self, out: NDArray[np.uint8], cursors: NDArray[np.int64], rows: Rows) -> None:
        whole, rest = self._parts()
        native.put_times(out, cursors, rows, whole, rest, self.width, self.places)


class Lines:
    """A number of lines, to which pieces are added from left to right."""

    def __init__(self, count: int) -> None:
        self._all = np.arange(count)
        self._pieces: list[tuple[Piece, Rows]] = []

    def __len__(self) -> int:
        return len(self._all)

    def add(self, piece: Piece, rows: Rows | None = None) -> None:
        """Extends some lines, or all of them."""
        self._pieces.append((piece, self._all if rows is None else rows))

    def add_all(self, pieces: Sequence[Piece], rows: Rows) -> None:
        """Extends some lines by several pieces."""
        for piece in pieces:
            self.add(piece, rows)

    def lengths(self) -> NDArray[np.int64]:
        """The present length of each line in bytes."""
        lengths = np.zeros(len(self), np.int64)
        for piece, rows in self._pieces:
            piece.measure(lengths, rows)
        return lengths

    def text(self) -> bytes:
        """All lines."""
        ends = np.cumsum(self.lengths())
        cursors = np.concatenate([[0], ends[:-1]]) if len(ends) else ends
        out = np.empty(int(ends[-1]) if len(ends) else 0, np.uint8)
        for piece, rows in self._pieces:
            piece.put(out, cursors, rows)
        return out.tobytes()
