# SPDX-License-Identifier: GPL-2.0-only
"""Byte-swaps numbers in entries, in place. The pages are a copy."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from emu.native.functions import specialized
from emu.native.records import Bytes

__all__ = ["swap_numbers"]


@specialized
def swap_numbers(starts: NDArray[np.int64], lengths: NDArray[np.int64], width: int) -> None:
    """Reverses each group of `width` bytes in ranges of memory."""
    for n in range(len(starts)):
        at, end = starts[n], starts[n] + lengths[n]
        while at + width <= end:
            number = Bytes(at)
            for byte in range(width // 2):
                kept = number[byte]
                number[byte] = number[width - 1 - byte]
                number[width - 1 - byte] = kept
            at += width
