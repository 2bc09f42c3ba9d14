# SPDX-License-Identifier: GPL-2.0-only
"""Reads fields of many entries at once. Entry n is at `addresses[n]` and has `sizes[n]` bytes; bytes beyond them read as 0."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from emu.native.functions import specialized
from emu.native.records import Bytes, Words, u64
from emu.trace.native.loads import word32_at

__all__ = ["data_ranges", "distinct", "gather", "stack_ranges", "text_ranges"]

Longs = NDArray[np.int64]


@specialized
def gather(addresses: Longs, sizes: NDArray[np.int32], offset: int, width: int, out: NDArray[np.uint8]) -> None:
    """Copies `width` bytes at `offset` of each entry to `out`, uint8[n, width]."""
    for n in range(len(addresses)):
        field = Bytes(addresses[n] + offset)
        there = min(max(sizes[n] - offset, 0), width)
        for byte in range(there):
            out[n, byte] = field[byte]
        for byte in range(there, width):
            out[n, byte] = 0


@specialized
def data_ranges(
    addresses: Longs, sizes: NDArray[np.int32] | Longs, offset: int, relative: bool, swapped: bool, starts: Longs, lengths: Longs
) -> None:
    """The ranges of a dynamic field's data. Its location word is at `offset` of each entry, and counts from the entry's start or,
    if `relative`, from its own end."""
    for n in range(len(addresses)):
        starts[n], lengths[n] = addresses[n], 0
        if offset + 4 <= sizes[n]:
            word = word32_at(addresses[n] + offset, swapped)
            first = (word & 0xFFFF) + (offset + 4 if relative else 0)
            if first < sizes[n]:
                starts[n] = addresses[n] + first
                lengths[n] = min(word >> 16, sizes[n] - first)


@specialized
def text_ranges(starts: Longs, lengths: Longs) -> None:
    """Shortens each range to the text before its NUL."""
    for n in range(len(starts)):
        for byte in range(lengths[n]):
            if Bytes(starts[n])[byte] == 0:
                lengths[n] = byte
                break


@specialized
def stack_ranges(starts: Longs, lengths: Longs, size: int) -> None:
    """Shortens each range to a stack trace's addresses, of `size` bytes each: those before one with all bits set."""
    for n in range(len(starts)):
        for place in range(0, lengths[n] - size + 1, size):
            byte = 0
            while byte < size and Bytes(starts[n] + place)[byte] == 0xFF:
                byte += 1
            if byte == size:
                lengths[n] = place
                break


_SEED, _FACTOR = u64(0x9E3779B97F4A7C15), u64(0xFF51AFD7ED558CCD)


@specialized
def _mixed(value: u64, more: u64) -> u64:
    value = (value ^ more) * _FACTOR
    return value ^ value >> 32


@specialized
def _hash(start: int, length: int) -> u64:
    value = _SEED ^ u64(length)
    at = 0
    while at + 8 <= length:
        value = _mixed(value, Words(start + at)[0])
        at += 8
    while at < length:
        value = _mixed(value, Bytes(start)[at])
        at += 1
    return value


@specialized
def _same(one: int, other: int, length: int) -> bool:
    at = 0
    while at + 8 <= length and Words(one + at)[0] == Words(other + at)[0]:
        at += 8
    while at < length and Bytes(one)[at] == Bytes(other)[at]:
        at += 1
    return at == length


@specialized
def distinct(starts: Longs, lengths: Longs, which: NDArray[np.int32], firsts: Longs, table: NDArray[np.int32]) -> int:
    """Numbers the ranges of memory: ranges with equal bytes get the same number, in the order of first occurrence.

    Fills `which`, each range's number, and `firsts`, the first range with each number. Returns the number of distinct
    ranges. `table`: int32, filled with -1; its length is a power of two greater than twice the number of ranges.
    """
    count, mask = 0, u64(len(table) - 1)
    for n in range(len(starts)):
        slot = _hash(starts[n], lengths[n]) & mask
        while True:
            number = table[slot]
            if number < 0:
                table[slot], firsts[count], which[n] = count, n, count
                count += 1
                break
            first = firsts[number]
            if lengths[first] == lengths[n] and _same(starts[first], starts[n], lengths[n]):
                which[n] = number
                break
            slot = (slot + u64(1)) & mask
    return count
