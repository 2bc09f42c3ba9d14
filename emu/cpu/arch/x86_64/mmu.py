# SPDX-License-Identifier: GPL-2.0-only
"""Walks x86-64 page tables in RAM (Intel SDM volume 3, 4.5)."""

from __future__ import annotations

import struct

__all__ = ["walk"]

_PRESENT, _LARGE = 1, 0x80  # bits of a page table entry
_FRAME = 0x000F_FFFF_FFFF_F000  # and its address field


def walk(ram: memoryview, table: int, address: int) -> int | None:
    """The physical address of `address` in the four-level tables at `table` (CR3); None if it is not mapped."""
    entry = table
    for shift in (39, 30, 21, 12):
        place = (entry & _FRAME) + (address >> shift & 511) * 8
        if place + 8 > len(ram):
            return None
        (entry,) = struct.unpack_from("<Q", ram, place)
        if not entry & _PRESENT:
            return None
        if shift == 12 or entry & _LARGE:
            low = (1 << shift) - 1
            return (int(entry) & _FRAME & ~low) | (address & low)
    raise AssertionError("the last level always returns")
