# SPDX-License-Identifier: GPL-2.0-only
"""The text of synthetic events: `wakeup_latency: lat=188 pid=7381 comm=sleep`."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import replace

from emu.ftrace.event.call import EventCall, Field
from emu.ftrace.event.conversions import c_string
from emu.ftrace.event.print_fmt import Guest, compile_print_fmt
from emu.ftrace.event.print_fmt_calls import dynamic_data
from emu.ftrace.event.synth_fields import STRING_ROOM, conversion
from emu.ftrace.text.view import TraceView

__all__ = ["synthetic_text"]

_Writer = Callable[[bytes], str]

_GFP_TABLE = re.compile(r'__print_flags\(REC->gfp_flags, "\|", .*?\}\s*\)', re.DOTALL)


def synthetic_text(view: TraceView, call: EventCall, guest: Guest) -> _Writer:
    """Returns a function that prints an entry: each field by its type. With the option `verbose`, its conversion precedes it."""
    *others, last = call.fields
    writers = [*(_writer(view, field, guest, " ") for field in others), _writer(view, last, guest, "")]
    return lambda entry: f"{call.name}: {''.join(writer(entry) for writer in writers)}\n"


def _writer(view: TraceView, field: Field, guest: Guest, space: str) -> _Writer:
    """Returns a function that prints a field and the space after it. As in Linux, a gfp_t's flags follow the space."""
    start = f"{conversion(field.type)} {field.name}=" if view.option("verbose") else f"{field.name}="
    value = _string(field) if "char[" in field.type else _number(field)
    if field.type == "gfp_t":
        flags = _gfp_flags(view, field, guest)
        return lambda entry: f"{start}{value(entry)}{space} ({flags(entry)})"
    return lambda entry: f"{start}{value(entry)}{space}"


def _string(field: Field) -> _Writer:
    def text(entry: bytes) -> str:
        if field.is_dynamic:
            data = dynamic_data(entry, int.from_bytes(entry[field.offset : field.offset + 4], sys.byteorder))
        else:
            data = entry[field.offset : field.offset + STRING_ROOM]
        return c_string(data[:STRING_ROOM])

    return text


def _number(field: Field) -> _Writer:
    """The number as Linux passes it to printf(): types shorter than an int become unsigned."""
    bytes_, signed = slice(field.offset, field.offset + field.size), field.signed and field.size >= 4
    base = "x" if conversion(field.type) == "%x" else "d"
    return lambda entry: format(int.from_bytes(entry[bytes_], sys.byteorder, signed=signed), base)


def _gfp_flags(view: TraceView, field: Field, guest: Guest) -> _Writer:
    """Returns a function that names the flags of a gfp_t, as kmem:kmalloc's print fmt does with the kernel's own table."""
    kmalloc = next((call for call in view.calls.values() if call.path == "kmem:kmalloc"), None)
    table = _GFP_TABLE.search(kmalloc.print_fmt) if kmalloc else None
    if kmalloc is None or table is None:
        return _number(field)
    named = replace(kmalloc, fields=[replace(field, name="gfp_flags")], print_fmt=f'"%s", {table[0]}')
    text = compile_print_fmt(named, view.kernel_values, view.kernel_constants, view.words.long_size)
    return lambda entry: text(entry, guest)
