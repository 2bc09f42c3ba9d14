# SPDX-License-Identifier: GPL-2.0-only
"""Numbers in recorded memory, whose byte order is known when the trace is open. Addresses are the host's, as int64."""

from __future__ import annotations

import numpy as np

from emu.native import njit
from emu.native.pointers import load_u16, load_u32, load_u64

__all__ = ["number_at", "word16_at", "word32_at", "word64_at"]

_BYTE, _SHORT = np.uint32(0xFF), np.uint32(0xFF00)


@njit
def _swap32(word):
    return np.uint32((word >> 24) | ((word >> 8) & _SHORT) | ((word & _SHORT) << 8) | ((word & _BYTE) << 24))


@njit
def word16_at(address, swapped):
    word = np.uint32(load_u16(np.uint64(address)))
    return np.int64(((word & _BYTE) << 8 | word >> 8) if swapped else word)


@njit
def word32_at(address, swapped):
    """Not negative."""
    word = load_u32(np.uint64(address))
    return np.int64(_swap32(word) if swapped else word)


@njit
def word64_at(address, swapped):
    """An uint64."""
    if not swapped:
        return load_u64(np.uint64(address))
    high, low = _swap32(load_u32(np.uint64(address))), _swap32(load_u32(np.uint64(address + 4)))
    return np.uint64(high) << np.uint64(32) | np.uint64(low)


@njit
def number_at(address, size, swapped):
    """An unsigned number of 4 or 8 bytes, as an uint64."""
    return np.uint64(word32_at(address, swapped)) if size == 4 else word64_at(address, swapped)
