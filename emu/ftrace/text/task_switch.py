# SPDX-License-Identifier: GPL-2.0-only
"""The text of the wakeup tracers' own events: a task wakes another, or is switched out for it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from emu.ftrace.buffers.entries import TASK_SWITCH, EventType
from emu.ftrace.text.columns import Column
from emu.ftrace.text.numbers import binary_numbers, hex_numbers
from emu.ftrace.text.rows import Rows
from emu.ftrace.text.view import TraceView

__all__ = ["task_switch_binary", "task_switch_hex", "task_switch_raw", "task_switch_text"]

_ARROWS = {EventType.CONTEXT_SWITCH: "==>", EventType.WAKEUP: "  +"}
_STATES = np.frombuffer(b"RSDTtXZPI", np.uint8)  # the letter of each state in an entry
_WOKEN = ord("+")  # in place of the waker's state, with raw and hex


def task_switch_text(view: TraceView, rows: Rows) -> Column:
    """`       0:120:R   + [001]    5152: 94:R sleep`: two tasks with priorities and states, and the CPU of the second one."""
    arrow = _ARROWS[EventType(int(rows.entry["type"][0]))]
    lines = [
        f" {pid:7}:{prio:3}:{state:c} {arrow} [{cpu:03}] {next_pid:7}:{next_prio:3}:{next_state:c} {view.task_name(next_pid)}\n"
        for pid, prio, state, cpu, next_pid, next_prio, next_state in _numbers(rows, _letters(rows, "prev_state"))
    ]
    return np.array(lines, np.object_)


def task_switch_raw(view: TraceView, rows: Rows) -> Column:
    """`0 120 + 1 5152 94 R`"""
    lines = [
        f"{pid} {prio} {state:c} {cpu} {next_pid} {next_prio} {next_state:c}\n"
        for pid, prio, state, cpu, next_pid, next_prio, next_state in _numbers(rows, _states_or_plus(rows))
    ]
    return np.array(lines, np.object_)


def task_switch_hex(view: TraceView, rows: Rows) -> Column:
    entries, letters = rows.entries(TASK_SWITCH), _letters(rows, "next_state").astype(np.uint32)
    first = entries["prev_pid"], entries["prev_prio"], _states_or_plus(rows)
    return hex_numbers(*first, entries["next_cpu"], entries["next_pid"], entries["next_prio"], letters)


def task_switch_binary(view: TraceView, rows: Rows) -> Column:
    entries = rows.entries(TASK_SWITCH)
    fields = ("prev_pid", "prev_prio", "prev_state", "next_cpu", "next_pid", "next_prio", "next_state")
    return binary_numbers(view, *(entries[field] for field in fields))


def _letters(rows: Rows, field: str) -> NDArray[np.uint8]:
    """The letters of the states in a field."""
    states: NDArray[np.uint8] = rows.entries(TASK_SWITCH)[field]
    return _STATES[np.minimum(states, len(_STATES) - 1)]


def _states_or_plus(rows: Rows) -> NDArray[np.uint8]:
    """The letter of the first task's state; `+` at a wakeup."""
    return np.where(rows.entry["type"] == EventType.WAKEUP, np.uint8(_WOKEN), _letters(rows, "prev_state"))


def _numbers(rows: Rows, first_states: NDArray[np.uint8]) -> Iterator[tuple[int, ...]]:
    """The numbers of each row, in printing order."""
    entries = rows.entries(TASK_SWITCH)
    first = entries["prev_pid"].tolist(), entries["prev_prio"].tolist(), first_states.tolist(), entries["next_cpu"].tolist()
    second = entries["next_pid"].tolist(), entries["next_prio"].tolist(), _letters(rows, "next_state").tolist()
    return zip(*first, *second, strict=True)
