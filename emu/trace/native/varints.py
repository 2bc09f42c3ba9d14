# SPDX-License-Identifier: GPL-2.0-only
"""Protocol Buffers' variable-length integers: seven bits per byte, lowest first; the top bit says that more bytes follow."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from emu.native.functions import specialized
from emu.native.records import u64

__all__ = ["measure_varints", "put_varints"]

Longs = NDArray[np.int64]

_MORE, _REST = u64(0x80), u64(0x7F)


@specialized
def _length(value: u64) -> int:
    count = 1
    while value > _REST:
        value >>= 7
        count += 1
    return count


@specialized
def measure_varints(lengths: Longs, rows: Longs, values: NDArray[np.uint64], before: int) -> None:
    """Adds the length of each integer, and of the `before` bytes in front of it."""
    for n in range(len(rows)):
        lengths[rows[n]] += before + _length(values[n])


@specialized
def put_varints(
    out: NDArray[np.uint8], cursors: Longs, rows: Longs, key: NDArray[np.uint8], values: NDArray[np.uint64]
) -> None:
    """Writes the bytes `key`, then the integer."""
    for n in range(len(rows)):
        at, value = cursors[rows[n]], values[n]
        for byte in key:
            out[at] = byte
            at += 1
        while value > _REST:
            out[at] = value & _REST | _MORE
            value >>= 7
            at += 1
        out[at] = value
        cursors[rows[n]] = at + 1
