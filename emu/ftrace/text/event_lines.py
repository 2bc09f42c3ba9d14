# SPDX-License-Identifier: GPL-2.0-only
"""The lines of tracers without a format of their own: task, CPU, flags and time, then the event's text."""

from __future__ import annotations

from emu.ftrace.text.bodies import body_column
from emu.ftrace.text.columns import Column, task_column, time_columns
from emu.ftrace.text.rows import Rows
from emu.ftrace.text.view import TraceView

__all__ = ["event_columns"]


def event_columns(view: TraceView, rows: Rows) -> list[Column]:
    """`              sh-57      [001] d..1.    76.407554: mutex_unlock <-rb_simple_write`, in columns."""
    body = body_column(view, rows)
    if not view.option("context-info"):
        return [body]
    return [task_column(view, rows), *time_columns(rows.time, view.clock_is_ns), body]
