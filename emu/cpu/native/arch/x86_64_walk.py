# SPDX-License-Identifier: GPL-2.0-only
"""The page walk of an x86-64 CPU (Intel SDM volume 3, 4.5): where an address is in RAM."""

from __future__ import annotations

from typing import Any

import numpy as np

from emu.cpu.arch.x86_64.state import Layout
from emu.cpu.native import board_record, cpu_record
from emu.native import njit
from emu.native.pointers import load_u64

__all__ = ["build"]

ONE, WORD = np.uint64(1), np.uint64(8)
TOP_SHIFT, LAST_SHIFT, INDEX_BITS, INDEX = np.uint64(39), np.uint64(12), np.uint64(9), np.uint64(0x1FF)
FRAME, PRESENT, LARGE = np.uint64(0x000F_FFFF_FFFF_F000), np.uint64(1), np.uint64(0x80)


def build(layout: Layout) -> Any:
    """walk(cpu, board, address) -> the RAM address behind a virtual one; NEVER: it has none. Access rights do not count."""
    cr3 = np.uint64(layout.env_cr3)

    @njit
    def walk(cpu, board, address):
        ram, size = load_u64(board + board_record.RAM), load_u64(board + board_record.RAM_SIZE)
        table, shift = load_u64(load_u64(cpu + cpu_record.ENV) + cr3) & FRAME, TOP_SHIFT
        while table < size:
            entry = load_u64(ram + table + (address >> shift & INDEX) * WORD)
            if not entry & PRESENT:
                break
            if shift == LAST_SHIFT or (entry & LARGE and shift != TOP_SHIFT):
                inside = (ONE << shift) - ONE
                place = (entry & FRAME & ~inside) | (address & inside)
                return place if place < size else cpu_record.NEVER
            table, shift = entry & FRAME, shift - INDEX_BITS
        return cpu_record.NEVER

    return walk
