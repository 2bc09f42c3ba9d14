# SPDX-License-Identifier: GPL-2.0-only
"""trace-cmd's plug-in kmem: prints the call site before the print fmt."""

from __future__ import annotations

from emu.trace.event_table import EventTable
from emu.trace.lines import Texts
from emu.trace.ranges import distinct_values
from emu.trace.report.context import ReportContext
from emu.trace.report.plugins.fields import unsigned

__all__ = ["ALLOCATIONS", "call_site"]

ALLOCATIONS = frozenset(
    f"kmem:{name}"
    for name in ("kmalloc", "kmalloc_node", "kmem_cache_alloc", "kmem_cache_alloc_node", "kfree", "kmem_cache_free")
)


def call_site(context: ReportContext, table: EventTable) -> Texts:
    """`(fn+0x12) `; nothing if there is no function."""
    distinct, which = distinct_values(unsigned(table, "call_site"))
    texts = [f"({context.symbol(address, offset=True)}) " if context.function(address) else "" for address in distinct]
    return Texts(texts, which)
