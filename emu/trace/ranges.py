# SPDX-License-Identifier: GPL-2.0-only
"""Ranges of memory, one for each row, and which of them have the same content."""

from __future__ import annotations

import ctypes

import numpy as np
from numpy.typing import NDArray

from emu.trace.native import fields as native

__all__ = ["Ranges", "distinct_values"]


class Ranges:
    """A range of memory in each entry: of a text, say.

    Attributes:
        starts: int64, addresses.
        lengths: int64, bytes.
    """

    def __init__(self, starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> None:
        self.starts, self.lengths = starts, lengths

    def distinct(self) -> tuple[NDArray[np.int32], list[bytes]]:
        """Which of the distinct contents each has, and these."""
        which, firsts = self.numbered()
        return which, [ctypes.string_at(int(self.starts[n]), int(self.lengths[n])) for n in firsts]

    def numbered(self) -> tuple[NDArray[np.int32], list[int]]:
        """Which of the distinct contents each has, and where each content is found first."""
        count = len(self.starts)
        which, firsts = np.empty(count, np.int32), np.empty(count, np.int64)
        table = np.full(1 << max(2 * count, 1).bit_length(), -1, np.int32)
        found = native.distinct(self.starts, self.lengths, which, firsts, table)
        return which, firsts[:found].tolist()


def distinct_values(values: NDArray[np.integer]) -> tuple[list[int], NDArray[np.int32]]:
    """The values in a column of numbers, in the order in which they come, and which of them each row has."""
    kept = np.ascontiguousarray(values)
    size, count = kept.itemsize, len(kept)
    which, firsts = Ranges(kept.ctypes.data + np.arange(count) * size, np.full(count, size)).numbered()
    return kept[firsts].tolist(), which
