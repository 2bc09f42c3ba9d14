# SPDX-License-Identifier: GPL-2.0-only
"""Columns of arrays with varying lengths, in Arrow's form: offsets and values."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from emu.trace.native import text as native
from emu.trace.ranges import Ranges

__all__ = ["Column", "Lists"]

Column = Any  # an array with one element per row, perhaps with more dimensions, or Lists


class Lists:
    """An array of numbers per row.

    `lists[n]` is the array of row n; a slice, row numbers or a mask select rows, as Lists.

    Attributes:
        offsets: int64[rows + 1]: row n has values[offsets[n]:offsets[n + 1]].
        values: the numbers of all rows, one dimension.

    >>> stacks = trace["kernel_stack"]["caller"]
    >>> stacks[0], stacks.lengths.max()
    """

    def __init__(self, offsets: NDArray[np.int64], values: NDArray[np.integer]) -> None:
        self.offsets, self.values = offsets, values

    @classmethod
    def of(cls, array: NDArray[np.integer]) -> Lists:
        """The rows of a two-dimensional array."""
        rows, width = array.shape
        return cls(np.arange(rows + 1, dtype=np.int64) * width, np.ascontiguousarray(array).reshape(-1))

    @classmethod
    def from_memory(cls, ranges: Ranges, type_: np.dtype[np.integer]) -> Lists:
        """The numbers of a type, in either byte order, in ranges of memory. An incomplete number at a range's end is ignored."""
        size, rows = type_.itemsize, np.arange(len(ranges.lengths))
        counts = ranges.lengths // size
        offsets = _offsets(counts)
        data = np.empty(int(offsets[-1]) * size, np.uint8)
        native.put_ranges(data.ctypes.data, offsets[:-1] * size, rows, ranges.starts, counts * size)
        return cls(offsets, data.view(type_).astype(type_.newbyteorder("="), copy=False))

    @property
    def lengths(self) -> NDArray[np.int64]:
        """The number of values in each row."""
        return np.diff(self.offsets)

    @property
    def dtype(self) -> np.dtype[np.integer]:
        """The type of the values."""
        return self.values.dtype

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __iter__(self) -> Iterator[NDArray[np.integer]]:
        for row in range(len(self)):
            yield self[row]

    @overload
    def __getitem__(self, rows: int | np.integer) -> NDArray[np.integer]: ...
    @overload
    def __getitem__(self, rows: slice | NDArray[np.integer] | list[int]) -> Lists: ...
    def __getitem__(self, rows: int | np.integer | slice | NDArray[np.integer] | list[int]) -> NDArray[np.integer] | Lists:
        if isinstance(rows, int | np.integer):
            row = range(len(self))[rows]
            return self.values[self.offsets[row] : self.offsets[row + 1]]
        chosen = np.arange(len(self))[rows]
        lengths = self.lengths[chosen]
        offsets = _offsets(lengths)
        places = np.arange(offsets[-1]) + np.repeat(self.offsets[:-1][chosen] - offsets[:-1], lengths)
        return Lists(offsets, self.values[places])

    def numbered(self) -> tuple[NDArray[np.int32], list[int]]:
        """The index of each row's distinct array, and the first row with each."""
        values, size = np.ascontiguousarray(self.values), self.values.itemsize
        return Ranges(values.ctypes.data + self.offsets[:-1] * size, self.lengths * size).numbered()

    def tolist(self) -> list[list[int]]:
        """Lists of Python ints."""
        return [row.tolist() for row in self]

    def __repr__(self) -> str:
        return f"<Lists: {len(self)} rows, {len(self.values)} values, {self.dtype}>"


def _offsets(lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    offsets = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return offsets
