# SPDX-License-Identifier: GPL-2.0-only
"""trace-cmd's plug-in sched_switch, which also prints wakeups. Kernels differ in the fields other than the task's number."""

from __future__ import annotations

import numpy as np

from emu.trace.event_table import EventTable, is_text
from emu.trace.lines import Numbers, Piece, RangesPiece, constant, texts_of
from emu.trace.report.plugins.fields import Show, long_decimal, signed, unsigned

__all__ = ["NAMED_TASKS", "switch_text", "wakeup_text"]

_STATES = "SDTtZXxW"  # the bits of a task's state, from the lowest on

# The tasks named by an event, by the prefixes of their fields' names.
NAMED_TASKS = {"sched:sched_switch": ("prev_", "next_"), "sched:sched_wakeup": ("",), "sched:sched_wakeup_new": ("",)}


def _state(bits: int) -> str:
    return "|".join(letter for bit, letter in enumerate(_STATES) if bits & 1 << bit) or "R"


def _task(table: EventTable, prefix: str) -> list[Piece]:
    """`rcu_preempt:15`"""
    name: list[Piece] = []
    comm = next((field for field in table.call.fields if field.name == f"{prefix}comm" and is_text(field)), None)
    if comm is not None:
        name = [RangesPiece(table.text_ranges(comm)), constant(":", table.count)]
    return [*name, long_decimal(unsigned(table, f"{prefix}pid"))]


def _number(table: EventTable, before: str, name: str, show: Show, after: str = "", *, every: bool = True) -> list[Piece]:
    """A field. If kernels of `every` version should have it, but this one does not, it is printed as missing."""
    if not table.has_number(name):
        return [constant(f"<CANT FIND FIELD {name}>", table.count)] if every else []
    return [constant(before, table.count), show(unsigned(table, name)), constant(after, table.count)]


def switch_text(table: EventTable) -> list[Piece]:
    """`ls:1064 [120] S ==> swapper/0:0 [120]`"""
    return [
        *_task(table, "prev_"), constant(" ", table.count), *_number(table, "[", "prev_prio", signed, "] "),
        *_number(table, "", "prev_state", lambda values: texts_of(values & np.uint64(0xFF), _state)),
        constant(" ==> ", table.count),
        *_task(table, "next_"), *_number(table, " [", "next_prio", signed, "]"),
    ]  # fmt: skip


def wakeup_text(table: EventTable) -> list[Piece]:
    """`rcu_preempt:15 [120] success=1 CPU:001`; later kernels do not record success."""
    return [
        *_task(table, ""), *_number(table, " [", "prio", long_decimal, "]"),
        *_number(table, " success=", "success", long_decimal, every=False),
        *_number(table, " CPU:", "target_cpu", lambda values: Numbers(values, width=3, zeros=True), every=False),
    ]  # fmt: skip
