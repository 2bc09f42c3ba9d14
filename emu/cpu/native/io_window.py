# SPDX-License-Identifier: GPL-2.0-only
"""The board's device as CPUs access it (docs/board.md): 16 KiB that keep what is written, with two registers among them."""

from __future__ import annotations

import numpy as np
from numba import types

from emu.native import cfunc, njit
from emu.native.pointers import load_u8, load_u64, store_u8, store_u64
from emu.native.record import Fields

__all__ = ["ACCESSES", "ID", "SIZE", "WORDS", "read", "write"]

_fields = Fields()
_fields.words(32)
ID = _fields.word()  # reads as the letters "emu"
ACCESSES = _fields.word()  # how many accesses there were before this one
_fields.words(2048 - 34)
WORDS = _fields.count

SIZE = np.uint64(WORDS * 8)
ZERO, ONE, BYTE = np.uint64(0), np.uint64(1), np.uint64(8)
BEGIN, END = ID, ACCESSES + BYTE  # of the registers, which cannot be written
ALL_ONES = np.uint64(0xFFFF_FFFF_FFFF_FFFF)


@njit
def count(device):
    store_u64(device + ACCESSES, load_u64(device + ACCESSES) + ONE)


@cfunc(types.uint64(types.uint64, types.uint64, types.uint32, types.uint64))
def read(uc, offset, size, device):
    """Reads one, two or four bytes, or eight. Behind the device all bits are set."""
    size = np.uint64(size)
    if offset + size > SIZE:
        return ALL_ONES
    value = ZERO
    for n in range(size):
        value |= np.uint64(load_u8(device + offset + np.uint64(n))) << np.uint64(n) * BYTE
    count(device)
    return value


@cfunc(types.void(types.uint64, types.uint64, types.uint32, types.uint64, types.uint64))
def write(uc, offset, size, value, device):
    """Writes one, two or four bytes, or eight. Behind the device, and where a register is, nothing is written."""
    size = np.uint64(size)
    if offset + size > SIZE:
        return
    count(device)
    if offset + size <= BEGIN or offset >= END:
        for n in range(size):
            store_u8(device + offset + np.uint64(n), np.uint8(value >> np.uint64(n) * BYTE & np.uint64(0xFF)))
