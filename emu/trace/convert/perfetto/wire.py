# SPDX-License-Identifier: GPL-2.0-only
"""Protocol Buffers' wire format, from columns: a message field for each of many rows is a Piece.

A field is a key, with its number and encoding, followed by a value: a variable-length integer, or a length and bytes.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from emu.trace.lines import Piece, Rows
from emu.trace.native import varints as native

__all__ = ["Integers", "Lengthy", "field", "integer"]

_VARINT, _LENGTH = 0, 2


class Integers:
    """Field `number`, an integer of any type except fixed-length and zigzag types."""

    def __init__(self, number: int, values: NDArray[np.integer]) -> None:
        self._key = np.frombuffer(_key(number, _VARINT), np.uint8)
        wide = np.int64 if values.dtype.kind == "i" else np.uint64
        self._values = np.ascontiguousarray(values.astype(wide, copy=False)).view(np.uint64)

    def measure(self, lengths: NDArray[np.int64], rows: Rows) -> None:
        native.measure_varints(lengths, rows, self._values, len(self._key))

    def put(self, out: NDArray[np.uint8], cursors: NDArray[np.int64], rows: Rows) -> None:
        native.put_varints(out, cursors, rows, self._key, self._values)


class Lengthy:
    """Field `number` with a length-delimited value: a text, or a message whose fields are `pieces`."""

    def __init__(self, number: int, pieces: Sequence[Piece], count: int) -> None:
        self._key = np.frombuffer(_key(number, _LENGTH), np.uint8)
        self._pieces = pieces
        self._inner = np.zeros(count, np.int64)
        every = np.arange(count)
        for piece in pieces:
            piece.measure(self._inner, every)

    def measure(self, lengths: NDArray[np.int64], rows: Rows) -> None:
        lengths[rows] += self._inner
        native.measure_varints(lengths, rows, self._inner.view(np.uint64), len(self._key))

    def put(self, out: NDArray[np.uint8], cursors: NDArray[np.int64], rows: Rows) -> None:
        native.put_varints(out, cursors, rows, self._key, self._inner.view(np.uint64))
        for piece in self._pieces:
            piece.put(out, cursors, rows)


def integer(value: int) -> bytes:
    """A variable-length integer."""
    value &= (1 << 64) - 1
    found = bytearray()
    while value > 0x7F:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*found, value])


def field(number: int, value: int | bytes | str) -> bytes:
    """One field."""
    if isinstance(value, int):
        return _key(number, _VARINT) + integer(value)
    data = value.encode(errors="replace") if isinstance(value, str) else value
    return _key(number, _LENGTH) + integer(len(data)) + data


def _key(number: int, encoding: int) -> bytes:
    return integer(number << 3 | encoding)
