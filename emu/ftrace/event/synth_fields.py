# SPDX-License-Identifier: GPL-2.0-only
"""The fields of a synthetic event: `u64 lat; pid_t pid; char comm[16]; char[] reason`."""

from __future__ import annotations

import errno
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NoReturn

from emu.ftrace.errors import ErrorReport, TraceError
from emu.ftrace.event.call import COMMON_SIZE, Field
from emu.ftrace.numbers import parse_c

__all__ = [
    "STRING_ROOM", "SynthField", "check_name", "conversion", "entry_fields", "parse_fields", "print_fmt", "refuse", "refuse_form",
]  # fmt: skip

STRING_ROOM = 256  # bytes of a string in an entry, whatever its type says (Linux: STR_VAR_LEN_MAX)
_WORD = 8  # bytes of any other field in an entry
_MOST_FIELDS = 64
_MOST_DIGITS = 3  # in the length of a string
_NAME = re.compile("[A-Za-z_][A-Za-z0-9_]*")

# For each type: its size in bytes and its printf conversion
_TYPES = {
    "s64": (8, "%lld"), "u64": (8, "%llu"), "s32": (4, "%d"), "u32": (4, "%u"), "s16": (2, "%d"), "u16": (2, "%u"),
    "s8": (1, "%d"), "u8": (1, "%u"), "char": (1, "%d"), "unsigned char": (1, "%u"), "int": (4, "%d"),
    "unsigned int": (4, "%u"), "long": (8, "%ld"), "unsigned long": (8, "%lu"), "bool": (1, "%d"), "pid_t": (4, "%d"),
    "gfp_t": (4, "%x"),
}  # fmt: skip


@dataclass(frozen=True)
class SynthField:
    """A field of a synthetic event (Linux: struct synth_field).

    `type` is as in the files: `pid_t`, `char[16]`, or `char[]` for a string of any length.
    """

    type: str
    name: str
    size: int  # bytes of a value; 0: a string of any length

    def __str__(self) -> str:
        return f"{self.type} {self.name}"

    @property
    def is_string(self) -> bool:
        return "char[" in self.type

    @property
    def signed(self) -> bool:
        return not self.type.startswith("u") and self.type != "gfp_t"

    @property
    def room(self) -> int:
        """The size of its room in the fixed part of an entry, in bytes."""
        return STRING_ROOM if self.is_string and self.size else _WORD


def entry_fields(fields: Sequence[SynthField]) -> Iterator[Field]:
    """The fields as shown in `format`."""
    offset = COMMON_SIZE
    for field in fields:
        type_ = re.sub(r"\[.*\]", "[]", field.type) if field.size else f"__data_loc {field.type}"
        yield Field(type_, field.name, offset, field.size or _WORD, field.signed, int(field.is_string))
        offset += field.room


def print_fmt(fields: Sequence[SynthField]) -> str:
    formats = ", ".join(f"{field.name}={'%s' if field.is_string else conversion(field.type)}" for field in fields)
    values = (f", REC->{field.name}" if field.size else f", __get_str({field.name})" for field in fields)
    return f'"{formats}"{"".join(values)}'


def conversion(type_: str) -> str:
    """The printf conversion for values of a type in a trace."""
    return "%.*s" if "char[" in type_ else _TYPES[type_][1]


def refuse(command: str, text: str, why: str, word: str = "", code: int = errno.EINVAL) -> NoReturn:
    """Raises TraceError. error_log shows `text` and, as in Linux, a caret below the first occurrence of `word` in the command."""
    raise TraceError(code, why, logged=ErrorReport("synthetic_events", text, command, max(command.find(word), 0)))


def refuse_form(command: str, form: str = "<name> field[;field] ...") -> NoReturn:
    """Raises TraceError: a command does not have the form of a definition."""
    refuse(command, f"Command must be of the form: {form}", f"a definition looks like {form}")


def check_name(name: str, command: str, where: str) -> None:
    """Raises TraceError: EINVAL if the name of an event or a field is not a C identifier. `where`: the word in the command."""
    if not _NAME.fullmatch(name):
        refuse(command, "Illegal name", f"'{name}' is no identifier of C", where)


def parse_fields(text: str, command: str) -> Sequence[SynthField]:
    """The fields of a definition. Semicolons between them are optional.

    Args:
        text: the command after the event's name.
        command: the whole command.

    Raises:
        TraceError: EINVAL.
    """
    fields: list[SynthField] = []
    for part in text.split(";"):
        words = part.split()
        while words:
            count = 3 if words[0] == "unsigned" else 2
            field = _field(words[:count], command)
            if len(fields) == _MOST_FIELDS:
                refuse(command, "Too many fields", f"an event has at most {_MOST_FIELDS} fields")
            fields.append(field)
            del words[:count]
    if not fields:
        refuse_form(command)
    return fields


def _field(words: Sequence[str], command: str) -> SynthField:
    """Parses `u64 lat`, `unsigned int count`, `char comm[16]`; the brackets may also follow the type."""
    if words[0] == "unsigned" and len(words) < 3:
        refuse(command, "Incomplete type", "a type and a name must follow 'unsigned'", words[0])
    *types, declared = words
    if not types:
        refuse(command, "Invalid field", f"'{declared}' is a type without a name, or the reverse", declared)
    name, bracket, length = declared.partition("[")
    check_name(name, command, declared)
    type_ = " ".join(types) + bracket + length
    size = _TYPES[type_][0] if type_ in _TYPES else _string_size(type_)
    if size is None and bracket and "char[" in type_:
        refuse(command, "Invalid array specification", f"'{type_}' is no string of at most {STRING_ROOM} bytes", declared)
    if size is None:
        refuse(command, "Invalid type", f"there is no type '{type_}'", types[-1])
    return SynthField(type_, name, size)


def _string_size(type_: str) -> int | None:
    """The size of a string in bytes; 0 if it is of any length; None if the type is not a string, or too long."""
    found = re.fullmatch(rf".*?char\[([^\]]{{0,{_MOST_DIGITS}}})\]", type_)
    if found is None:
        return None
    size = parse_c(found[1]) if found[1] else 0
    return size if size is not None and size <= STRING_ROOM else None
