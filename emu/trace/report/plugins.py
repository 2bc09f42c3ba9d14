# SPDX-License-Identifier: GPL-2.0-only
"""Events of which trace-cmd has a text of its own, and not that of their print fmt."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from emu.trace.event_table import EventTable
from emu.trace.lines import Numbers, Piece, Texts, constant
from emu.trace.ranges import distinct_values
from emu.trace.report.context import ReportContext
from emu.trace.report.ftrace_events import FTRACE_TEXTS
from emu.trace.report.sched import switch_text, wakeup_text

__all__ = ["ALLOCATIONS", "OWN_TEXTS", "call_site"]

_ALL_BITS = (1 << 64) - 1

# Of these the print fmt follows the place of the call.
ALLOCATIONS = frozenset(
    f"kmem:{name}"
    for name in ("kmalloc", "kmalloc_node", "kmem_cache_alloc", "kmem_cache_alloc_node", "kfree", "kmem_cache_free")
)


def call_site(context: ReportContext, table: EventTable) -> Piece:
    """`(fn+0x12) `; nothing if no function is there."""
    distinct, which = np.unique(table["call_site"], return_inverse=True)
    texts = []
    for address in distinct.tolist():
        known = context.function(address) is not None
        texts.append(f"({context.symbol(address, offset=True)}) " if known else "")
    return Texts(texts, which)


def _hexadecimal(table: EventTable, name: str) -> Piece:
    distinct, which = np.unique(table[name], return_inverse=True)
    return Texts([f"{value:#x}" for value in distinct.tolist()], which)


def _timer_function(context: ReportContext, table: EventTable) -> Texts:
    """` function=tick_sched_timer/0x0`: with how far from the address the function begins."""
    distinct, which = distinct_values(table["function"])
    texts = []
    for address in distinct:
        name, symbol = context.function(address), context.trace.symbols.find(address)
        shown = f"{name}/{-symbol.offset & _ALL_BITS:#x}" if name and symbol else f"{address:#010x}"
        texts.append(f" function={shown}")
    return Texts(texts, which)


def _expire_entry(context: ReportContext, table: EventTable) -> list[Piece]:
    return [
        constant("hrtimer=", table.count), _hexadecimal(table, "hrtimer"),
        constant(" now=", table.count), Numbers(table["now"].view(np.uint64)),
        _timer_function(context, table),
    ]  # fmt: skip


def _start(context: ReportContext, table: EventTable) -> list[Piece]:
    return [
        constant("hrtimer=", table.count), _hexadecimal(table, "hrtimer"),
        _timer_function(context, table),
        constant(" expires=", table.count), Numbers(table["expires"].view(np.uint64)),
        constant(" softexpires=", table.count), Numbers(table["softexpires"].view(np.uint64)),
    ]  # fmt: skip


def _tlb_flush(context: ReportContext, table: EventTable) -> list[Piece]:
    reasons = ("flush on task switch", "remote shootdown", "local shootdown", "local mm shootdown")
    distinct, which = np.unique(table["reason"], return_inverse=True)
    texts = [f" reason={reasons[reason] if 0 <= reason < len(reasons) else ''} ({reason})" for reason in distinct.tolist()]
    return [constant("pages=", table.count), Numbers(table["pages"].view(np.int64)), Texts(texts, which)]


OWN_TEXTS: Mapping[str, Callable[[ReportContext, EventTable], list[Piece]]] = {
    "sched:sched_switch": lambda _, table: switch_text(table),
    "sched:sched_wakeup": lambda _, table: wakeup_text(table),
    "sched:sched_wakeup_new": lambda _, table: wakeup_text(table),
    "timer:hrtimer_expire_entry": _expire_entry,
    "timer:hrtimer_start": _start,
    "tlb:tlb_flush": _tlb_flush,
    **FTRACE_TEXTS,
}
