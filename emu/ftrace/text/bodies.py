# SPDX-License-Identifier: GPL-2.0-only
"""Maps event types to their writers. For a new type of event, add an entry here."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from emu.ftrace.buffers.entries import EventType
from emu.ftrace.event.call import EventKind
from emu.ftrace.text.blk import blk_binary, blk_text
from emu.ftrace.text.branch import branch_text
from emu.ftrace.text.columns import Column
from emu.ftrace.text.flat_graph import (
    call_binary,
    call_hex,
    call_raw,
    call_text,
    return_binary,
    return_hex,
    return_raw,
    return_text,
)
from emu.ftrace.text.function import function_binary, function_hex, function_raw, function_text, repeats_raw, repeats_text
from emu.ftrace.text.hwlat import hwlat_raw, hwlat_text
from emu.ftrace.text.marker import print_message, print_raw, print_text, raw_data_text
from emu.ftrace.text.osnoise import osnoise_raw, osnoise_text, timerlat_raw, timerlat_text
from emu.ftrace.text.print_event import event_text
from emu.ftrace.text.printk import bprint_message, bprint_raw, bprint_text, bputs_message, bputs_raw, bputs_text
from emu.ftrace.text.rows import Rows
from emu.ftrace.text.stack import kernel_stack_text, user_stack_text
from emu.ftrace.text.task_switch import task_switch_binary, task_switch_hex, task_switch_raw, task_switch_text
from emu.ftrace.text.view import TraceView

__all__ = ["MESSAGES", "binary_column", "body_column", "comment_column", "hex_column", "message_column", "raw_column"]

# Makes the text of each row, including its newline. All rows have the writer's type.
Writer = Callable[[TraceView, Rows], Column]

_MESSAGES: Mapping[int, Writer] = {
    EventType.PRINT: print_message,
    EventType.BPRINT: bprint_message,
    EventType.BPUTS: bputs_message,
}
_BODIES: Mapping[int, Writer] = {
    EventType.FUNCTION: function_text,
    EventType.CONTEXT_SWITCH: task_switch_text,
    EventType.WAKEUP: task_switch_text,
    EventType.PRINT: print_text,
    EventType.BPRINT: bprint_text,
    EventType.BPUTS: bputs_text,
    EventType.BRANCH: branch_text,
    EventType.HWLAT: hwlat_text,
    EventType.OSNOISE: osnoise_text,
    EventType.TIMERLAT: timerlat_text,
    EventType.RAW_DATA: raw_data_text,
    EventType.KERNEL_STACK: kernel_stack_text,
    EventType.USER_STACK: user_stack_text,
    EventType.BLK: blk_text,
    EventType.FUNC_REPEATS: repeats_text,
    EventType.FUNCGRAPH_ENTRY: call_text,
    EventType.FUNCGRAPH_EXIT: return_text,
}
# In function_graph's output a message stands alone: its position says where it was written.
_COMMENTS: Mapping[int, Writer] = {**_BODIES, **_MESSAGES}
_RAW: Mapping[int, Writer] = {
    EventType.FUNCTION: function_raw,
    EventType.CONTEXT_SWITCH: task_switch_raw,
    EventType.WAKEUP: task_switch_raw,
    EventType.PRINT: print_raw,
    EventType.BPRINT: bprint_raw,
    EventType.BPUTS: bputs_raw,
    EventType.HWLAT: hwlat_raw,
    EventType.OSNOISE: osnoise_raw,
    EventType.TIMERLAT: timerlat_raw,
    EventType.RAW_DATA: raw_data_text,
    EventType.FUNC_REPEATS: repeats_raw,
    EventType.FUNCGRAPH_ENTRY: call_raw,
    EventType.FUNCGRAPH_EXIT: return_raw,
}
_HEX: Mapping[int, Writer] = {
    EventType.FUNCTION: function_hex,
    EventType.CONTEXT_SWITCH: task_switch_hex,
    EventType.WAKEUP: task_switch_hex,
    EventType.FUNCGRAPH_ENTRY: call_hex,
    EventType.FUNCGRAPH_EXIT: return_hex,
}
_BINARY: Mapping[int, Writer] = {
    EventType.FUNCTION: function_binary,
    EventType.CONTEXT_SWITCH: task_switch_binary,
    EventType.WAKEUP: task_switch_binary,
    EventType.BLK: blk_binary,
    EventType.FUNCGRAPH_ENTRY: call_binary,
    EventType.FUNCGRAPH_EXIT: return_binary,
}

_OWN_TYPES = frozenset(map(int, EventType))
MESSAGES = list(_MESSAGES)  # the event types whose text was written by a user


def body_column(view: TraceView, rows: Rows) -> Column:
    """The text after the task and the time on an event's line."""
    return _written(_BODIES, view, rows, _unknown, _of_guest)


def comment_column(view: TraceView, rows: Rows) -> Column:
    """The text of an event's comment in function_graph's output."""
    return _written(_COMMENTS, view, rows, _unknown, _of_guest)


def _of_guest(view: TraceView, number: int) -> Writer | None:
    """The writer of a guest event."""
    call = view.calls.get(number)
    return event_text if call is not None and call.kind is not EventKind.FTRACE else None


def _unknown(number: int) -> str:
    return f"Unknown type {number}\n"


def message_column(view: TraceView, rows: Rows) -> Column:
    """The messages alone. All rows have types in `MESSAGES`."""
    return _written(_MESSAGES, view, rows, lambda number: "")


def raw_column(view: TraceView, rows: Rows) -> Column:
    """The numbers of an event, or its type if there are none."""
    return _written(_RAW, view, rows, lambda number: _type_line(view, number) or f"{number} ?\n")


def hex_column(view: TraceView, rows: Rows) -> Column:
    """The numbers of an event as hexadecimal digits, or its type if there are none; each event ends with an extra newline."""
    column: Column = _written(_HEX, view, rows, lambda number: _type_line(view, number)) + "\n"
    return column


def binary_column(view: TraceView, rows: Rows) -> Column:
    """The numbers of an event as bytes, or its type if there are none."""
    return _written(_BINARY, view, rows, lambda number: _type_line(view, number))


def _type_line(view: TraceView, number: int) -> str:
    """The line of an event that has no other text in a mode; "" for an unknown event."""
    return f"type: {number}\n" if number in view.calls or number in _OWN_TYPES else ""


def _written(
    writers: Mapping[int, Writer],
    view: TraceView,
    rows: Rows,
    otherwise: Callable[[int], str],
    of_guest: Callable[[TraceView, int], Writer | None] = lambda view, number: None,
) -> Column:
    """The texts that writers make of the rows of their types. `otherwise`: makes the text of other types."""
    types = rows.entry["type"]
    column = np.empty(len(rows), np.object_)
    for number in np.unique(types).tolist():
        chosen = types == number
        writer = writers.get(number) or of_guest(view, number)
        column[chosen] = writer(view, rows.take(chosen)) if writer else otherwise(number)
    return column
