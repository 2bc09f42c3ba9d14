# SPDX-License-Identifier: GPL-2.0-only
"""The bookkeeping of a board's heap (`heap`)."""

from __future__ import annotations

from emu.native.records import Record, Records, Values, inline, u64

__all__ = ["CLASSES", "MOST_MAPPINGS", "Control", "FreeBlock", "Header", "Heap", "Mapping"]

CLASSES = 48  # of blocks, which have 2**class bytes
MOST_MAPPINGS = 1024


class FreeBlock(Record):
    """The head of a free block."""

    next: FreeBlock | None  # in the same class


class Header(Record):
    """The words before allocated bytes."""

    block: FreeBlock  # the block that contains them
    kind: u64  # its class


class Mapping(Record):
    """An mmap() call."""

    start: u64
    size: u64


class Heap(Record):
    """The head of a heap."""

    unused: u64  # start of the memory that was never used, which is zero
    end: u64
    free: Values[FreeBlock | None] = inline(CLASSES)  # the first of each class
    mapping_count: u64
    mappings: Records[Mapping] = inline(MOST_MAPPINGS)


class Control(Record):
    """Data at an address that all boards of a process know."""

    heap: Heap | None  # the active one; None: libc's
