# SPDX-License-Identifier: GPL-2.0-only
"""Memory of the host, for code compiled by numba."""

from __future__ import annotations

import numpy as np

from emu.native import njit
from emu.native.pointers import load_u32, load_u64, store_u32, store_u64

__all__ = ["copy"]

ZERO, WORD = np.uint64(0), np.uint64(8)


@njit
def copy(to, source, size):
    """Copies `size` bytes, a multiple of four."""
    n = ZERO
    while n + WORD <= size:
        store_u64(to + n, load_u64(source + n))
        n += WORD
    if n < size:
        store_u32(to + n, load_u32(source + n))
