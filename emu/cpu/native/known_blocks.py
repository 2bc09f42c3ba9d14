# SPDX-License-Identifier: GPL-2.0-only
"""Remembers what blocks cost, because most blocks are translated many times: a program is at other pages each time it runs, and
another machine has the same kernel. Asking Python each time would take a fifth of the time of short commands.

The cost of a block depends only on its address and its code, so a machine cannot tell whether its blocks were known before.
"""

from __future__ import annotations

from emu.cpu.native.cpu_records import Block, Board
from emu.cpu.native.known_blocks_record import CODE_SIZE, ROWS, KnownBlock, KnownBlocks
from emu.cpu.native.timing.summary_record import STATIC, summary_at
from emu.native.functions import njit, outlined
from emu.native.records import Bytes, Words, u64

__all__ = ["recall", "remember"]

_PAGE = 4096  # bytes: a block that leaves such a page may continue anywhere in RAM
_PAGE_MASK, _ROW_MASK = _PAGE - 1, ROWS - 1
_MULTIPLIER = 0x9E37_79B9_7F4A_7C15
_FOLD = 32
_PROBES = 8


@njit
def _mixed(address: u64, code: Bytes, size: u64) -> u64:
    """A hash of a block's address and code."""
    mixed = address
    n = u64(0)
    while n + 8 <= size:
        mixed = (mixed ^ Words(code.address + n)[0]) * _MULTIPLIER
        mixed ^= mixed >> _FOLD
        n += 8
    while n < size:
        mixed = (mixed ^ code[n]) * _MULTIPLIER
        mixed ^= mixed >> _FOLD
        n += 1
    return mixed


@njit
def _is_in(known: KnownBlocks, row: KnownBlock, address: u64, code: Bytes, size: u64) -> bool:
    """Whether a block is in a row."""
    if row.size != size or row.place != address:
        return False
    copy = Bytes(known.code.address + row.code)
    n = u64(0)
    while n + 8 <= size:
        if Words(copy.address + n)[0] != Words(code.address + n)[0]:
            return False
        n += 8
    while n < size:
        if copy[n] != code[n]:
            return False
        n += 1
    return True


@njit
def _row_of(known: KnownBlocks, address: u64, code: Bytes, size: u64) -> KnownBlock:
    """The row of a block. If it is not known, a free row for it, or that of a block that it displaces."""
    mixed = _mixed(address, code, size)
    for n in range(u64(_PROBES)):
        row = known.rows[mixed + n & _ROW_MASK]
        if row.size == 0 or _is_in(known, row, address, code, size):
            return row
    return known.rows[mixed & _ROW_MASK]


@njit
def _is_in_page(block: Block) -> bool:
    return (block.place & _PAGE_MASK) + block.size <= _PAGE


@outlined
def recall(board: Board, block: Block, address: u64) -> bool:
    """Fills in the cost of a block at a virtual address, if it is known. Returns whether it is."""
    known, code = board.known, Bytes(board.ram + block.place)
    if known is None or not _is_in_page(block):
        return False
    row = _row_of(known, address, code, block.size)
    if not _is_in(known, row, address, code, block.size):
        return False
    block.cycles = row.cycles
    block.instructions = row.instructions
    block.summary = row.summary
    return True


@outlined
def remember(board: Board, block: Block, address: u64) -> None:
    """Remembers the cost of a block; but not of one that the timing model cannot decode, which each machine reports."""
    known, code, size = board.known, Bytes(board.ram + block.place), u64(block.size)
    if known is None or not _is_in_page(block):
        return
    if block.summary != 0 and summary_at(board.timing_tables, block.summary).flags & STATIC != 0:
        return
    room = (size + 7) & ~u64(7)
    if known.used + room > CODE_SIZE:
        for n in range(u64(ROWS)):
            known.rows[n].size = 0
        known.used = 0
    row = _row_of(known, address, code, size)
    row.place = address
    row.code = known.used
    row.size = size
    row.cycles = block.cycles
    row.instructions = block.instructions
    row.summary = block.summary
    copy = Bytes(known.code.address + known.used)
    for n in range(size):
        copy[n] = code[n]
    known.used += room
