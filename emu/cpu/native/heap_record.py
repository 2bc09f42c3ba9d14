# SPDX-License-Identifier: GPL-2.0-only
"""What a board's heap knows of itself (`heap`)."""

from __future__ import annotations

from emu.native.records import Record, Records, Values, inline, u64

__all__ = ["CLASSES", "MOST_MAPPINGS", "Control", "FreeBlock", "Header", "Heap", "Mapping"]

CLASSES = 48  # of blocks: those of one class have 2**class bytes
MOST_MAPPINGS = 1024


class FreeBlock(Record):
    """What a block begins with that nobody has."""

    next: FreeBlock | None  # of its class


class Header(Record):
    """What lies before the bytes that somebody has."""

    block: FreeBlock  # in which they are
    kind: u64  # its class


class Mapping(Record):
    """An mmap() call."""

    start: u64
    size: u64


class Heap(Record):
    """What a heap begins with."""

    unused: u64  # where memory begins that was never used: zeros
    end: u64
    free: Values[FreeBlock | None] = inline(CLASSES)  # the first of each class
    mapping_count: u64
    mappings: Records[Mapping] = inline(MOST_MAPPINGS)


class Control(Record):
    """What lies at a place that all boards of a process know."""

    heap: Heap | None  # in use; None: libc's
