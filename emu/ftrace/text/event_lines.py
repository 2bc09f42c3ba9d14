# SPDX-License-Identifier: GPL-2.0-only
"""The lines of tracers without their own format: a prefix depending on the options, then the event's text."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from emu.ftrace.text.blk import classic_column, classic_rows
from emu.ftrace.text.bodies import MESSAGES, binary_column, body_column, hex_column, message_column, raw_column
from emu.ftrace.text.columns import Column, spread, task_column, time_columns
from emu.ftrace.text.latency import latency_columns
from emu.ftrace.text.numbers import binary_numbers, hex_numbers
from emu.ftrace.text.rows import Rows
from emu.ftrace.text.view import TraceView

__all__ = ["event_columns", "is_numeric"]

Columns = Callable[[TraceView, Rows], list[Column]]


def event_columns(view: TraceView, rows: Rows) -> list[Column]:
    """`              sh-57      [001] d..1.    76.407554: mutex_unlock <-rb_simple_write`, as columns."""
    classic = classic_rows(view, rows)
    return _apart(view, rows, classic, classic_column, _or_messages) if classic.any() else _or_messages(view, rows)


def _or_messages(view: TraceView, rows: Rows) -> list[Column]:
    if not (view.option("printk-msg-only") and view.option("trace_printk")):
        return _lines(view, rows)
    return _apart(view, rows, np.isin(rows.entry["type"], MESSAGES), message_column, _lines)


def _apart(
    view: TraceView,
    rows: Rows,
    chosen: NDArray[np.bool_],
    line: Callable[[TraceView, Rows], Column],
    columns: Callable[[TraceView, Rows], list[Column]],
) -> list[Column]:
    """The columns of rows, of which the chosen ones have a `line` of their own."""
    these, others = np.flatnonzero(chosen), np.flatnonzero(~chosen)
    found = [spread(column, others, len(rows)) for column in columns(view, rows.take(others))]
    return [*found, spread(line(view, rows.take(these)), these, len(rows))]


def is_numeric(view: TraceView) -> bool:
    """Whether an option asks for the numbers of events instead of text."""
    return any(map(view.option, _NUMERIC))


def _lines(view: TraceView, rows: Rows) -> list[Column]:
    context, body = next((columns for option, columns in _NUMERIC.items() if view.option(option)), (_context, body_column))
    return [*(context(view, rows) if view.option("context-info") else []), body(view, rows)]


def _context(view: TraceView, rows: Rows) -> list[Column]:
    if view.option("latency-format"):
        return latency_columns(view, rows)
    return [task_column(view, rows), *time_columns(rows.time, view.clock_is_ns)]


def _raw_context(view: TraceView, rows: Rows) -> list[Column]:
    numbers = zip(rows.entry["pid"].tolist(), rows.cpu.tolist(), rows.time.tolist(), strict=True)
    return [np.array([f"{pid} {cpu} {time} " for pid, cpu, time in numbers], np.object_)]


def _hex_context(view: TraceView, rows: Rows) -> list[Column]:
    return [hex_numbers(rows.entry["pid"], rows.cpu.astype(np.int32), rows.time)]


def _binary_context(view: TraceView, rows: Rows) -> list[Column]:
    return [binary_numbers(view, rows.entry["pid"], rows.cpu.astype(np.int32), rows.time)]


# For each option, the prefix of an event and the event itself. The first enabled option counts.
_NUMERIC: Mapping[str, tuple[Columns, Callable[[TraceView, Rows], Column]]] = {
    "bin": (_binary_context, binary_column),
    "hex": (_hex_context, hex_column),
    "raw": (_raw_context, raw_column),
}
