# SPDX-License-Identifier: GPL-2.0-only
"""Fields of many entries at once. An entry is at `addresses[n]`, and has `sizes[n]` bytes; what is beyond them is 0."""

from __future__ import annotations

import numpy as np

from emu.native import njit, outlined
from emu.native.pointers import load_u8, load_u64
from emu.trace.native.loads import word32_at

__all__ = ["data_ranges", "distinct", "gather", "stack_ranges", "text_ranges"]


@outlined
def gather(addresses, sizes, offset, width, out):
    """Copies `width` bytes from `offset` on of each entry to `out`, uint8[n, width]."""
    for n in range(len(addresses)):
        start = addresses[n] + offset
        there = min(max(sizes[n] - offset, 0), width)
        for byte in range(there):
            out[n, byte] = load_u8(np.uint64(start + byte))
        for byte in range(there, width):
            out[n, byte] = 0


@outlined
def data_ranges(addresses, sizes, offset, relative, swapped, starts, lengths):
    """Where the data of a dynamic field is: its word is at `offset` of each entry, and counts from the entry, or `relative`
    from its own end."""
    for n in range(len(addresses)):
        starts[n], lengths[n] = addresses[n], 0
        if offset + 4 <= sizes[n]:
            word = word32_at(addresses[n] + offset, swapped)
            first = (word & 0xFFFF) + (offset + 4 if relative else 0)
            if first < sizes[n]:
                starts[n] = addresses[n] + first
                lengths[n] = min(word >> 16, sizes[n] - first)


@outlined
def text_ranges(starts, lengths):
    """Shortens each range to the text in it: what is before its NUL."""
    for n in range(len(starts)):
        for byte in range(lengths[n]):
            if load_u8(np.uint64(starts[n] + byte)) == 0:
                lengths[n] = byte
                break


@outlined
def stack_ranges(starts, lengths, size):
    """Shortens each range to the addresses of a stack, of `size` bytes each: what is before one with all bits set."""
    for n in range(len(starts)):
        for place in range(0, lengths[n] - size + 1, size):
            byte = 0
            while byte < size and load_u8(np.uint64(starts[n] + place + byte)) == 0xFF:
                byte += 1
            if byte == size:
                lengths[n] = place
                break


_SEED, _FACTOR, _SHIFT = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xFF51AFD7ED558CCD), np.uint64(32)


@njit
def _hash(start, length):
    value = _SEED ^ np.uint64(length)
    at = 0
    while at + 8 <= length:
        value = (value ^ load_u64(np.uint64(start + at))) * _FACTOR
        value ^= value >> _SHIFT
        at += 8
    while at < length:
        value = (value ^ np.uint64(load_u8(np.uint64(start + at)))) * _FACTOR
        value ^= value >> _SHIFT
        at += 1
    return value


@njit
def _same(one, other, length):
    at = 0
    while at + 8 <= length:
        if load_u64(np.uint64(one + at)) != load_u64(np.uint64(other + at)):
            return False
        at += 8
    while at < length:
        if load_u8(np.uint64(one + at)) != load_u8(np.uint64(other + at)):
            return False
        at += 1
    return True


@outlined
def distinct(starts, lengths, which, firsts, table):
    """Numbers the ranges of memory: those with the same bytes have the same number, in the order of their first.

    Fills `which`, the number of each, and `firsts`, the range that each number was first given to; returns how many
    numbers there are. `table`: int32 of -1, whose length is a power of two above twice as many.
    """
    count, mask = 0, np.uint64(len(table) - 1)
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
            slot = (slot + np.uint64(1)) & mask
    return count
