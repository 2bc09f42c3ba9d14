# SPDX-License-Identifier: GPL-2.0-only
"""Turning numbers in entries to the host's byte order, where they are. The pages are a copy."""

from __future__ import annotations

import numpy as np

from emu.native import outlined
from emu.native.pointers import load_u8, store_u8

__all__ = ["swap_numbers"]


@outlined
def swap_numbers(starts, lengths, width):
    """Reverses each `width` bytes of memory ranges."""
    for n in range(len(starts)):
        at, end = starts[n], starts[n] + lengths[n]
        while at + width <= end:
            for byte in range(width // 2):
                one, other = np.uint64(at + byte), np.uint64(at + width - 1 - byte)
                kept = load_u8(one)
                store_u8(one, load_u8(other))
                store_u8(other, kept)
            at += width
