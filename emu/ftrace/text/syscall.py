# SPDX-License-Identifier: GPL-2.0-only
"""The text of system calls: `sys_close(fd: b)`, `sys_close -> 0x0`."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence

from emu.ftrace.event.call import EventCall, Field

__all__ = ["enter_text", "exit_text"]

_LETTERS = {4: "I", 8: "Q"}  # of struct: an unsigned long


def enter_text(call: EventCall, *, with_types: bool) -> Callable[[bytes], str]:
    """Returns a function that prints an entry: each argument as an unsigned long in hexadecimal, whatever its type."""
    _, *arguments = call.fields
    layout = _layout(arguments)
    shown = ", ".join(f"{f'{field.type} ' if with_types else ''}{field.name}: %x" for field in arguments)
    line = f"sys_{call.name.removeprefix('sys_enter_')}({shown})\n"
    return lambda entry: line % layout.unpack_from(entry)


def exit_text(call: EventCall) -> Callable[[bytes], str]:
    """Returns a function that prints an entry: the result as an unsigned long."""
    layout = _layout(call.fields[1:2])
    line = f"sys_{call.name.removeprefix('sys_exit_')} -> %#x\n"
    return lambda entry: line % layout.unpack_from(entry)


def _layout(fields: Sequence[Field]) -> struct.Struct:
    """The struct that unpacks the numbers of these adjacent fields from an entry."""
    start = fields[0].offset if fields else 0
    return struct.Struct(f"={start}x{''.join(_LETTERS[field.size] for field in fields)}")
