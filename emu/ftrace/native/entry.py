# SPDX-License-Identifier: GPL-2.0-only
"""Numbers in events' entries, in the host's byte order, and the ends of entries."""

from __future__ import annotations

from emu.native.functions import njit
from emu.native.memory import load_number
from emu.native.records import Bytes, i64, u64

__all__ = ["end_entry", "number_at"]


@njit
def number_at(entry: Bytes, offset: u64, size: u64, signed: bool) -> u64:
    """A number in an entry, extended to 64 bits."""
    value = load_number(entry, offset, size)
    if signed:
        unused = 64 - size * 8
        return u64(i64(value << unused) >> unused)
    return value


@njit
def end_entry(entry: Bytes, end: u64) -> u64:
    """Pads an entry with zeros. Returns its size, a multiple of four."""
    while end % 4 != 0:
        entry[end] = 0
        end += 1
    return end
