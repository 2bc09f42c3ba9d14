# SPDX-License-Identifier: GPL-2.0-only
"""The text of system calls: `sys_close(fd: b)`, `sys_chdir(filename: 5d0f40 "/tmp")`, `sys_close -> 0x0`."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence

from emu.ftrace.event.call import EventCall, Field
from emu.ftrace.event.conversions import c_string
from emu.ftrace.event.print_fmt_calls import dynamic_data
from emu.ftrace.event.syscalls import string_field

__all__ = ["enter_text", "exit_text"]

_LETTERS = {4: "I", 8: "Q"}  # of struct: an unsigned long


def enter_text(call: EventCall, *, with_types: bool) -> Callable[[bytes], str]:
    """Returns a function that prints an entry: each argument as an unsigned long in hexadecimal, whatever its type."""
    arguments = [field for field in call.fields[1:] if not field.is_dynamic]
    strings = {field.name: field for field in call.fields if field.is_dynamic}
    layout = _layout(arguments)
    of_arguments = [strings.get(string_field(field.name)) for field in arguments]
    shown = ", ".join(
        f"{f'{field.type} ' if with_types else ''}{field.name}: %x{'' if of_it is None else ' %s'}"
        for field, of_it in zip(arguments, of_arguments, strict=True)
    )
    line = f"sys_{call.name.removeprefix('sys_enter_')}({shown})\n"
    if not strings:
        return lambda entry: line % layout.unpack_from(entry)

    def text(entry: bytes) -> str:
        values: list[object] = []
        for value, of_it in zip(layout.unpack_from(entry), of_arguments, strict=True):
            values.append(value)
            if of_it is not None:
                (word,) = struct.unpack_from("=I", entry, of_it.offset)
                values.append(f'"{c_string(dynamic_data(entry, word))}"')
        return line % tuple(values)

    return text


def exit_text(call: EventCall) -> Callable[[bytes], str]:
    """Returns a function that prints an entry: the result as an unsigned long."""
    layout = _layout(call.fields[1:2])
    line = f"sys_{call.name.removeprefix('sys_exit_')} -> %#x\n"
    return lambda entry: line % layout.unpack_from(entry)


def _layout(fields: Sequence[Field]) -> struct.Struct:
    """The struct that unpacks the numbers of these adjacent fields from an entry."""
    start = fields[0].offset if fields else 0
    return struct.Struct(f"={start}x{''.join(_LETTERS[field.size] for field in fields)}")
