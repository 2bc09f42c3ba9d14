# SPDX-License-Identifier: GPL-2.0-only
"""The fields of events of one type: each is a column of numbers, or of texts that are stored once per distinct text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from emu.ftrace.event.call import Field
from emu.trace.event_table import KERNEL_STACK, EventTable, is_number, is_text
from emu.trace.lists import Lists
from emu.trace.ranges import distinct_values
from emu.trace.report.context import ReportContext
from emu.trace.report.ftrace_events import binary_messages
from emu.trace.report.needed_fields import has_needed

__all__ = ["FieldColumn", "field_columns"]

_ADDRESSES = {  # fields with a function's address
    "ftrace:function": ("ip", "parent_ip"),
    "ftrace:funcgraph_entry": ("func",), "ftrace:funcgraph_exit": ("func",),
    "ftrace:print": ("ip",), "ftrace:bprint": ("ip",), "ftrace:bputs": ("ip",), "ftrace:func_repeats": ("ip", "parent_ip"),
    "hardware:sample": ("ip",),
}  # fmt: skip
_TEXT_POINTERS = ("const char *", "char *")
_BINARY_MESSAGE = ("ftrace:bprint", "buf")  # numbers that become a text, by a format of the kernel


class FieldColumn(NamedTuple):
    """A field. `numbers`: its integers; if None, it has `texts`, and row n has text `which[n]`."""

    name: str
    numbers: NDArray[np.integer] | None
    texts: list[str]
    which: NDArray[np.integer]


def field_columns(context: ReportContext, table: EventTable) -> Iterator[FieldColumn]:
    """The fields, in order. Addresses of functions become names; pointers to kernel strings become strings;
    arrays of numbers become texts.
    """
    for field in table.call.fields:
        if (table.call.path, field.name) == _BINARY_MESSAGE and has_needed(table.call, context.words):
            messages = [message.decode(errors="replace") for message in binary_messages(context, table)]
            yield FieldColumn(field.name, None, messages, np.arange(table.count))
        elif is_text(field):
            which, contents = table.text_ranges(field).distinct()
            texts = [content.removesuffix(b"\n").decode(errors="replace") for content in contents]
            yield FieldColumn(field.name, None, texts, which)
        elif is_number(field):
            yield _numbers(context, table, field)
        else:
            column = table.field(field)
            lists = column if isinstance(column, Lists) else Lists.of(column)
            which, rows = lists.numbered()
            yield FieldColumn(field.name, None, [_text(context, table, field, lists[row]) for row in rows], which)


def _numbers(context: ReportContext, table: EventTable, field: Field) -> FieldColumn:
    """Numbers, or the texts that they represent."""
    numbers = table.field(field)
    if field.name in _ADDRESSES.get(table.call.path, ()):
        values, which = distinct_values(numbers)
        return FieldColumn(field.name, None, [_function(context, value) for value in values], which)
    if field.type in _TEXT_POINTERS and table.call.system != "syscalls":  # their pointers are user pointers
        values, which = distinct_values(numbers)
        return FieldColumn(field.name, None, [context.printk_formats.get(value, f"{value:#x}") for value in values], which)
    return FieldColumn(field.name, numbers, [], np.empty(0, np.int32))


def _function(context: ReportContext, address: int) -> str:
    return context.function(address) or f"{address:#x}"


def _text(context: ReportContext, table: EventTable, field: Field, numbers: NDArray[np.integer]) -> str:
    """Several numbers as a text, or the names of a stack trace's functions."""
    if table.call.path == KERNEL_STACK:
        return " <- ".join(_function(context, address) for address in numbers.tolist())
    is_long = "long" in field.type.split("[")[0].split()
    may_be_addresses = numbers.dtype.kind == "u" and (numbers.itemsize == 8 or is_long)
    return " ".join(map("{:#x}".format if may_be_addresses else str, numbers.tolist()))
