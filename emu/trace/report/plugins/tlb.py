# SPDX-License-Identifier: GPL-2.0-only
"""trace-cmd's plug-in tlb: the reasons of TLB flushes."""

from __future__ import annotations

from emu.trace.event_table import EventTable
from emu.trace.lines import Piece, texts_of
from emu.trace.report.plugins.fields import long_decimal, shown, unsigned

__all__ = ["flush_text"]

_REASONS = ("flush on task switch", "remote shootdown", "local shootdown", "local mm shootdown")


def flush_text(table: EventTable) -> list[Piece]:
    """`pages=-1 reason=local mm shootdown (3)`"""

    def reason(number: int) -> str:
        return f" reason={_REASONS[number] if number < len(_REASONS) else ''} ({number})"

    pages = shown(table, "pages=", ("pages", long_decimal))
    return [*pages, texts_of(unsigned(table, "reason"), reason)]
