# SPDX-License-Identifier: GPL-2.0-only
"""Calls by level: first the outermost ones, then the calls made by these, and so on."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

__all__ = ["call_levels"]


def call_levels(depths: NDArray[np.int32], callers: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
    """The rows of each level. Calls without a recorded caller are in the first level, whatever their depth.

    Args:
        depths: the depth of each call; callers have smaller depths.
        callers: the row of each call's caller; -1 if there is none.
    """
    level = np.full(len(depths) + 1, -1, np.int64)  # the last element stands for no caller
    for rows in _groups(depths):
        level[rows] = level[callers[rows]] + 1
    yield from _groups(level[:-1])


def _groups(values: NDArray[np.generic]) -> Iterator[NDArray[np.int64]]:
    """The rows with each value, in ascending order of the values."""
    order = np.argsort(values, kind="stable")
    if len(values):
        yield from np.split(order, np.flatnonzero(np.diff(values[order])) + 1)
