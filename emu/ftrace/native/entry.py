# SPDX-License-Identifier: GPL-2.0-only
"""Numbers in entries of events, which have the host's byte order, and how entries end."""

from __future__ import annotations

from emu.native.functions import njit
from emu.native.records import Bytes, Ints, Shorts, Words, i64, u64

__all__ = ["end_entry", "number_at", "store_number"]


@njit
def number_at(entry: Bytes, offset: u64, size: u64, signed: bool) -> u64:
    """A number in an entry, extended to 64 bits."""
    place = entry.address + offset
    if size == 8:
        return Words(place)[0]
    if size == 4:
        value = Ints(place)[0]
    elif size == 2:
        value = Shorts(place)[0]
    else:
        value = Bytes(place)[0]
    if signed:
        unused = 64 - size * 8
        return u64(i64(value << unused) >> unused)
    return value


@njit
def store_number(entry: Bytes, offset: u64, number: u64, size: u64) -> None:
    """Stores a number's low `size` bytes."""
    place = entry.address + offset
    if size == 8:
        Words(place)[0] = number
    elif size == 4:
        Ints(place)[0] = number
    elif size == 2:
        Shorts(place)[0] = number
    else:
        Bytes(place)[0] = number


@njit
def end_entry(entry: Bytes, end: u64) -> u64:
    """Ends an entry with zeros, so that its size, which is returned, is a multiple of four."""
    while end % 4 != 0:
        entry[end] = 0
        end += 1
    return end
