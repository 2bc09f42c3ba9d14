# SPDX-License-Identifier: GPL-2.0-only
"""Hash tables of native code, with linear probing: a key is in the first slot of its own, or in one of those after it."""

from __future__ import annotations

from emu.native.functions import njit
from emu.native.records import u64

__all__ = ["first_slot"]

SPREAD, TOP = u64(0x9E37_79B9_7F4A_7C15), u64(32)  # spreads neighbours far apart


@njit
def first_slot(key: u64, last: u64) -> u64:
    """The first slot of a key. `last`: the index of the table's last slot, a power of two minus one."""
    return key * SPREAD >> TOP & last
