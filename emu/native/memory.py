# SPDX-License-Identifier: GPL-2.0-only
"""Memory of the host, for code compiled by numba."""

from __future__ import annotations

from emu.native.functions import njit
from emu.native.records import Bytes, Ints, Shorts, Words, u64

__all__ = ["copy", "copy_string", "copy_text", "load_number", "store_number"]


@njit
def copy(to: Bytes, source: Bytes, size: u64) -> None:
    """Copies `size` bytes, a multiple of four."""
    n = u64(0)
    while n + 8 <= size:
        Words(to.address + n)[0] = Words(source.address + n)[0]
        n += 8
    if n < size:
        Ints(to.address + n)[0] = Ints(source.address + n)[0]


@njit
def copy_text(to: Bytes, source: Bytes, most: u64) -> u64:
    """Copies the characters of a string, without its NUL, at most `most`. Returns their number."""
    n = u64(0)
    while n < most and source[n] != 0:
        to[n] = source[n]
        n += 1
    return n


@njit
def copy_string(to: Bytes, source: Bytes, room: u64) -> u64:
    """Copies a string with a NUL into `room` bytes, at least one. Returns the number of bytes."""
    n = copy_text(to, source, room - 1)
    to[n] = 0
    return n + 1


@njit
def load_number(source: Bytes, offset: u64, size: u64) -> u64:
    """The number of `size` bytes at an offset: 1, 2, 4 or 8."""
    place = source.address + offset
    if size == 8:
        return Words(place)[0]
    if size == 4:
        return Ints(place)[0]
    return Shorts(place)[0] if size == 2 else Bytes(place)[0]


@njit
def store_number(to: Bytes, offset: u64, number: u64, size: u64) -> None:
    """Stores a number's low `size` bytes."""
    place = to.address + offset
    if size == 8:
        Words(place)[0] = number
    elif size == 4:
        Ints(place)[0] = number
    elif size == 2:
        Shorts(place)[0] = number
    else:
        Bytes(place)[0] = number
