# SPDX-License-Identifier: GPL-2.0-only
"""The text of sched_switch and sched_wakeup, which trace-cmd does not take from their print fmt."""

from __future__ import annotations

from typing import Any

import numpy as np

from emu.trace.event_table import EventTable
from emu.trace.lines import Numbers, Piece, RangesPiece, Texts, constant

__all__ = ["switch_text", "wakeup_text"]

_INT, _UNSIGNED = np.dtype(np.int32), np.dtype(np.uint32)
_STATES = "SDTtZXxW"  # the bits of a task's state from the lowest


def _state(bits: int) -> str:
    return "|".join(letter for bit, letter in enumerate(_STATES) if bits & 1 << bit) or "R"


def _task(table: EventTable, prefix: str, prio: np.dtype[Any]) -> list[Piece]:
    """`rcu_preempt:15 [120]`."""
    fields = {field.name: field for field in table.call.fields}
    return [
        RangesPiece(table.text_ranges(fields[f"{prefix}comm"])),
        constant(":", table.count),
        Numbers(table[f"{prefix}pid"].view(np.uint32)),
        constant(" [", table.count),
        Numbers(table[f"{prefix}prio"].view(prio)),
    ]


def switch_text(table: EventTable) -> list[Piece]:
    """`ls:1064 [120] S ==> swapper/0:0 [120]`"""
    states = Texts([f"] {_state(bits)} ==> " for bits in range(1 << len(_STATES))], table["prev_state"] & 0xFF)
    return [*_task(table, "prev_", _INT), states, *_task(table, "next_", _INT), constant("]", table.count)]


def wakeup_text(table: EventTable) -> list[Piece]:
    """`rcu_preempt:15 [120] CPU:001`"""
    cpu = Numbers(table["target_cpu"].view(_UNSIGNED), width=3, zeros=True)
    return [*_task(table, "", _UNSIGNED), constant("] CPU:", table.count), cpu]
