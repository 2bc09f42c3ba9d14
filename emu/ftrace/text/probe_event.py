# SPDX-License-Identifier: GPL-2.0-only
"""The text of probe events: `myopen: (do_sys_openat2+0x0/0xe0) dfd=0xffffff9c filename="/etc/passwd"`."""

from __future__ import annotations

import struct
import sys
from collections.abc import Callable

import numpy as np

from emu.ftrace.dynevent.argument import Argument
from emu.ftrace.dynevent.probe_event import ProbeEvent
from emu.ftrace.event.call import COMMON_SIZE, EventCall, EventKind
from emu.ftrace.event.print_fmt_calls import dynamic_data
from emu.ftrace.text.columns import SymbolNames
from emu.ftrace.text.view import TraceView

__all__ = ["probe_text"]

_FAULT = "(fault)"
_LETTERS = {1: "b", 2: "h", 4: "i", 8: "q"}  # format letters of struct, by size; capitals are unsigned


def probe_text(view: TraceView, call: EventCall) -> Callable[[bytes], str]:
    """Returns a function that prints an entry."""
    source = call.source
    assert isinstance(source, ProbeEvent)
    head = _head(view, call, source)
    layout = source.layout
    names = [f" {argument.name}=" for argument in layout.arguments]
    values = [_value(view, argument, offset) for argument, offset in zip(layout.arguments, layout.offsets, strict=True)]

    def text(entry: bytes) -> str:
        shown = "".join(name + value(entry) for name, value in zip(names, values, strict=True))
        return f"{call.name}: ({head(entry)}){shown}\n"

    return text


def _head(view: TraceView, call: EventCall, source: ProbeEvent) -> Callable[[bytes], str]:
    """Returns a function that prints the part in parentheses."""
    first, second = struct.Struct(f"={COMMON_SIZE}xQ"), struct.Struct(f"={COMMON_SIZE}xQQ")
    addresses = view.option("sym-addr")
    place, caller = (SymbolNames(view, offset=offset, address=addresses) for offset in (True, False))

    def name(names: SymbolNames, address: int) -> str:
        return names.of(np.array([address], np.uint64))[0]

    def returned(entry: bytes) -> str:
        function, to = second.unpack_from(entry)
        return f"{name(place, to)} <- {name(caller, function)}"

    def returned_in_program(entry: bytes) -> str:
        function, to = second.unpack_from(entry)
        return f"{to:#x} <- {function:#x}"

    match call.kind:
        case EventKind.KPROBE:
            return lambda entry: name(place, first.unpack_from(entry)[0])
        case EventKind.KRETPROBE:
            return returned
        case EventKind.UPROBE:
            return lambda entry: f"{first.unpack_from(entry)[0]:#x}"
        case EventKind.URETPROBE:
            return returned_in_program
        case _:
            return lambda entry: source.title


def _value(view: TraceView, argument: Argument, offset: int) -> Callable[[bytes], str]:
    """Returns a function that prints an argument at an offset in the entry."""
    one = _one_value(view, argument)
    size = argument.type.size
    if not argument.count:
        return lambda entry: one(entry, offset)
    places = [offset + n * size for n in range(argument.count)]
    return lambda entry: f"{{{','.join(one(entry, place) for place in places)}}}"


def _one_value(view: TraceView, argument: Argument) -> Callable[[bytes, int], str]:
    """Returns a function that prints a value at an offset in an entry."""
    kind = argument.type
    if kind.is_string:
        return _string
    letter = _LETTERS[kind.size]
    number = struct.Struct(f"={letter if kind.signed else letter.upper()}")
    if kind.name == "symbol":
        names = SymbolNames(view, offset=True)
        return lambda entry, at: names.of(np.array(number.unpack_from(entry, at), np.uint64))[0]
    shown = "%#x" if kind.name.startswith("x") else "%d"
    return lambda entry, at: shown % number.unpack_from(entry, at)


def _string(entry: bytes, at: int) -> str:
    word = int.from_bytes(entry[at : at + 4], sys.byteorder)
    if not word >> 16:
        return _FAULT
    text = dynamic_data(entry, word, 0).partition(b"\0")[0]
    return f'"{text.decode(errors="surrogateescape")}"'
