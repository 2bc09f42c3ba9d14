# SPDX-License-Identifier: GPL-2.0-only
"""Page tables of RISC-V, walked in RAM (The RISC-V Instruction Set Manual, volume II, 4.4)."""

from __future__ import annotations

import struct

__all__ = ["walk"]

_VALID, _LEAF = 1, 0xE  # bits of an entry; one with any of R, W, X ends the walk
_NUMBER = (1 << 44) - 1  # satp's page number


def walk(ram: memoryview, satp: int, address: int) -> int | None:
    """The physical address that three-level tables (sv39) give `address`; None if it is not mapped."""
    if not satp >> 60:
        return address
    if (address >> 38) + 1 & (1 << 26) - 1 > 1:
        return None
    table = (satp & _NUMBER) << 12
    for shift in (30, 21, 12):
        place = table + (address >> shift & 511) * 8
        if place + 8 > len(ram):
            return None
        entry: int = struct.unpack_from("<Q", ram, place)[0]
        if not entry & _VALID:
            return None
        table = (entry >> 10 & _NUMBER) << 12
        if entry & _LEAF:
            low = (1 << shift) - 1
            return table & ~low | address & low
    return None
