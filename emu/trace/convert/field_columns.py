# SPDX-License-Identifier: GPL-2.0-only
"""The fields of events of one type: each a column of numbers, or of texts of which each different one stands once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from emu.ftrace.event.call import Field
from emu.trace.event_table import EventTable, distinct_values, is_number, is_text
from emu.trace.report.context import ReportContext
from emu.trace.stack_entries import callers

__all__ = ["FieldColumn", "field_columns"]

_ADDRESSES = {  # fields that are a function's address
    "ftrace:function": ("ip", "parent_ip"),
    "ftrace:funcgraph_entry": ("func",), "ftrace:funcgraph_exit": ("func",),
    "ftrace:print": ("ip",), "ftrace:bprint": ("ip",), "ftrace:bputs": ("ip",), "ftrace:func_repeats": ("ip", "parent_ip"),
    "hardware:sample": ("ip",),
}  # fmt: skip
_TAILS = {"ftrace:print": "buf", "ftrace:kernel_stack": "caller"}  # which go on to the end of the entry


class FieldColumn(NamedTuple):
    """A field. `numbers`: its integers; None: it has `texts`, of which row n has number `which[n]`."""

    name: str
    numbers: NDArray[Any] | None
    texts: list[str]
    which: NDArray[Any]


def field_columns(context: ReportContext, table: EventTable) -> Iterator[FieldColumn]:
    """The fields in their order. Addresses of functions become their names; arrays of numbers become texts."""
    for field in table.call.fields:
        if is_number(field):
            numbers = table.field(field)
            if field.name in _ADDRESSES.get(table.call.path, ()):
                values, which = distinct_values(numbers)
                yield FieldColumn(field.name, None, [_function(context, value) for value in values], which)
            else:
                yield FieldColumn(field.name, numbers, [], np.empty(0, np.int32))
        else:
            which, contents = _data(table, field)
            yield FieldColumn(field.name, None, [_text(context, table, field, content) for content in contents], which)


def _function(context: ReportContext, address: int) -> str:
    return context.function(address) or f"{address:#x}"


def _data(table: EventTable, field: Field) -> tuple[NDArray[np.int32], list[bytes]]:
    if _TAILS.get(table.call.path) == field.name:
        return table.tails(field).distinct()
    return (table.text_ranges(field) if is_text(field) else table.ranges(field)).distinct()


def _text(context: ReportContext, table: EventTable, field: Field, content: bytes) -> str:
    if is_text(field):
        return content.partition(b"\0")[0].removesuffix(b"\n").decode(errors="replace")
    words = context.words
    if table.call.path == "ftrace:kernel_stack":
        return " <- ".join(_function(context, address) for address in callers(content, words))
    size = field.number_size if field.number_size in (1, 2, 4, 8) else 1
    numbers = np.frombuffer(content, f"{words.byte_order}{'i' if field.signed else 'u'}{size}", len(content) // size).tolist()
    may_be_addresses = not field.signed and (size == 8 or "long" in field.type.split("[")[0].split())
    return " ".join(map("{:#x}".format if may_be_addresses else str, numbers))
