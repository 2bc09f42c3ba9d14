# SPDX-License-Identifier: GPL-2.0-only
"""Which writer prints which event. A new kind of event is one more entry here."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from emu.ftrace.event.call import EventKind
from emu.ftrace.events import EventType
from emu.ftrace.text.columns import Column
from emu.ftrace.text.function import function_text
from emu.ftrace.text.marker import print_message, print_text, raw_data_text
from emu.ftrace.text.print_event import event_text
from emu.ftrace.text.rows import Rows
from emu.ftrace.text.view import TraceView

__all__ = ["body_column", "comment_column"]

# Makes the text of each row up to and with its newline; all rows are of the writer's type.
Writer = Callable[[TraceView, Rows], Column]

_BODIES: Mapping[int, Writer] = {
    EventType.FUNCTION: function_text,
    EventType.PRINT: print_text,
    EventType.RAW_DATA: raw_data_text,
}
# Between the braces of function_graph a message stands alone: its place says where it was written.
_COMMENTS: Mapping[int, Writer] = {**_BODIES, EventType.PRINT: print_message}


def body_column(view: TraceView, rows: Rows) -> Column:
    """What follows the task and the time on an event's line."""
    return _written({**_events(view), **_BODIES}, view, rows)


def comment_column(view: TraceView, rows: Rows) -> Column:
    """What stands in an event's comment in function_graph's output."""
    return _written({**_events(view), **_COMMENTS}, view, rows)


def _events(view: TraceView) -> Mapping[int, Writer]:
    """The guest's events, which have one writer."""
    return {number: event_text for number, call in view.calls.items() if call.kind is not EventKind.FTRACE}


def _written(writers: Mapping[int, Writer], view: TraceView, rows: Rows) -> Column:
    types = rows.entry["type"]
    column = np.empty(len(rows), np.object_)
    for number in np.unique(types).tolist():
        chosen = types == number
        writer = writers.get(number)
        column[chosen] = writer(view, rows.take(chosen)) if writer else f"Unknown type {number}\n"
    return column
