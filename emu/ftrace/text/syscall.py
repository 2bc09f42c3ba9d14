# SPDX-License-Identifier: GPL-2.0-only
"""The text of system calls: `sys_close(fd: b)`, `sys_close -> 0x0`."""

from __future__ import annotations

import struct
from collections.abc import Callable

from emu.ftrace.event.call import EventCall
from emu.ftrace.event.syscalls import FIRST_ARGUMENT

__all__ = ["enter_text", "exit_text"]


def enter_text(call: EventCall, *, with_types: bool) -> Callable[[bytes], str]:
    """What prints an entry: each argument in hexadecimal digits, as an unsigned long whatever its type is."""
    _, *arguments = call.fields
    layout = struct.Struct(f"={FIRST_ARGUMENT}x{len(arguments)}Q")
    shown = ", ".join(f"{f'{field.type} ' if with_types else ''}{field.name}: %x" for field in arguments)
    line = f"sys_{call.name.removeprefix('sys_enter_')}({shown})\n"
    return lambda entry: line % layout.unpack_from(entry)


def exit_text(call: EventCall) -> Callable[[bytes], str]:
    """What prints an entry: the result as an unsigned long."""
    layout = struct.Struct(f"={FIRST_ARGUMENT}xQ")
    line = f"sys_{call.name.removeprefix('sys_exit_')} -> %#x\n"
    return lambda entry: line % layout.unpack_from(entry)
