# SPDX-License-Identifier: GPL-2.0-only
"""BTF as it lies in memory: Documentation/bpf/btf.rst. `btf` answers questions by it.

A header, the types, the strings. Types follow each other without an index: a type's number is its position, its length
depends on its kind and its number of members. Type 0 is void, and lies nowhere. A name is an offset in the strings. A
module's BTF is "split": its numbers and its offsets continue those of the kernel's, its base.
"""

from __future__ import annotations

import bisect
import enum
import struct
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

__all__ = ["BadBtf", "Kind", "Record", "TypeTable"]

_MAGIC, _VERSION = 0xEB9F, 1
_HEADER = struct.Struct("<HBBIIIII")


class BadBtf(ValueError):
    """BTF that is damaged, or of a later version. The message is one line."""


class Kind(enum.IntEnum):
    """What a type is: btf.rst, "Type Encoding"."""

    VOID = 0
    INT = 1
    PTR = 2
    ARRAY = 3
    STRUCT = 4
    UNION = 5
    ENUM = 6
    FWD = 7
    TYPEDEF = 8
    VOLATILE = 9
    CONST = 10
    RESTRICT = 11
    FUNC = 12
    FUNC_PROTO = 13
    VAR = 14
    DATASEC = 15
    FLOAT = 16
    DECL_TAG = 17
    TYPE_TAG = 18
    ENUM64 = 19


_ENUMS = (Kind.ENUM, Kind.ENUM64)
# The words of a type: a name, its kind and number of members, a size or type; and behind these, once and for each member:
_COMMON = 3
_ONCE = {Kind.INT: 1, Kind.ARRAY: 3, Kind.VAR: 1, Kind.DECL_TAG: 1}
_EACH = {Kind.STRUCT: 3, Kind.UNION: 3, Kind.ENUM: 2, Kind.FUNC_PROTO: 2, Kind.DATASEC: 3, Kind.ENUM64: 3}
_WORDS = [_COMMON + _ONCE.get(kind, 0) for kind in Kind]
_WORDS_OF_MEMBER = [_EACH.get(kind, 0) for kind in Kind]


class Record(NamedTuple):
    """A type as it lies in memory.

    Attributes:
        name: an offset in the strings.
        is_flagged: the flag of the kind: a structure has bit fields, an enumeration has negative values.
        last: the size; or for a kind without one, the type that it refers to.
        words: what follows.
    """

    kind: Kind
    name: int
    is_flagged: bool
    last: int
    words: memoryview

    def members(self) -> Iterator[memoryview]:
        """The words of each member, parameter or enumerator."""
        step = _EACH[self.kind]
        return (self.words[at : at + step] for at in range(0, len(self.words), step))


class TypeTable:
    """The types of a kernel; or of a module, with the kernel's before them.

    Args:
        data: the whole BTF.
        base: the kernel's, for a module.

    Raises:
        BadBtf: it is damaged. So may every method, where the damage shows only then.
    """

    def __init__(self, data: bytes | memoryview, base: TypeTable | None = None) -> None:
        types, self._strings = _sections(data, is_split=base is not None)
        self._base = base
        self._first: int = 1 if base is None else base._end
        self._first_string: int = 0 if base is None else base._end_string
        self._array = np.frombuffer(types, "<u4").astype(np.uint32)
        self._words = self._array.data  # single words are read faster of it
        self._places = _places(self._words)
        self._end: int = self._first + len(self._places) - 1
        self._end_string: int = self._first_string + len(self._strings)
        starts = np.array(self._places[:-1], np.int64)
        self._names, self._kinds = self._array[starts], self._array[starts + 1] >> 24 & 31
        self._by_name: dict[Kind, dict[str, int]] = {}
        if not self._kinds.all():
            raise BadBtf("damaged BTF: a type is of kind 0")

    def __len__(self) -> int:
        """The number of types, with the base's and with void."""
        return self._end

    def record(self, number: int) -> Record:
        """A type, which is not void."""
        if number < self._first and self._base is not None:
            return self._base.record(number)
        if not self._first <= number < self._end:
            raise BadBtf(f"damaged BTF: it refers to type {number}, and has {self._end}")
        at, end = self._places[number - self._first : number - self._first + 2]
        info = self._words[at + 1]
        return Record(
            Kind(info >> 24 & 31), self._words[at], bool(info >> 31), self._words[at + 2], self._words[at + _COMMON : end]
        )

    def text(self, string: int) -> str:
        """A string at its offset."""
        strings, start = self._holder(string)
        return strings[start : strings.index(b"\0", start)].decode("utf-8", "replace")

    def is_text(self, string: int, text: bytes) -> bool:
        """Whether a string is `text`, which ends with a zero byte."""
        return self._holder(string)[0].startswith(text, string - self._first_string if string >= self._first_string else string)

    def named(self, name: str) -> Iterator[tuple[int, Kind]]:
        """The numbers and kinds of all types with a name. A module's come before the kernel's."""
        for table, string in self._offsets(name):
            for index in np.flatnonzero(table._names == string).tolist():
                yield table._first + index, Kind(table._kinds[index])

    def by_name(self, kind: Kind) -> Mapping[str, int]:
        """The numbers of all types of a kind by their names. Of several with a name, the first is taken, a module's first.

        This is for many names: `named` finds a few in less time.
        """
        if kind not in self._by_name:
            found = {} if self._base is None else dict(self._base.by_name(kind))
            for index in np.flatnonzero(self._kinds == kind)[::-1].tolist():
                found[self.text(int(self._names[index]))] = self._first + index
            self._by_name[kind] = found
        return self._by_name[kind]

    def enumerators(self, name: str) -> Iterator[int]:
        """The values of all enumerators with a name."""
        for table, string in self._offsets(name):
            for at in np.flatnonzero(table._array == string).tolist():
                if (value := table._enumerator_at(at)) is not None:
                    yield value

    def _holder(self, string: int) -> tuple[bytes, int]:
        """The strings in which a string is, and its place there."""
        if string < self._first_string and self._base is not None:
            return self._base._holder(string)
        if string >= self._end_string:
            raise BadBtf(f"damaged BTF: it refers to string {string}, and they end at {self._end_string}")
        return self._strings, string - self._first_string

    def _offsets(self, name: str) -> Iterator[tuple[TypeTable, int]]:
        """The tables whose types may have a name, and its offset in the strings."""
        text = b"%s\0" % name.encode("utf-8", "replace")
        if text.count(b"\0") > 1 or not name:
            return
        tables = [self] if self._base is None else [self, self._base]
        for number, holder in enumerate(tables):
            start = 0 if holder._strings.startswith(text) else holder._strings.find(b"\0" + text) + 1
            if start or holder._strings.startswith(text):
                for table in tables[: number + 1]:
                    yield table, holder._first_string + start

    def _enumerator_at(self, at: int) -> int | None:
        """The value of the enumerator whose name is this word; None if the word is something else."""
        index = bisect.bisect_right(self._places, at) - 1
        kind, start = Kind(self._kinds[index]), self._places[index] + _COMMON
        if kind not in _ENUMS or at < start or (at - start) % _EACH[kind]:
            return None
        value = self._array[at + 1 : at + _EACH[kind]].astype("<u4").tobytes()
        return int.from_bytes(value, "little", signed=bool(self._words[start - 2] >> 31))


def _sections(data: bytes | memoryview, *, is_split: bool) -> tuple[memoryview, bytes]:
    """The types and the strings."""
    if len(data) < _HEADER.size:
        raise BadBtf(f"damaged BTF: it has {len(data)} bytes")
    magic, version, _, start, types, types_length, strings, strings_length = _HEADER.unpack_from(data)
    if (magic, version) != (_MAGIC, _VERSION):
        raise BadBtf(f"no BTF of version {_VERSION}: it begins with {magic:#06x}, {version}")
    types, strings = types + start, strings + start
    if start < _HEADER.size or types_length % 4 or max(types + types_length, strings + strings_length) > len(data):
        raise BadBtf("damaged BTF: its types and strings are not where its header says")
    texts = bytes(data[strings : strings + strings_length])
    if (texts and texts[-1]) or (texts[:1] != b"\0" and not is_split):
        raise BadBtf("damaged BTF: its strings do not begin and end with a zero byte")
    return memoryview(data)[types : types + types_length], texts


def _places(words: memoryview) -> list[int]:
    """Where each type begins; and where the last one ends."""
    at, end, places = 0, len(words), []
    try:
        while at < end:
            places.append(at)
            info = words[at + 1]
            kind = info >> 24 & 31
            at += _WORDS[kind] + _WORDS_OF_MEMBER[kind] * (info & 0xFFFF)
    except IndexError:
        raise BadBtf(f"damaged BTF: its type {len(places)} is of an unknown kind, or is cut off") from None
    if at != end:
        raise BadBtf(f"damaged BTF: its type {len(places)} is cut off")
    return [*places, end]
