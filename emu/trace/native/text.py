# SPDX-License-Identifier: GPL-2.0-only
"""Lines of text, assembled from columns: first the length of every line, then column after column is put in its place.

`rows` says for each element of a column in which line it stands. `cursors` says where in `out` the next byte of each line goes.
"""

from __future__ import annotations

import numpy as np

from emu.native import njit, outlined
from emu.native.pointers import load_u8, load_u16, load_u32, load_u64, store_u8, store_u16, store_u32, store_u64

__all__ = ["measure_numbers", "measure_table", "measure_times", "put_numbers", "put_ranges", "put_table", "put_times"]

_ZERO, _TEN, _SIXTEEN = np.uint64(0), np.uint64(10), np.uint64(16)
_SPACE, _DIGIT, _MINUS, _X, _POINT = 32, 48, 45, 120, 46
_HEX_LETTER = 97 - 10


@outlined
def measure_table(lengths, rows, which, offsets):
    """Adds the length of text number `which` to each line. Text n of a table is from offsets[n] to offsets[n + 1]."""
    for n in range(len(rows)):
        lengths[rows[n]] += offsets[which[n] + 1] - offsets[which[n]]


@njit
def _copy(to, source, length):
    """Copies so many bytes, and touches none beside them."""
    at = 0
    while at + 8 <= length:
        store_u64(np.uint64(to + at), load_u64(np.uint64(source + at)))
        at += 8
    if at + 4 <= length:
        store_u32(np.uint64(to + at), load_u32(np.uint64(source + at)))
        at += 4
    if at + 2 <= length:
        store_u16(np.uint64(to + at), load_u16(np.uint64(source + at)))
        at += 2
    if at < length:
        store_u8(np.uint64(to + at), load_u8(np.uint64(source + at)))


@outlined
def put_table(out, cursors, rows, which, table, offsets):
    """`out` and `table`: addresses."""
    for n in range(len(rows)):
        row, text = rows[n], which[n]
        length = offsets[text + 1] - offsets[text]
        _copy(out + cursors[row], table + offsets[text], length)
        cursors[row] += length


@outlined
def put_ranges(out, cursors, rows, starts, lengths):
    """Copies text from memory. `out`: an address."""
    for n in range(len(rows)):
        row = rows[n]
        _copy(out + cursors[row], starts[n], lengths[n])
        cursors[row] += lengths[n]


@njit
def _digits(value, base):
    count = 1
    while value >= base:
        value //= base
        count += 1
    return count


@njit
def _magnitude(value, signed):
    """(whether it is negative, its magnitude) of the uint64 that holds a number."""
    if signed and np.int64(value) < 0:
        return True, _ZERO - value
    return False, value


@outlined
def measure_numbers(lengths, rows, values, base, signed, width, prefix):
    for n in range(len(rows)):
        negative, value = _magnitude(values[n], signed)
        lengths[rows[n]] += max(_digits(value, base) + negative + (prefix if value else 0), width)


@outlined
def put_numbers(out, cursors, rows, values, base, signed, width, prefix, zeros, left):
    """Numbers in uint64, of base 10 or 16, as C's printf has them.

    `prefix`: 2 for `0x`, which 0 does not get, else 0. `width` is filled with zeros, or spaces.
    """
    for n in range(len(rows)):
        row = rows[n]
        at = cursors[row]
        negative, value = _magnitude(values[n], signed)
        digits, before = _digits(value, base), prefix if value else 0
        fill = max(width - digits - negative - before, 0)
        if not zeros and not left:
            for _ in range(fill):
                out[at] = _SPACE
                at += 1
        if negative:
            out[at] = _MINUS
            at += 1
        if before:
            out[at], out[at + 1] = _DIGIT, _X
            at += 2
        if zeros and not left:
            for _ in range(fill):
                out[at] = _DIGIT
                at += 1
        for place in range(digits - 1, -1, -1):
            digit = np.int64(value % base)
            value //= base
            out[at + place] = digit + (_DIGIT if digit < 10 else _HEX_LETTER)
        at += digits
        if left:
            for _ in range(fill):
                out[at] = _SPACE
                at += 1
        cursors[row] = at


@outlined
def measure_times(lengths, rows, whole, width, places):
    """Seconds in at least `width` characters, a point, and `places` digits."""
    for n in range(len(rows)):
        lengths[rows[n]] += max(_digits(whole[n], _TEN), width) + 1 + places


@outlined
def put_times(out, cursors, rows, whole, rest, width, places):
    for n in range(len(rows)):
        row = rows[n]
        at = cursors[row]
        value, digits = whole[n], _digits(whole[n], _TEN)
        for _ in range(width - digits):
            out[at] = _SPACE
            at += 1
        for place in range(digits - 1, -1, -1):
            out[at + place] = np.int64(value % _TEN) + _DIGIT
            value //= _TEN
        at += digits
        out[at] = _POINT
        value = rest[n]
        for place in range(places, 0, -1):
            out[at + place] = np.int64(value % _TEN) + _DIGIT
            value //= _TEN
        cursors[row] = at + 1 + places
