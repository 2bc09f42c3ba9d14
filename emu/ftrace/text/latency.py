# SPDX-License-Identifier: GPL-2.0-only
"""The prefix of an event with the option latency-format: the time since the trace's start, and until the next event."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from emu.ftrace.text.columns import Column, in_microseconds, latency_flags, text_of, text_of_state
from emu.ftrace.text.duration import duration_mark
from emu.ftrace.text.rows import Rows
from emu.ftrace.text.view import TraceView

__all__ = ["latency_columns"]


def latency_columns(view: TraceView, rows: Rows) -> list[Column]:
    """`      sh-57        1d..1. 16602us+: `; with the option verbose, all numbers of the event."""
    since, until = rows.time - np.minimum(np.uint64(view.start), rows.time), _until_next(view, rows)
    if view.option("verbose"):
        return _verbose(view, rows, since, until)
    if not view.clock_is_ns:
        return [_task(view, rows), text_of(since, lambda count: f" {count:4}: ")]
    marks = text_of(in_microseconds(until), lambda count: duration_mark(count * 1000))
    return [_task(view, rows), text_of(in_microseconds(since), lambda count: f" {count:4}us"), marks + ": "]


def _task(view: TraceView, rows: Rows) -> Column:
    def text(pid: int, cpu: int, flags: int, preempt_count: int) -> str:
        return f"{view.task_name(pid)[:8]:>8}-{pid:<7} {cpu:3}{latency_flags(flags, preempt_count)}"

    return text_of_state(rows, text)


def _verbose(view: TraceView, rows: Rows, since: NDArray[np.uint64], until: NDArray[np.uint64]) -> list[Column]:
    entry = rows.entry
    numbers = zip(entry["pid"].tolist(), rows.cpu.tolist(), entry["flags"].tolist(), entry["preempt_count"].tolist(), strict=True)
    places = (rows.place + view.first_number).tolist()
    tasks = [
        f"{view.task_name(pid):>16} {pid:7} {cpu:3} {flags} {depths & 0xF:08x} {place:08x} "
        for (pid, cpu, flags, depths), place in zip(numbers, places, strict=True)
    ]
    if view.clock_is_ns:
        time, since, until = in_microseconds(rows.time), in_microseconds(since), in_microseconds(until)
        times = [
            f"[{time:08x}] {_milliseconds(since)} (+{_milliseconds(until)}): "
            for time, since, until in zip(time.tolist(), since.tolist(), until.tolist(), strict=True)
        ]
    else:
        times = [
            f"[{time:016x}] {since} (+{until}): "
            for time, since, until in zip(rows.time.tolist(), since.tolist(), until.tolist(), strict=True)
        ]
    return [np.array(tasks, np.object_), np.array(times, np.object_)]


def _until_next(view: TraceView, rows: Rows) -> NDArray[np.uint64]:
    """The time from each event to the next one on any CPU; 0 if that is unknown."""
    if view.consuming:
        return np.zeros(len(rows), np.uint64)
    following: NDArray[np.uint64] = rows.times[np.minimum(rows.place + 1, len(rows.times) - 1)]
    return following - rows.time


def _milliseconds(count: int) -> str:
    """The text of a number of microseconds."""
    return f"{count // 1000}.{count % 1000:03}ms"
