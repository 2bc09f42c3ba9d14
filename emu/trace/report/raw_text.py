# SPDX-License-Identifier: GPL-2.0-only
"""The fields of events, ` ip=vfs_open parent_ip=path_openat`, each printed as in the print fmt, if that prints it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np

from emu.ftrace.event.call import EventCall, Field
from emu.ftrace.event.print_fmt import PrintFmtError
from emu.trace.event_table import EventTable, is_number, is_text
from emu.trace.lines import Numbers, Piece, RangesPiece, Texts, constant, texts_of
from emu.trace.report.context import ReportContext
from emu.trace.report.event_text import Argument, EventText

__all__ = ["RawText"]

Maker = Callable[[EventTable], Piece]
_OWN_FORMAT = "ftrace:bprint"  # its entries determine how they are printed, not its print fmt


class RawText:
    """Makes the text of all fields of events of one type."""

    def __init__(self, context: ReportContext, call: EventCall) -> None:
        self._context = context
        self._call = call

    @cached_property
    def _makers(self) -> list[tuple[Maker | None, bool]]:
        """For each field: its maker, if a conversion prints it unchanged, and whether 0x precedes.

        A field's conversion is searched for from the previous field's on, and then from the beginning; but trace-cmd finds
        none any more once one was the last part of the print fmt. It does not search bprint's print fmt, because such an event
        is printed by the format that it points to.
        """
        if self._call.path == _OWN_FORMAT:
            return [(None, False)] * len(self._call.fields)
        text = EventText(self._context, self._call)
        found: list[tuple[Maker | None, bool]] = []
        try:
            parts = list(text.parts())
            start = 0
            for field in self._call.fields:
                places = [*range(start, len(parts)), *range(start)] if start < len(parts) else []
                place = next((place for place in places if _prints(parts[place], field)), None)
                if place is None:
                    found.append((None, False))
                    continue
                before = parts[place - 1] if place else ""
                found.append((text.maker(parts[place]), isinstance(before, str) and before.endswith("0x")))
                start = place + 1
        except PrintFmtError:
            return [(None, False)] * len(self._call.fields)  # trace-cmd cannot use it either
        return found

    def __call__(self, table: EventTable) -> list[Piece]:
        """The pieces for the events of a table."""
        pieces: list[Piece] = []
        for field, (maker, prefixed) in zip(self._call.fields, self._makers, strict=True):
            pieces.append(constant(f" {field.name}={'0x' if prefixed else ''}", table.count))
            pieces.append(maker(table) if maker else self._plain(table, field))
        return pieces

    def _plain(self, table: EventTable, field: Field) -> Piece:
        """A field that the print fmt does not print unchanged."""
        if not field.size and not field.type.endswith("]"):
            return constant("0", table.count)  # a number of 0 bytes
        if is_text(field):
            return RangesPiece(table.text_ranges(field))
        if not is_number(field):
            which, contents = table.declared_ranges(field).distinct()
            return Texts([_array(content) for content in contents], which)
        values = table.field(field)
        if "*" in field.type or ("long" in field.type.split() and (not field.signed or field.size == 4)):
            unsigned = values.view(np.dtype(f"u{field.size}"))
            return texts_of(unsigned, lambda value: f"{value:#x}")
        return Numbers(values)


def _prints(part: str | Argument, field: Field) -> bool:
    """Whether a conversion prints a field unchanged."""
    is_conversion = isinstance(part, Argument) and part.conversion.kind != "o" and part.field_name == field.name
    return is_conversion and not _is_array(field)


def _is_array(field: Field) -> bool:
    return not is_text(field) and (field.is_dynamic or field.type.endswith("]"))


def _array(content: bytes) -> str:
    return f"ARRAY[{', '.join(f'{byte:02x}' for byte in content)}]"

