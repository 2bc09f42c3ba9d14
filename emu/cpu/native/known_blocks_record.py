# SPDX-License-Identifier: GPL-2.0-only
"""The costs of blocks that have been decoded, by address and code (`known_blocks`)."""

from __future__ import annotations

from emu.native.records import Record, Records, Values, inline, u32, u64

__all__ = ["CODE_SIZE", "ROWS", "KnownBlock", "KnownBlocks"]

ROWS = 1 << 16  # a kernel and its programs have about 20,000 blocks
CODE_SIZE = 4 << 20  # bytes


class KnownBlock(Record):
    place: u64  # its virtual address
    code: u64  # offset of a copy of the code
    size: u32  # of the code, in bytes; 0: the row is free
    instructions: u32
    cycles: u64  # ... this and the summary as in a Block
    summary: u64


class KnownBlocks(Record):
    """A cache. A block displaces another one if all rows for its hash are taken. Without room for code, all are forgotten."""

    used: u64  # bytes of `code`
    rows: Records[KnownBlock] = inline(ROWS)  # by a hash of address and code: in one of the rows that follow it
    code: Values[u64] = inline(CODE_SIZE // 8)
