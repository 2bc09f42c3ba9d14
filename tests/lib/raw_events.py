# SPDX-License-Identifier: GPL-2.0-only
"""Reads raw pages as a program of the guest would, with only the information of tracefs's own files and its byte order."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

__all__ = ["RawEvent", "RawReader"]

Value = int | bytes | list[int]

_SIZES = {"char": 1, "short": 2, "int": 4, "long": 8} | {f"{sign}{8 * size}": size for sign in "us" for size in (1, 2, 4, 8)}


class RawEvent(NamedTuple):
    """An event. A character array is decoded to the bytes before its NUL; one that ends with the entry to all of its bytes."""

    time: int
    name: str
    fields: dict[str, Value]


class _Field(NamedTuple):
    type: str
    name: str
    length: str  # of an array, as declared; "" without brackets
    offset: int
    size: int
    signed: bool


def _fields(text: str) -> Iterator[_Field]:
    line = r"^\t?field:\s*(.*?) ?(\w+)(\[\w*\])?;\toffset:(\d+);\tsize:(\d+);\tsigned:(\d);"
    for type_, name, length, *numbers in re.findall(line, text.replace("\tfield: ", "\tfield:"), re.MULTILINE):
        offset, size, signed = map(int, numbers)
        yield _Field(type_, name, length, offset, size, bool(signed))


class RawReader:
    """Decodes pages as a program does.

    Args:
        order: the program's byte order.
        header_page, header_event: the texts of the files in events/.
        formats: of each event that may occur.
    """

    def __init__(self, order: Literal["little", "big"], header_page: str, header_event: str, formats: Sequence[str]) -> None:
        self._order = order
        self._page = {field.name: field for field in _fields(header_page)}
        self._bits = {name: int(bits) for name, bits in re.findall(r"(type_len|time_delta) *: +(\d+) bits", header_event)}
        self._types = {name: int(number) for name, number in re.findall(r"(\w+) *: type == (\d+)", header_event)}
        self._most = int(re.findall(r"data max type_len *== (\d+)", header_event)[0])
        self._formats = {}
        for text in formats:
            (name,), (number,) = (re.findall(rf"^{what}: (\S+)$", text, re.MULTILINE) for what in ("name", "ID"))
            self._formats[int(number)] = name, list(_fields(text))

    def _number(self, data: bytes, offset: int, size: int, signed: bool = False) -> int:
        assert len(data) >= offset + size
        return int.from_bytes(data[offset : offset + size], self._order, signed=signed)

    def _word(self, page: bytes, at: int) -> int:
        return self._number(page, at, 4)

    def lost(self, page: bytes) -> int | None:
        """The number of events lost before a page; None if it is unknown."""
        commit = self._number(page, self._page["commit"].offset, 8)
        if not commit >> 31 & 1:
            return 0
        end = self._page["data"].offset + (commit & 0xFFFFF)
        return self._number(page, end, 8) if commit >> 30 & 1 else None

    def events(self, page: bytes) -> Iterator[RawEvent]:
        """The events of a page."""
        at = self._page["data"].offset
        time = self._number(page, self._page["timestamp"].offset, self._page["timestamp"].size)
        end = at + (self._number(page, self._page["commit"].offset, 8) & 0xFFFFF)
        while at < end:
            header = self._word(page, at)
            shifts = {"type_len": 0, "time_delta": self._bits["type_len"]}
            if self._order == "big":  # C allocates bit fields from the most significant bit on
                shifts = {"type_len": self._bits["time_delta"], "time_delta": 0}
            type_len, delta = (header >> shifts[name] & (1 << self._bits[name]) - 1 for name in shifts)
            at += 4
            if type_len == self._types["time_extend"]:
                time += self._word(page, at) << self._bits["time_delta"] | delta
                at += 4
                continue
            assert type_len <= self._most
            size = type_len * 4
            if not type_len:
                size = self._word(page, at) - 4
                at += 4
            time += delta
            assert at + size <= end
            yield self._event(time, page[at : at + size])
            at += size

    def _event(self, time: int, entry: bytes) -> RawEvent:
        name, fields = self._formats[self._number(entry, 0, 2)]
        return RawEvent(time, name, {field.name: self._value(name, field, entry) for field in fields})

    def _value(self, event: str, field: _Field, entry: bytes) -> Value:
        type_ = re.sub(r"__(data|rel)_loc ", "", field.type)
        if type_ != field.type:
            word = self._word(entry, field.offset)
            start = (word & 0xFFFF) + (field.offset + field.size if "__rel_loc" in field.type else 0)
            data = entry[start : start + (word >> 16)]
            assert len(data) == word >> 16
        elif not field.length:
            return self._number(entry, field.offset, field.size, field.signed)
        else:
            whole = not field.size or (event, field.name) == ("kernel_stack", "caller")  # which is larger than it declares
            data = entry[field.offset :] if whole else entry[field.offset : field.offset + field.size]
            if not field.size:
                return data
        base = type_.removesuffix("[]")
        size = _SIZES.get(base.split()[-1]) or int(field.size / int(field.length[1:-1]))
        if base.endswith("char"):
            return data.partition(b"\0")[0]
        return [self._number(data, at, size, field.signed) for at in range(0, len(data) - size + 1, size)]
