# SPDX-License-Identifier: GPL-2.0-only
"""Memory of the host, for code compiled by numba."""

from __future__ import annotations

import numpy as np

from emu.native import njit
from emu.native.pointers import load_u8, load_u32, load_u64, store_u8, store_u32, store_u64

__all__ = ["copy", "copy_string", "copy_text"]

ZERO, ONE, WORD = np.uint64(0), np.uint64(1), np.uint64(8)
NUL = np.uint8(0)


@njit
def copy(to, source, size):
    """Copies `size` bytes, a multiple of four."""
    n = ZERO
    while n + WORD <= size:
        store_u64(to + n, load_u64(source + n))
        n += WORD
    if n < size:
        store_u32(to + n, load_u32(source + n))


@njit
def copy_text(to, source, most):
    """Copies the characters of a string, without its NUL and at most `most`. Returns how many."""
    n = ZERO
    while n < most and load_u8(source + n) != NUL:
        store_u8(to + n, load_u8(source + n))
        n += ONE
    return n


@njit
def copy_string(to, source, room):
    """Copies a string with a NUL into at most `room` bytes, of which there is one at least. Returns how many."""
    n = copy_text(to, source, room - ONE)
    store_u8(to + n, NUL)
    return n + ONE
