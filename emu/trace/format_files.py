# SPDX-License-Identifier: GPL-2.0-only
"""Parses the files events/SYSTEM/EVENT/format: names, numbers, fields, print fmt."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from emu.ftrace.event.call import COMMON_FIELDS, EventCall, EventKind, Field
from emu.trace.errors import TraceFileError
from emu.trace.recording import FormatText

__all__ = ["Formats", "parse_format"]

_NAME = re.compile(r"^name: (.+)$", re.MULTILINE)
_ID = re.compile(r"^ID: (\d{1,9})$", re.MULTILINE)
_FIELD = re.compile(
    r"^\tfield:(?P<type>[^;\n]*?)(?P<name>\w+)(?P<array>\[[^\];\n]*\])?;\t"
    r"offset:(?P<offset>\d{1,6});\tsize:(?P<size>\d{1,6});(?:\tsigned:(?P<signed>-?\d))?;?",
    re.MULTILINE,
)
_PRINT_FMT = "\nprint fmt: "
_ELEMENTS = {  # bytes per number, by a word of the type, for types that have equal sizes on all machines
    "char": 1, "bool": 1, "u8": 1, "s8": 1, "__u8": 1, "__s8": 1, "uint8_t": 1, "int8_t": 1, "unsigned char": 1,
    "short": 2, "u16": 2, "s16": 2, "__u16": 2, "__s16": 2, "__le16": 2, "__be16": 2, "uint16_t": 2,
    "int": 4, "u32": 4, "s32": 4, "__u32": 4, "__s32": 4, "__le32": 4, "__be32": 4, "uint32_t": 4, "unsigned": 4,
    "u64": 8, "s64": 8, "__u64": 8, "__s64": 8, "uint64_t": 8,
}  # fmt: skip


def parse_format(file: FormatText, long_size: int) -> EventCall:
    """The event described by a format file of a kernel with this size of `long`.

    Raises:
        TraceFileError: it is not a format file.
    """
    name, number = _NAME.search(file.text), _ID.search(file.text)
    head, _, print_fmt = file.text.partition(_PRINT_FMT)
    if name is None or number is None:
        raise TraceFileError(file.offset, f"a format of {file.system or 'an unnamed system'} has no name and ID")
    common = {field.name for field in COMMON_FIELDS}
    every = (_field(found, long_size) for found in _FIELD.finditer(head))
    fields = tuple(field for field in every if field.name not in common)
    size = max((field.offset + field.size for field in fields), default=COMMON_FIELDS[-1].offset + 4)
    return EventCall(file.system, name[1], int(number[1]), fields, print_fmt.rstrip("\n"), size, EventKind.TRACEPOINT)


def _field(found: re.Match[str], long_size: int) -> Field:
    type_, array = found["type"].strip(), found["array"] or ""
    size = int(found["size"])
    is_array = array or type_.endswith("]") or not size  # older kernels write `char buf` with size 0 for `char buf[]`
    element = _element(type_, array, size, long_size) if is_array else 0
    return Field(type_ + array, found["name"], int(found["offset"]), size, found["signed"] == "1", element)


def _element(type_: str, array: str, size: int, long_size: int) -> int:
    """Bytes of each element of an array."""
    names = re.sub(r"__data_loc|__rel_loc|\[.*", "", type_ + array).split()
    if "*" in type_:
        return long_size
    if not names:
        return 1
    if names.count("long") > 1:
        return 8
    if "long" in names or "size_t" in names:
        return long_size
    if "unsigned" in names and len(names) == 1:
        return 4
    known = next((_ELEMENTS[name] for name in names if name in _ELEMENTS), 0)
    length = re.fullmatch(r"\[(\d{1,6})\]", array)
    if length and int(length[1]) and not size % int(length[1]):
        return size // int(length[1])
    return known or 1


class Formats(Mapping[str, EventCall]):
    """The events that a trace may contain, by `system:name`.

    Attributes:
        by_number: the events by `common_type`.
    """

    def __init__(self, parsed: Iterable[tuple[EventCall, FormatText]]) -> None:
        self._by_path: dict[str, EventCall] = {}
        self._texts: dict[str, FormatText] = {}
        self.by_number: dict[int, EventCall] = {}
        for call, text in parsed:
            self._by_path[call.path] = call
            self._texts[call.path] = text
            self.by_number.setdefault(call.number, call)

    def error(self, path: str, problem: str) -> TraceFileError:
        """An error in the format of an event."""
        return TraceFileError(self._texts[path].offset, problem)

    def __getitem__(self, path: str) -> EventCall:
        return self._by_path[path]

    def __iter__(self):  # type: ignore[no-untyped-def]  # of Mapping
        return iter(self._by_path)

    def __len__(self) -> int:
        return len(self._by_path)
