# SPDX-License-Identifier: GPL-2.0-only
"""The page walk of an x86-64 CPU (Intel SDM volume 3, 4.5), which translates an address to a RAM address."""

from __future__ import annotations

from collections.abc import Callable

from emu.cpu.arch.x86_64.state import Layout
from emu.cpu.native.arch import x86_64_env
from emu.cpu.native.arch.x86_64_env import Env
from emu.cpu.native.cpu_records import NEVER, Board, Cpu
from emu.native.functions import Native, njit
from emu.native.records import Words, u64

__all__ = ["build", "walk_from"]

TOP_SHIFT, LAST_SHIFT = u64(39), u64(12)
INDEX_BITS = 9
FRAME, PRESENT, LARGE = u64(0x000F_FFFF_FFFF_F000), u64(1), u64(0x80)


@njit
def walk_from(table: u64, ram: u64, size: u64, address: u64) -> u64:
    """The RAM address behind a virtual one, by the page table at `table`; NEVER if there is none. Ignores access rights."""
    shift = TOP_SHIFT
    while table < size:
        entry = Words(ram + table)[address >> shift & 0x1FF]
        if not entry & PRESENT:
            break
        if shift == LAST_SHIFT or (entry & LARGE and shift != TOP_SHIFT):
            inside = (u64(1) << shift) - 1
            place = (entry & FRAME & ~inside) | (address & inside)
            return place if place < size else NEVER
        table, shift = entry & FRAME, shift - INDEX_BITS
    return NEVER


def build(layout: Layout) -> Callable[[Cpu, Board, u64], u64]:
    """walk(cpu, board, address) returns the RAM address behind a virtual one; NEVER if there is none. Ignores access rights."""

    @Native(x86_64_env.layouts(layout)).njit
    def walk(cpu: Cpu, board: Board, address: u64) -> u64:
        return walk_from(Env(cpu.env).cr3 & FRAME, board.ram, board.ram_size, address)

    return walk
