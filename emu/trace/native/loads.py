# SPDX-License-Identifier: GPL-2.0-only
"""Reads numbers in recorded memory, whose byte order is known only at run time. Addresses are the host's."""

from __future__ import annotations

from emu.native.functions import specialized
from emu.native.records import Ints, Shorts, Words, i64, u64

__all__ = ["number_at", "swapped16", "swapped32", "word16_at", "word32_at", "word64_at"]


@specialized
def swapped16(word: int) -> int:
    """A two-byte number, byte-swapped."""
    return (word & 0xFF) << 8 | word >> 8


@specialized
def swapped32(word: int) -> int:
    """A four-byte number, byte-swapped."""
    return swapped16(word & 0xFFFF) << 16 | swapped16(word >> 16)


@specialized
def word16_at(address: int, swapped: bool) -> int:
    word = i64(Shorts(address)[0])
    return swapped16(word) if swapped else word


@specialized
def word32_at(address: int, swapped: bool) -> int:
    """An unsigned four-byte number."""
    word = i64(Ints(address)[0])
    return swapped32(word) if swapped else word


@specialized
def word64_at(address: int, swapped: bool) -> u64:
    if not swapped:
        return Words(address)[0]
    return u64(word32_at(address, swapped)) << 32 | u64(word32_at(address + 4, swapped))


@specialized
def number_at(address: int, size: int, swapped: bool) -> u64:
    """An unsigned number of 4 or 8 bytes."""
    return u64(word32_at(address, swapped)) if size == 4 else word64_at(address, swapped)
