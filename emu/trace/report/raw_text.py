# SPDX-License-Identifier: GPL-2.0-only
"""The fields of events, ` ip=vfs_open parent_ip=path_openat`, each as the print fmt prints it if it does that."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np

from emu.ftrace.event.call import EventCall, Field
from emu.ftrace.event.print_fmt import PrintFmtError
from emu.trace.event_table import EventTable, is_text
from emu.trace.lines import Numbers, Piece, RangesPiece, Texts, constant, texts_of
from emu.trace.report.context import ReportContext
from emu.trace.report.event_text import Argument, EventText

__all__ = ["RawText"]

Maker = Callable[[EventTable], Piece]
_MESSAGES = {"ftrace:print": "buf", "ftrace:raw_data": "buf"}  # texts without a length of their own


class RawText:
    """Makes the text of all fields of events of one type."""

    def __init__(self, context: ReportContext, call: EventCall) -> None:
        self._context = context
        self._call = call

    @cached_property
    def _printed(self) -> dict[str, tuple[Maker, bool]]:
        """By the names of fields that a conversion prints as they are: what prints them, and whether 0x stands before."""
        text = EventText(self._context, self._call)
        found: dict[str, tuple[Maker, bool]] = {}
        fields, before = {field.name: field for field in self._call.fields}, ""
        try:
            for part in text.parts():
                if isinstance(part, Argument) and part.conversion.kind != "o":
                    name = part.field_name
                    if name in fields and name not in found and not _is_array(fields[name]):
                        found[name] = (text.maker(part), before.endswith("0x"))
                before = part if isinstance(part, str) else ""
        except PrintFmtError:
            return {}  # trace-cmd cannot use it either
        return found

    def __call__(self, table: EventTable) -> list[Piece]:
        """The pieces of the events of a table."""
        pieces: list[Piece] = []
        for field in self._call.fields:
            maker, prefixed = self._printed.get(field.name, (None, False))
            pieces.append(constant(f" {field.name}={'0x' if prefixed else ''}", table.count))
            pieces.append(maker(table) if maker and not _is_message(self._call, field) else self._plain(table, field))
        return pieces

    def _plain(self, table: EventTable, field: Field) -> Piece:
        """A field that the print fmt does not print as it is."""
        if _is_message(self._call, field):
            which, contents = table.tails(field).distinct()
            return Texts([content.partition(b"\0")[0].removesuffix(b"\n") for content in contents], which)
        if is_text(field):
            return RangesPiece(table.text_ranges(field))
        if field.is_dynamic or field.type.endswith("]") or field.size not in (1, 2, 4, 8):
            which, contents = table.ranges(field).distinct()
            return Texts([_array(content) for content in contents], which)
        values = table.field(field)
        if "*" in field.type or ("long" in field.type.split() and not field.signed):
            unsigned = values.view(np.dtype(f"u{field.size}"))
            return texts_of(unsigned, lambda value: f"{value:#x}")
        return Numbers(values)


def _is_array(field: Field) -> bool:
    return not is_text(field) and (field.is_dynamic or field.type.endswith("]"))


def _array(content: bytes) -> str:
    """Bytes; what can be printed up to its NUL is taken for a text."""
    text = content.partition(b"\0")[0]
    if content and text.isascii() and (not text or text.decode().isprintable()):
        return text.decode()
    return f"ARRAY[{', '.join(f'{byte:02x}' for byte in content)}]"


def _is_message(call: EventCall, field: Field) -> bool:
    return _MESSAGES.get(call.path) == field.name
