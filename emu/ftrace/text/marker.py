# SPDX-License-Identifier: GPL-2.0-only
"""The text of events that were written to trace_marker and trace_marker_raw."""

from __future__ import annotations

import numpy as np

from emu.ftrace.buffers.entries import PRINT, RAW_DATA
from emu.ftrace.text.columns import Column, SymbolNames
from emu.ftrace.text.rows import Rows
from emu.ftrace.text.view import TraceView

__all__ = ["print_message", "print_raw", "print_text", "raw_data_text"]


def print_message(view: TraceView, rows: Rows) -> Column:
    """The text alone, which includes its newline."""
    texts = (rows.payload(row, PRINT.itemsize).split(b"\0", 1)[0] for row in range(len(rows)))
    return np.array([text.decode(errors="surrogateescape") for text in texts], dtype=np.object_)


def print_text(view: TraceView, rows: Rows) -> Column:
    """`tracing_mark_write: hello`: the writing function, and the text."""
    where = SymbolNames.by_options(view).of(rows.entries(PRINT)["ip"])
    messages = print_message(view, rows).tolist()
    return np.array([f"{name}: {message}" for name, message in zip(where, messages, strict=True)], dtype=np.object_)


def print_raw(view: TraceView, rows: Rows) -> Column:
    """`# ffffffff81000000 hello`"""
    messages = zip(rows.entries(PRINT)["ip"].tolist(), print_message(view, rows).tolist(), strict=True)
    return np.array([f"# {where:x} {message}" for where, message in messages], dtype=np.object_)


def raw_data_text(view: TraceView, rows: Rows) -> Column:
    """`# 4030201 buf: 61 62`: the first number, and the other bytes up to the end of the entry."""
    ids = rows.entries(RAW_DATA)["id"].tolist()
    data = (rows.payload(row, RAW_DATA.itemsize) for row in range(len(rows)))
    hexadecimal = ("".join(f" {byte:02x}" for byte in rest) for rest in data)
    lines = [f"# {number:x} buf:{rest}\n" for number, rest in zip(ids, hexadecimal, strict=True)]
    return np.array(lines, dtype=np.object_)
