# SPDX-License-Identifier: GPL-2.0-only
"""Writes to events/SYSTEM/EVENT/inject: the fields of an entry, which is recorded as if the event had happened.

    prev_pid=1 prev_comm="sh" prev_state=0x10
"""

from __future__ import annotations

import errno
import re
import sys
from collections.abc import Iterator

from emu.ftrace.errors import TraceError
from emu.ftrace.event.call import COMMON_FIELDS, COMMON_SIZE, EventCall, EventKind, Field
from emu.ftrace.numbers import parse_c

__all__ = ["Injected"]

_LONGEST_STRING = 255  # bytes between the quotes
_NAME = re.compile(rb"\s*(\w+)", re.ASCII)
_VALUE = re.compile(
    rb"""\s*=\s*(?:(?P<number>-?[0-9a-zA-Z]+)(?=\s|$)|(?P<quote>['"])(?P<string>(?:\\.|[^\\])*?)(?P=quote))""",
    re.ASCII | re.DOTALL,
)
_NOT_SETTABLE = "common_type"  # determined by the event


class Injected:
    """An entry of an event. Fields that are not set are 0, or empty.

    Args:
        call: the event.
        text: the fields, `name=number` or `name="string"`.

    Attributes:
        common: the bytes of each common field that was set, by the field's offset.
        data: the entry after its common fields.

    Raises:
        TraceError: ENOENT for a field that does not exist; EINVAL, or ERANGE for a number that is too large.
    """

    def __init__(self, call: EventCall, text: bytes) -> None:
        self.common: dict[int, bytes] = {}
        self._call = call
        self._entry = bytearray(call.size)
        self._entry += b"\0"  # the NUL of a string; an empty string is only this
        for field in call.fields:
            if _is_dynamic_string(field):
                self._put(field, len(self._entry) - 1)
        for field, value in self._settings(text.strip()):
            self._set(field, value)
        self.data = bytes(self._entry[COMMON_SIZE:])

    def _settings(self, text: bytes) -> Iterator[tuple[Field, int | bytes]]:
        """The fields that the text sets, with their values."""
        fields = {field.name: field for field in (*COMMON_FIELDS, *self._call.fields) if field.name != _NOT_SETTABLE}
        position = 0
        while position < len(text):
            named = _NAME.match(text, position)
            if named is None:
                raise TraceError(errno.EINVAL, "NAME=VALUE is needed")
            name = named[1].decode()
            if name not in fields:
                raise TraceError(errno.ENOENT, f"{self._call.path} has no field '{name}'", (name, fields))
            word = _VALUE.match(text, named.end())
            if word is None:
                raise TraceError(errno.EINVAL, f"{name}=NUMBER or {name}=\"STRING\" is needed")
            field = fields[name]
            is_text = word["number"] is None
            if is_text is not _is_string(field):
                raise TraceError(errno.EINVAL, f"'{name}' is {'a string' if _is_string(field) else 'a number'}")
            yield field, word["string"] if is_text else _number(word["number"].decode(), field)
            position = word.end()

    def _set(self, field: Field, value: int | bytes) -> None:
        if self._call.kind is EventKind.FTRACE and self._call.name == "function" and field in self._call.fields:
            raise TraceError(errno.EINVAL, f"'{field.name}' is a function")
        if isinstance(value, int):
            if field.size not in (1, 2, 4, 8):
                raise TraceError(errno.EINVAL, f"'{field.name}' is no number")
            self._put(field, value)
        elif len(value) > _LONGEST_STRING:
            raise TraceError(errno.EINVAL, f"a string has at most {_LONGEST_STRING} bytes")
        elif _is_dynamic_string(field):
            self._put(field, len(self._entry) & 0xFFFF | len(value) + 1 << 16)
            self._entry += value.partition(b"\0")[0] + b"\0"
        elif "[" in field.type:
            room = slice(field.offset, field.offset + field.size)
            self._entry[room] = (value[: max(field.size - 1, 0)]).ljust(field.size, b"\0")
        else:
            raise TraceError(errno.EINVAL, f"'{field.name}' is a pointer")

    def _put(self, field: Field, value: int) -> None:
        data = (value & (1 << 8 * field.size) - 1).to_bytes(field.size, sys.byteorder)
        if field.offset < COMMON_SIZE:
            self.common[field.offset] = data
        else:
            self._entry[field.offset : field.offset + field.size] = data


def _is_dynamic_string(field: Field) -> bool:
    return field.is_dynamic and "char" in field.type


def _is_string(field: Field) -> bool:
    array = "[" in field.type and not field.is_dynamic
    return _is_dynamic_string(field) or (array and "char" in field.type) or field.type in ("char *", "const char *")


def _number(text: str, field: Field) -> int:
    """Raises TraceError: EINVAL, or ERANGE."""
    negative = text.startswith("-")
    if negative and not field.signed:
        raise TraceError(errno.EINVAL, f"'{field.name}' is not negative")
    value = parse_c(text.removeprefix("-"), (1 << 128) - 1)
    if value is None:
        raise TraceError(errno.EINVAL, f"'{text}' is not a number")
    value = -value if negative else value
    least, most = (-(1 << 63), (1 << 63) - 1) if field.signed else (0, (1 << 64) - 1)
    if not least <= value <= most:
        raise TraceError(errno.ERANGE, f"{text} is too large")
    return value
