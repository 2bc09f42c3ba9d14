# SPDX-License-Identifier: GPL-2.0-only
"""ORC tables for native code: the rules by which an unwinder of x86-64 finds a function's caller, for each range of code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from emu.native.functions import njit
from emu.native.records import HOST, Record, Records, Values, i16, inline, u8, u32, u64

__all__ = ["OrcEntry", "OrcTables", "OrcText", "TextTable", "TextTables", "entry_at", "text_of"]


class OrcEntry(Record):
    """A rule. Linux's arch/x86/include/asm/orc_types.h has the values."""

    sp_offset: i16
    bp_offset: i16
    type: u8  # ORC_TYPE_, as since Linux 6.4; 5: CALL, if what it says is on the same stack
    sp_reg: u8  # ORC_REG_
    bp_reg: u8
    signal: u8  # 1: the caller's address is that of its next instruction, not one behind a call


class OrcText(Record):
    """A range of code."""

    start: u64
    size: u64
    offsets: Values[u32]  # ascending: from where on, counted from the text's start, a rule applies; the first is 0
    entries: Records[OrcEntry]  # the rules
    shift: u64  # a block of the text has 1 << shift bytes
    blocks: Values[u32]  # for each block, and for one after the last, the index of the rule at its beginning


class OrcTables(Record):
    """All code of a kernel."""

    kernel: OrcText = inline()
    others: Records[OrcText]  # such as modules, in the order of their addresses
    count: u64  # of the others


@njit
def text_of(tables: OrcTables, address: u64) -> OrcText | None:
    """The text that has an address; None: it is in no code."""
    kernel = tables.kernel
    if address - kernel.start < kernel.size:
        return kernel
    others, first, end = tables.others, u64(0), tables.count
    while first < end:
        middle = (first + end) >> 1
        if others[middle].start <= address:
            first = middle + 1
        else:
            end = middle
    if first != 0:
        found = others[first - 1]
        if address - found.start < found.size:
            return found
    return None


@njit
def entry_at(text: OrcText, offset: u64) -> OrcEntry:
    """The rule at an offset, less than the text's size."""
    block, offsets = offset >> text.shift, text.offsets
    first, last = text.blocks[block], text.blocks[block + 1]
    while first < last:
        middle = (first + last + 1) >> 1
        if offsets[middle] <= offset:
            first = middle
        else:
            last = middle - 1
    return text.entries[first]


class TextTable(Protocol):
    """The arrays of a text, as `OrcText` describes them. They do not change."""

    @property
    def start(self) -> int: ...
    @property
    def size(self) -> int: ...
    @property
    def offsets(self) -> NDArray[np.uint32]: ...
    @property
    def entries(self) -> NDArray[np.void]: ...
    @property
    def shift(self) -> int: ...
    @property
    def blocks(self) -> NDArray[np.uint32]: ...


class TextTables:
    """Keeps tables in memory for native code.

    Args:
        kernel: the table of the kernel's text.

    Attributes:
        record: what native code reads.
    """

    def __init__(self, kernel: TextTable) -> None:
        self.record = OrcTables.allocate()
        self._kept: list[object] = [kernel]
        self._size = HOST.size(OrcText)
        _fill(self.record.kernel, kernel)

    def set_others(self, tables: Sequence[TextTable]) -> None:
        """Replaces all tables besides the kernel's, between two blocks of the guest. Their texts do not overlap."""
        ordered = sorted(tables, key=lambda table: table.start)
        memory = np.zeros(max(len(ordered), 1) * self._size // 8, np.uint64)
        for n, table in enumerate(ordered):
            _fill(OrcText(memory.ctypes.data + n * self._size), table)
        self.record.count = 0
        self.record.others = Records[OrcText](memory.ctypes.data)
        self.record.count = len(ordered)
        self._kept[1:] = [memory, ordered]


def _fill(record: OrcText, table: TextTable) -> None:
    record.start, record.size, record.shift = table.start, table.size, table.shift
    record.offsets = Values[u32](table.offsets.ctypes.data)
    record.entries = Records[OrcEntry](table.entries.ctypes.data)
    record.blocks = Values[u32](table.blocks.ctypes.data)
