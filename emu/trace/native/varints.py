# SPDX-License-Identifier: GPL-2.0-only
"""Protocol Buffers' variable-length integers: seven bits in each byte, the lowest first; the top bit says that more follow."""

from __future__ import annotations

import numpy as np

from emu.native import njit, outlined

__all__ = ["measure_varints", "put_varints"]

_SEVEN, _MORE, _REST = np.uint64(7), np.uint64(0x80), np.uint64(0x7F)


@njit
def _length(value):
    count = 1
    while value > _REST:
        value >>= _SEVEN
        count += 1
    return count


@outlined
def measure_varints(lengths, rows, values, before):
    """Adds the length of each, and of the `before` bytes in front of it."""
    for n in range(len(rows)):
        lengths[rows[n]] += before + _length(values[n])


@outlined
def put_varints(out, cursors, rows, key, values):
    """Writes the bytes `key`, then the integer."""
    for n in range(len(rows)):
        at, value = cursors[rows[n]], values[n]
        for byte in key:
            out[at] = byte
            at += 1
        while value > _REST:
            out[at] = (value & _REST) | _MORE
            value >>= _SEVEN
            at += 1
        out[at] = value
        cursors[rows[n]] = at + 1
