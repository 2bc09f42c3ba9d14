# SPDX-License-Identifier: GPL-2.0-only
"""What is printed of events that are text or bytes themselves: what was written to trace_marker and trace_marker_raw."""

from __future__ import annotations

import numpy as np

from emu.ftrace.events import PRINT, RAW_DATA
from emu.ftrace.text.columns import Column, SymbolNames
from emu.ftrace.text.rows import Rows
from emu.ftrace.text.view import TraceView

__all__ = ["print_message", "print_text", "raw_data_text"]


def print_message(view: TraceView, rows: Rows) -> Column:
    """The text alone, which ends in a newline of its own."""
    texts = (rows.payload(row, PRINT.itemsize).split(b"\0", 1)[0] for row in range(len(rows)))
    return np.array([text.decode(errors="backslashreplace") for text in texts], dtype=np.object_)


def print_text(view: TraceView, rows: Rows) -> Column:
    """`tracing_mark_write: hello`: where it was written, and the text."""
    where = SymbolNames.by_options(view).of(rows.entries(PRINT)["ip"])
    return np.array([f"{name}: " for name in where], dtype=np.object_) + print_message(view, rows)


def raw_data_text(view: TraceView, rows: Rows) -> Column:
    """`# 4030201 buf: 61 62`: the number that the bytes begin with, and the rest up to the end of the entry."""
    ids = rows.entries(RAW_DATA)["id"].tolist()
    data = (rows.payload(row, RAW_DATA.itemsize) for row in range(len(rows)))
    return np.array(
        [f"# {number:x} buf:{''.join(f' {byte:02x}' for byte in rest)}\n" for number, rest in zip(ids, data, strict=True)],
        dtype=np.object_,
    )
