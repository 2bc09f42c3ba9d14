# SPDX-License-Identifier: GPL-2.0-only
"""Assembles lines of text from columns: first computes the length of every line, then fills in column after column.

`rows` has the line of each element of a column. `cursors` has the position in `out` of each line's next byte.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from emu.native.functions import specialized
from emu.native.records import Bytes, Ints, Shorts, Words, i64, u64

__all__ = [
    "NumberFormat", "measure_numbers", "measure_table", "measure_times", "put_numbers", "put_ranges", "put_table", "put_times",
]  # fmt: skip

Longs = NDArray[np.int64]
Which = NDArray[np.int32]
Numbers = NDArray[np.uint64]
Characters = NDArray[np.uint8]

_TEN = u64(10)
_SPACE, _DIGIT, _MINUS, _X, _POINT = 32, 48, 45, 120, 46
_HEX_LETTER = 97 - 10


@specialized
def measure_table(lengths: Longs, rows: Longs, which: Which, offsets: Longs) -> None:
    """Adds the length of text `which` to each line. Text n of a table is from offsets[n] to offsets[n + 1]."""
    for n in range(len(rows)):
        lengths[rows[n]] += offsets[which[n] + 1] - offsets[which[n]]


@specialized
def _copy(to: int, source: int, length: int) -> None:
    """Copies `length` bytes, without touching any others."""
    at = 0
    while at + 8 <= length:
        Words(to + at)[0] = Words(source + at)[0]
        at += 8
    if at + 4 <= length:
        Ints(to + at)[0] = Ints(source + at)[0]
        at += 4
    if at + 2 <= length:
        Shorts(to + at)[0] = Shorts(source + at)[0]
        at += 2
    if at < length:
        Bytes(to)[at] = Bytes(source)[at]


@specialized
def put_table(out: int, cursors: Longs, rows: Longs, which: Which, table: int, offsets: Longs) -> None:
    """Writes texts of a table. `out` and `table` are addresses."""
    for n in range(len(rows)):
        row, text = rows[n], which[n]
        length = offsets[text + 1] - offsets[text]
        _copy(out + cursors[row], table + offsets[text], length)
        cursors[row] += length


@specialized
def put_ranges(out: int, cursors: Longs, rows: Longs, starts: Longs, lengths: Longs) -> None:
    """Writes text from memory. `out` is an address."""
    for n in range(len(rows)):
        row = rows[n]
        _copy(out + cursors[row], starts[n], lengths[n])
        cursors[row] += lengths[n]


class NumberFormat(NamedTuple):
    """The number format of C's printf.

    Attributes:
        base: 10 or 16.
        width: padded with zeros or spaces.
        prefix: 2 for `0x`, which is omitted for 0; otherwise 0.
    """

    base: int
    signed: bool
    width: int
    prefix: int
    zeros: bool
    left: bool


@specialized
def _digits(value: u64, base: u64) -> int:
    count = 1
    while value >= base:
        value //= base
        count += 1
    return count


@specialized
def _magnitude(value: u64, signed: bool) -> tuple[bool, u64]:
    """(whether it is negative, its magnitude) of a number stored in a word."""
    if signed and i64(value) < 0:
        return True, u64(0) - value
    return False, value


@specialized
def measure_numbers(lengths: Longs, rows: Longs, values: Numbers, form: NumberFormat) -> None:
    for n in range(len(rows)):
        negative, value = _magnitude(values[n], form.signed)
        digits = _digits(value, u64(form.base))
        lengths[rows[n]] += max(digits + negative + (form.prefix if value else 0), form.width)


@specialized
def _fill(out: Characters, at: int, count: int, letter: int) -> int:
    """Writes a character `count` times. Returns the next position."""
    for _ in range(count):
        out[at] = letter
        at += 1
    return at


@specialized
def put_numbers(out: Characters, cursors: Longs, rows: Longs, values: Numbers, form: NumberFormat) -> None:
    base = u64(form.base)
    for n in range(len(rows)):
        row = rows[n]
        at = cursors[row]
        negative, value = _magnitude(values[n], form.signed)
        digits, before = _digits(value, base), form.prefix if value else 0
        fill = max(form.width - digits - negative - before, 0)
        if not form.zeros and not form.left:
            at = _fill(out, at, fill, _SPACE)
        if negative:
            out[at] = _MINUS
            at += 1
        if before:
            out[at], out[at + 1] = _DIGIT, _X
            at += 2
        if form.zeros and not form.left:
            at = _fill(out, at, fill, _DIGIT)
        for place in range(digits - 1, -1, -1):
            digit = i64(value % base)
            value //= base
            out[at + place] = digit + (_DIGIT if digit < 10 else _HEX_LETTER)
        at += digits
        if form.left:
            at = _fill(out, at, fill, _SPACE)
        cursors[row] = at


@specialized
def measure_times(lengths: Longs, rows: Longs, whole: Numbers, width: int, places: int) -> None:
    """Measures times: seconds in at least `width` characters, a point, and `places` digits."""
    for n in range(len(rows)):
        lengths[rows[n]] += max(_digits(whole[n], _TEN), width) + 1 + places


@specialized
def _put_decimal(out: Characters, at: int, value: u64, places: int) -> int:
    """Writes the last `places` digits of a number. Returns the next position."""
    for place in range(places - 1, -1, -1):
        out[at + place] = i64(value % _TEN) + _DIGIT
        value //= _TEN
    return at + places


@specialized
def put_times(out: Characters, cursors: Longs, rows: Longs, whole: Numbers, rest: Numbers, width: int, places: int) -> None:
    for n in range(len(rows)):
        row = rows[n]
        value, digits = whole[n], _digits(whole[n], _TEN)
        at = _fill(out, cursors[row], width - digits, _SPACE)
        at = _put_decimal(out, at, value, digits)
        out[at] = _POINT
        cursors[row] = _put_decimal(out, at + 1, rest[n], places)
