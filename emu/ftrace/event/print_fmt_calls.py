# SPDX-License-Identifier: GPL-2.0-only
"""Run-time functions of compiled print fmts: Linux's helpers for TP_printk, and C operators that differ from Python's."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence

__all__ = ["array", "dynamic_data", "element", "flags", "quotient", "remainder", "star", "symbolic"]


def dynamic_data(entry: bytes, word: int, base: int = 0) -> bytes:
    """The data of a dynamic field, limited to the entry. `word`: the offset, counted from `base`, and the length."""
    start = base + (word & 0xFFFF)
    return entry[start : start + (word >> 16)]


def flags(value: int, separator: str, names: Sequence[tuple[int, str]]) -> str:
    """The names of the bits that are set; the remaining bits as a number."""
    found = []
    for mask, name in names:
        if not value:
            break
        if value & mask == mask:
            found.append(name)
            value &= ~mask
    if value:
        found.append(f"{value:#x}")
    return separator.join(found)


def symbolic(value: int, names: Mapping[int, str]) -> str:
    return names.get(value, f"{value:#x}")


def array(data: bytes, count: int, size: int) -> str:
    """`{0x1,0x2}`"""
    if size not in (1, 2, 4, 8):
        return "{}"
    numbers = (int.from_bytes(data[at : at + size], sys.byteorder) for at in range(0, min(count * size, len(data)), size))
    return "{" + ",".join(map(hex, numbers)) + "}"


def element(data: bytes, index: int, size: int, signed: bool) -> int:
    """An element of an array; 0 outside it."""
    return int.from_bytes(data[index * size : (index + 1) * size], sys.byteorder, signed=signed) if index >= 0 else 0


def quotient(one: int, other: int) -> int:
    """C's division, which truncates towards zero. Division by zero yields 0."""
    if not other:
        return 0
    return abs(one) // abs(other) * (1 if (one < 0) == (other < 0) else -1)


def remainder(one: int, other: int) -> int:
    return one - quotient(one, other) * other if other else 0


_WIDEST = 4096  # a page, the longest line


def star(width: int) -> int:
    """A width or precision from an argument, or from a format that may be damaged, limited to sane values."""
    return min(max(width, -_WIDEST), _WIDEST)
