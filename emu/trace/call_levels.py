# SPDX-License-Identifier: GPL-2.0-only
"""Calls level by level: first those that nothing has called, then what these called, and so on."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

__all__ = ["call_levels"]


def call_levels(depths: NDArray[np.int32], callers: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
    """The rows of each level. What is called without a recorded caller is of the first, however deep it is.

    Args:
        depths: of each call; callers are less deep.
        callers: the row of each call's caller; -1: there is none.
    """
    level = np.full(len(depths) + 1, -1, np.int64)  # the last is that of no caller
    for rows in _groups(depths):
        level[rows] = level[callers[rows]] + 1
    yield from _groups(level[:-1])


def _groups(values: NDArray[np.generic]) -> Iterator[NDArray[np.int64]]:
    """The rows of each value, in ascending order."""
    order = np.argsort(values, kind="stable")
    if len(values):
        yield from np.split(order, np.flatnonzero(np.diff(values[order])) + 1)
