# SPDX-License-Identifier: GPL-2.0-only
"""Records: 64-bit words that native code and Python share, each known by the name of its field.

A module declares the fields of one record. Native code adds a field's offset to the record's address; Python has
`Record`.

    _fields = Fields()
    CYCLES = _fields.word()
    ARGUMENTS = _fields.words(4)  # a host call's arguments
    WORDS = _fields.count

    store_u64(cpu + cpu_record.CYCLES, now)         # in native code, where `cpu` is the record's address
    cpu.record.set(cpu_record.CYCLES, now)          # in Python
"""

from __future__ import annotations

import mmap
import sys
from typing import Any

import numpy as np
import numpy.typing as npt

from emu.native import records
from emu.native.records import u64

__all__ = ["Fields", "Record", "offset_of", "offsets", "shift_of"]

_WORD = 8  # bytes
_LARGE = 1 << 20  # bytes
_MASK = 0xFFFF_FFFF_FFFF_FFFF


class Fields:
    """Gives the fields of a record their offsets, in bytes, in the order in which they are declared.

    `before`: words of another record, with which this one begins.
    """

    def __init__(self, before: int = 0) -> None:
        self.count = before  # words declared so far

    def word(self) -> np.uint64:
        """The offset of a field of one word."""
        return self.words(1)

    def words(self, count: int) -> np.uint64:
        """The offset of the first of `count` words."""
        offset = np.uint64(self.count * _WORD)
        self.count += count
        return offset


def _zeros(words: int) -> npt.NDArray[np.uint64]:
    """Zeros; if they are many, in pages of their own, which take memory when they are used (and can be snapshot as such)."""
    size = words * _WORD
    if size < _LARGE:
        return np.zeros(words, np.uint64)
    return np.frombuffer(mmap.mmap(-1, size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS), np.uint64)


class Record:
    """A record of `words` words, zero at first. Native code is given the address of its `words`, which never changes."""

    def __init__(self, words: int) -> None:
        self.words = _zeros(words)
        self.address: int = self.words.ctypes.data

    def get(self, field: np.uint64, index: int = 0) -> int:
        """A field's word. `index`: which word, in a field of several."""
        return int(self.words[int(field) // _WORD + index])

    def set(self, field: np.uint64, value: int | np.uint64, index: int = 0) -> None:
        """Stores a field's word: `value` modulo 2**64."""
        self.words[int(field) // _WORD + index] = int(getattr(value, "address", value)) & _MASK

    def fill(self, field: np.uint64, count: int, value: int | np.uint64) -> None:
        """Stores `value` in all `count` words of a field."""
        first = int(field) // _WORD
        self.words[first : first + count] = value

    def clear(self) -> None:
        """Makes every word zero."""
        self.words[:] = 0


def offset_of(layout: np.dtype[Any], field: str) -> u64:
    """The offset of a field in a structured type, in bytes, for native code."""
    assert layout.fields is not None
    return u64(layout.fields[field][1])


def shift_of(layout: np.dtype[Any], field: str) -> u64:
    """The lowest bit of a field in the word that a structured type of one word makes, for native code."""
    assert layout.fields is not None
    kind, offset = layout.fields[field][:2]
    return u64(8 * (offset if sys.byteorder == "little" else _WORD - offset - kind.itemsize))


def offsets(record: type[records.Record]) -> dict[str, Any]:
    """For code that does not name fields yet: their offsets by upper-case name, and WORDS."""
    found: dict[str, Any] = {name.upper(): np.uint64(field.offset) for name, field in records.HOST.fields(record).items()}
    return found | {"WORDS": records.HOST.size(record) // _WORD}
