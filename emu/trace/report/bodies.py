# SPDX-License-Identifier: GPL-2.0-only
"""The texts of events after their names, for each type in trace-cmd's form; without function_graph's lines."""

from __future__ import annotations

from emu.ftrace.event.call import EventCall
from emu.trace.event_table import EventTable
from emu.trace.lines import Piece, constant
from emu.trace.report.context import ReportContext
from emu.trace.report.event_text import EventText
from emu.trace.report.needed_fields import has_needed
from emu.trace.report.plugins.kmem import ALLOCATIONS, call_site
from emu.trace.report.plugins.own_texts import OWN_TEXTS
from emu.trace.report.raw_text import RawText

__all__ = ["Bodies"]


class Bodies:
    """Makes the texts of events."""

    def __init__(self, context: ReportContext) -> None:
        self._context = context
        self._texts: dict[int, EventText] = {}

    def __call__(self, call: EventCall, table: EventTable) -> list[Piece]:
        """The pieces for the events of a table, without line ends."""
        if has_needed(call, self._context.words) and (own := OWN_TEXTS.get(call.path)):
            return own(self._context, table)
        if call.number not in self._texts:
            self._texts[call.number] = EventText(self._context, call)
        text = self._texts[call.number]
        pieces = text(table)
        if text.broken is not None:
            return [constant("[FAILED TO PARSE]", table.count), *RawText(self._context, call)(table)]
        if call.path in ALLOCATIONS and has_needed(call, self._context.words):
            return [call_site(self._context, table), *pieces]
        return pieces
