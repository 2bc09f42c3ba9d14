# SPDX-License-Identifier: GPL-2.0-only
"""The calls recorded by function_graph, as columns."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from emu.trace.buffer_events import BufferEvents
from emu.trace.data_frames import DataFrames
from emu.trace.event_table import EventTable
from emu.trace.format_files import Formats
from emu.trace.lists import Column
from emu.trace.native import calls as native
from emu.trace.symbols import KernelSymbols
from emu.trace.tasks import Tasks, task_keys

__all__ = ["CallTable"]

_NAMES = (
    "entry", "exit", "depth", "duration", "self_time", "address", "function", "pid", "task", "cpu", "parent", "finished", "cut",
)  # fmt: skip


class CallTable(DataFrames):
    """Calls in the order of their entries; a mapping from names of columns to arrays with one element per call.

    `entry`, `exit`      uint64, nanoseconds
    `duration`           uint64, exit minus entry
    `self_time`          uint64, without its recorded callees
    `depth`              int32: 0 is the outermost
    `address`            uint64, of the function
    `function`, `task`   str, the function's and the task's name
    `pid`, `cpu`         of the task, and of the CPU on which the call began
    `parent`             int64: the row of the caller; -1: not recorded
    `finished`           bool: if false, there is no exit, and `exit`, `duration` and `self_time` are 0
    `cut`                bool: only the exit was recorded, which contains the time of the entry

    Linux records a call's entry a moment after reading the clock. Calls made by an interrupt in between are attributed to the
    interrupted caller, whose self time is then too short, but never negative.
    """

    def __init__(self, formats: Formats, events: BufferEvents, symbols: KernelSymbols, tasks: Tasks) -> None:
        self._formats = formats
        self._events = events
        self._symbols = symbols
        self._tasks = tasks
        self._made: dict[str, Column] = {}
        self._without_sleep = False

    def __iter__(self) -> Iterator[str]:
        return iter(_NAMES)

    def __len__(self) -> int:
        return len(_NAMES)

    def __getitem__(self, name: str) -> Column:
        if name not in _NAMES:
            raise KeyError(f"calls have no column {name!r}; they have {', '.join(_NAMES)}")
        if name in ("function", "task"):
            if name not in self._made:
                self._made[name] = self._names(name)
            return self._made[name]
        return self._columns[name]

    @property
    def count(self) -> int:
        """The number of calls."""
        return len(self._columns["entry"])

    @property
    def without_sleep(self) -> bool:
        """Whether times exclude the time when the task did not run (nosleep-time): calls then begin after their entries."""
        return bool(self._columns) and self._without_sleep

    def __repr__(self) -> str:
        return f"<CallTable: {self.count} calls, columns {', '.join(self)}>"

    def _names(self, name: str) -> Column:
        """Functions or tasks: one str object for all calls with the same name."""
        values, which = np.unique(self._columns["address" if name == "function" else "pid"], return_inverse=True)
        name_of = self._symbols.name_of if name == "function" else self._tasks.name_of
        texts = np.empty(len(values), np.object_)
        texts[:] = [name_of(value) for value in values.tolist()]
        return texts[which]

    @cached_property
    def _columns(self) -> dict[str, Column]:
        events = self._merged()
        count = len(events["time"])
        tasks = np.unique(events["key"], return_inverse=True)[1]
        seen = native.Calls.empty(count)
        calls = native.pair(
            native.GraphEvents(tasks, *(events[name] for name in native.GraphEvents._fields[1:])),
            native.TaskStacks.of(int(tasks.max(initial=-1)) + 1),
            seen,
        )
        order = np.argsort(seen.entry[:calls], kind="stable")
        place = np.empty(calls + 1, np.int64)
        place[order] = np.arange(calls)
        place[calls] = native.NO_CALL  # parents of NO_CALL, which is the last element
        row, parent, depth, entry, exit_, inner, state = (column[:calls][order] for column in seen)
        finished = state != native.UNFINISHED
        self._without_sleep = bool(np.any((state == native.PAIRED) & (entry > events["time"][row])))
        duration: NDArray[np.uint64] = np.where(finished, exit_ - entry, np.uint64(0))
        return {
            "entry": entry,
            "exit": exit_,
            "depth": depth,
            "parent": place[parent],
            "duration": duration,
            "self_time": np.where(finished & (inner < duration), duration - inner, np.uint64(0)),
            "address": events["address"][row],
            "pid": events["pid"][row],
            "cpu": events["cpu"][row],
            "finished": finished,
            "cut": state == native.CUT,
        }

    def _merged(self) -> dict[str, Column]:
        """The columns of entries and exits, sorted by time."""
        tables = []
        for number, name in enumerate(("entry", "exit")):
            call = self._formats.get(f"ftrace:funcgraph_{name}")
            if call is not None:
                rows = np.flatnonzero(self._events.columns.kind == call.number)
                tables.append((number == 1, EventTable(call, self._events, rows)))
        rows = np.concatenate([np.empty(0, np.int64), *(table.rows for _, table in tables)])
        order = np.argsort(rows, kind="stable")

        def column(name: str, type_: type) -> Column:
            parts: list[Column] = [
                np.asarray(table[name]).astype(type_, copy=False) if table.has_number(name) else np.zeros(table.count, type_)
                for _, table in tables
            ]
            return np.concatenate([np.empty(0, type_), *parts])[order]

        is_exit = np.concatenate([np.empty(0, np.bool_), *(np.full(table.count, exits) for exits, table in tables)])[order]
        found = {
            "time": column("common_time", np.uint64),
            "cpu": column("common_cpu", np.uint16), "pid": column("common_pid", np.int32),
            "address": column("func", np.uint64), "depth": column("depth", np.int32),
            "calltime": column("calltime", np.uint64), "rettime": column("rettime", np.uint64), "is_exit": is_exit,
        }  # fmt: skip
        return found | {"key": task_keys(found["pid"], found["cpu"])}
