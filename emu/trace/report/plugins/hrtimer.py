# SPDX-License-Identifier: GPL-2.0-only
"""trace-cmd's plug-in hrtimer."""

from __future__ import annotations

from emu.trace.event_table import EventTable
from emu.trace.lines import Piece, Texts
from emu.trace.ranges import distinct_values
from emu.trace.report.context import ReportContext
from emu.trace.report.plugins.fields import decimal, hexadecimal, shown, unsigned

__all__ = ["expire_entry_text", "start_text"]

_ALL_BITS = (1 << 64) - 1


def _function(context: ReportContext, table: EventTable) -> Texts:
    """` function=tick_sched_timer/0x0`, with the offset of the address in the function."""
    distinct, which = distinct_values(unsigned(table, "function"))
    texts = []
    for address in distinct:
        name, symbol = context.function(address), context.trace.symbols.find(address)
        shown_ = f"{name}/{-symbol.offset & _ALL_BITS:#x}" if name and symbol else f"{address:#010x}"
        texts.append(f" function={shown_}")
    return Texts(texts, which)


def expire_entry_text(context: ReportContext, table: EventTable) -> list[Piece]:
    """`hrtimer=0xffff888003c1b4c0 now=1234 function=tick_sched_timer/0x0`"""
    return [*shown(table, "hrtimer=0x", ("hrtimer", hexadecimal), " now=", ("now", decimal)), _function(context, table)]


def start_text(context: ReportContext, table: EventTable) -> list[Piece]:
    """`hrtimer=0xffff888003c1b4c0 function=tick_sched_timer/0x0 expires=1234 softexpires=1234`"""
    times = shown(table, " expires=", ("expires", decimal), " softexpires=", ("softexpires", decimal))
    return [*shown(table, "hrtimer=0x", ("hrtimer", hexadecimal)), _function(context, table), *times]
