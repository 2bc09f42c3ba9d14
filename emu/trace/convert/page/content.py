# SPDX-License-Identifier: GPL-2.0-only
"""The contents of a page, as columns: calls, the task on each CPU, and the other events."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from emu.trace.convert.chunks import chunks
from emu.trace.convert.intervals import Intervals, intervals
from emu.trace.convert.on_cpus import on_cpus
from emu.trace.convert.options import ConvertOptions
from emu.trace.convert.rows import EventRows, event_rows, path_of
from emu.trace.ranges import distinct_values
from emu.trace.switches import has_switches
from emu.trace.tasks import task_keys
from emu.trace.trace import Trace

__all__ = ["Content", "content"]

_CALLS = ("ftrace:funcgraph_entry", "ftrace:funcgraph_exit")
_TYPES = ("u8", "u2", "i4", "u2", "u1", "i8", "i8")  # of EventRows' columns
Column = NDArray[np.integer]


class Content(NamedTuple):
    """Attributes:
    said: everything that is not a column: `origin`, the nanosecond from which times count, and `end`; the `names` of functions,
        events and tasks; the `tasks`, each with its key and its name's index; the `rows` of calls: task, level, and number;
        `switches`: whether tasks' run times come from sched_switch or only from their events.
    columns: `call_start` and `run_start` are relative to the previous slice in the same row, or to the origin.
    """

    said: dict[str, object]
    columns: dict[str, Column]


class _Names:
    """Assigns numbers to texts."""

    def __init__(self) -> None:
        self.texts: dict[str, int] = {}

    def number(self, text: str) -> int:
        return self.texts.setdefault(text, len(self.texts))

    def numbers(self, values: Column, text: Callable[[int], str]) -> Column:
        """The number of each value's text, which is made once per distinct value."""
        distinct, which = distinct_values(values)
        return np.array([self.number(text(value)) for value in distinct], np.int64)[which]


def content(trace: Trace, options: ConvertOptions) -> Content:
    """The selected contents."""
    names = _Names()
    nested = intervals(trace, options.selection.calls(trace))
    running = on_cpus(trace, options.selection, by_events=True)
    events = _events(trace, options)
    event_keys = task_keys(events.pid, events.cpu)
    tasks = np.unique(np.concatenate([nested.keys, running.pid.astype(np.int64), event_keys]))
    times = np.concatenate([nested.times, running.start, running.end, events.time])
    origin = times.min() if len(times) else np.uint64(0)
    rows, columns = _calls(trace, nested, origin, tasks, names)
    columns |= {
        "run_start": _from_the_one_before(running.start, running.cpu, origin), "run_length": running.end - running.start,
        "run_cpu": running.cpu, "run_task": np.searchsorted(tasks, running.pid),
        "run_name": np.array([names.number(f"{comm} [{pid}]") for comm, pid in zip(running.comm, running.pid, strict=True)], int),
        "event_time": np.diff(events.time, prepend=origin), "event_cpu": events.cpu,
        "event_task": np.searchsorted(tasks, event_keys),
        "event_name": names.numbers(events.kind, lambda kind: path_of(trace, kind)),
        "event_length": events.ends - events.starts, "event_text": _texts(events),
    }  # fmt: skip
    said = {
        "origin": str(origin), "end": int(times.max() - origin) if len(times) else 0, "rows": rows,
        "tasks": [[key, names.number(_task_name(trace, key))] for key in tasks.tolist()], "names": list(names.texts),
        "switches": has_switches(trace),
    }  # fmt: skip
    return Content(said, columns)


def _task_name(trace: Trace, key: int) -> str:
    """A task's name in Perfetto's form: `ls [57]`."""
    return f"swapper/{-1 - key}" if key < 0 else f"{trace.tasks.name_of(key)} [{key}]"


def _calls(
    trace: Trace, nested: Intervals, origin: np.uint64, tasks: Column, names: _Names
) -> tuple[list[list[int]], dict[str, Column]]:
    """The rows of calls (one per task and level), and the columns."""
    calls, begins = trace.calls, ~nested.ends
    start, end, level = np.empty_like(nested.rows, np.uint64), np.empty_like(nested.rows, np.uint64), np.empty_like(nested.rows)
    start[nested.which[begins]], end[nested.which[nested.ends]] = nested.times[begins], nested.times[nested.ends]
    level[nested.which[begins]] = np.cumsum(np.where(nested.ends, -1, 1))[begins] - 1
    order = np.lexsort((start, level, nested.keys))
    start, end, level = start[order], end[order], level[order]
    row_numbers = np.searchsorted(tasks, nested.keys[order]) * (level.max(initial=0) + 1) + level
    _, firsts, counts = np.unique(row_numbers, return_index=True, return_counts=True)
    rows = np.stack([np.searchsorted(tasks, nested.keys[order][firsts]), level[firsts], counts], axis=1).tolist()
    chosen = nested.rows[order]
    duration = calls["duration"][chosen]
    other = np.flatnonzero(duration != end - start)  # calls that are drawn shorter or longer than they were
    return rows, {
        "call_start": _from_the_one_before(start, row_numbers, origin), "call_length": end - start,
        "call_inner": duration - calls["self_time"][chosen],
        "call_name": names.numbers(calls["address"][chosen], trace.symbols.name_of), "call_cpu": calls["cpu"][chosen],
        "other_call": other, "other_duration": duration[other], "unfinished": np.flatnonzero(~calls["finished"][chosen]),
    }  # fmt: skip


def _from_the_one_before(start: Column, row: Column, origin: np.uint64) -> Column:
    is_first = np.diff(row.astype(np.int64), prepend=-1) != 0
    return start - np.where(is_first, origin, np.concatenate([start[:1], start[:-1]]))


def _events(trace: Trace, options: ConvertOptions) -> EventRows:
    """All events except calls, sorted by time, with their texts one after another."""
    next(chunks(trace, options), None)  # notes what is left out
    wanted = options.selection.events
    events = set(trace.formats if wanted is None else wanted).difference(_CALLS)
    selection = replace(options.selection, events=events)
    none: Column = np.empty(0, np.uint8)
    chosen = event_rows(trace, replace(options, selection=selection, notes=[]))
    parts = [EventRows(*(none.astype(kind) for kind in _TYPES)), *chosen]
    moved, before = [], 0
    for part in parts:
        moved.append(part._replace(starts=part.starts + before, ends=part.ends + before))
        before += len(part.text)
    return EventRows(*(np.concatenate(column) for column in zip(*moved, strict=True)))


def _texts(events: EventRows) -> Column:
    """The bytes of the texts, without those in between."""
    size = len(events.text) + 1
    inside = np.zeros(size, np.int8)
    np.add.at(inside, events.starts, 1)
    np.add.at(inside, events.ends, -1)
    return events.text[np.cumsum(inside, dtype=np.int8)[:-1] > 0]
