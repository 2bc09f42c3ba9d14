# SPDX-License-Identifier: GPL-2.0-only
"""Ranges of memory, one per row, and their distinct contents."""

from __future__ import annotations

import ctypes

import numpy as np
from numpy.typing import NDArray

from emu.trace.native import fields as native

__all__ = ["Ranges", "distinct_values"]


class Ranges:
    """A range of memory in each entry, for example a text.

    Attributes:
        starts: int64, addresses.
        lengths: int64, bytes.
    """

    def __init__(self, starts: NDArray[np.int64], lengths: NDArray[np.int64]) -> None:
        self.starts, self.lengths = starts, lengths

    def distinct(self) -> tuple[NDArray[np.int32], list[bytes]]:
        """The index of each range's distinct content, and the contents."""
        which, firsts = self.numbered()
        return which, [ctypes.string_at(int(self.starts[n]), int(self.lengths[n])) for n in firsts]

    def numbered(self) -> tuple[NDArray[np.int32], list[int]]:
        """The index of each range's distinct content, and the first row with each."""
        count = len(self.starts)
        which, firsts = np.empty(count, np.int32), np.empty(count, np.int64)
        table = np.full(1 << max(2 * count, 1).bit_length(), -1, np.int32)
        found = native.distinct(self.starts, self.lengths, which, firsts, table)
        return which, firsts[:found].tolist()


def distinct_values(values: NDArray[np.integer]) -> tuple[list[int], NDArray[np.int32]]:
    """The distinct values of a column of numbers, in order of appearance, and the index of each row's."""
    kept = np.ascontiguousarray(values)
    size, count = kept.itemsize, len(kept)
    which, firsts = Ranges(kept.ctypes.data + np.arange(count) * size, np.full(count, size)).numbered()
    return kept[firsts].tolist(), which
