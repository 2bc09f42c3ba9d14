# SPDX-License-Identifier: GPL-2.0-only
"""Numbers in the formats of the options hex and bin."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from emu.ftrace.text.columns import Column
from emu.ftrace.text.view import TraceView

__all__ = ["binary_numbers", "hex_numbers"]


def hex_numbers(*columns: NDArray[np.generic]) -> Column:
    """For each row, its number in each column: all hexadecimal digits of its size, and a space."""
    digits = [(column.view(f"u{column.itemsize}").tolist(), 2 * column.itemsize) for column in map(np.ascontiguousarray, columns)]
    texts = ([f"{number:0{width}x} " for number in numbers] for numbers, width in digits)
    return np.array(["".join(row) for row in zip(*texts, strict=True)], np.object_)


def binary_numbers(view: TraceView, *columns: NDArray[np.generic]) -> Column:
    """For each row, the bytes of its number in each column, in the guest's byte order."""
    layout = np.dtype([(f"{n}", f"{view.words.byte_order}u{column.itemsize}") for n, column in enumerate(columns)])
    table = np.empty(len(columns[0]), layout)
    for n, column in enumerate(columns):
        table[f"{n}"] = column
    return np.array([row.tobytes().decode(errors="surrogateescape") for row in table], np.object_)
