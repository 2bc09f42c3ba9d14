# SPDX-License-Identifier: GPL-2.0-only
"""The text of function_graph's entries with the option funcgraph-flat: one line for each call and one for each return."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from emu.ftrace.buffers.entries import FUNCGRAPH_ENTRY
from emu.ftrace.text.call_values import exits
from emu.ftrace.text.columns import Column, SymbolNames, picked
from emu.ftrace.text.numbers import binary_numbers, hex_numbers
from emu.ftrace.text.rows import Rows
from emu.ftrace.text.view import TraceView

__all__ = [
    "call_binary", "call_hex", "call_raw", "call_text", "return_binary", "return_hex", "return_raw", "return_text",
]  # fmt: skip

# The numbers of an entry, in the order used by the options raw, hex and bin
_CALL = ("func", "depth")
_RETURN = ("func", "calltime", "rettime", "overrun", "depth")


def call_text(view: TraceView, rows: Rows) -> Column:
    """`graph_ent: func=_raw_spin_lock`"""
    return _line(view, rows.entries(FUNCGRAPH_ENTRY), "graph_ent")


def return_text(view: TraceView, rows: Rows) -> Column:
    """`graph_ret: func=_raw_spin_lock`"""
    return _line(view, exits(rows), "graph_ret")


def _line(view: TraceView, entries: NDArray[np.void], what: str) -> Column:
    functions, function = np.unique(entries["func"], return_inverse=True)
    return picked([f"{what}: func={name}\n" for name in SymbolNames.by_options(view).of(functions)], function)


def call_raw(view: TraceView, rows: Rows) -> Column:
    """The address in hexadecimal, the other numbers in decimal."""
    return _numbers(rows.entries(FUNCGRAPH_ENTRY), _CALL)


def return_raw(view: TraceView, rows: Rows) -> Column:
    return _numbers(exits(rows), _RETURN)


def _numbers(entries: NDArray[np.void], fields: Sequence[str]) -> Column:
    rows = zip(*(entries[field].tolist() for field in fields), strict=True)
    return np.array([f"{function:x} {' '.join(map(str, numbers))}\n" for function, *numbers in rows], np.object_)


def call_hex(view: TraceView, rows: Rows) -> Column:
    return hex_numbers(*map(rows.entries(FUNCGRAPH_ENTRY).__getitem__, _CALL))


def return_hex(view: TraceView, rows: Rows) -> Column:
    return hex_numbers(*map(exits(rows).__getitem__, _RETURN))


def call_binary(view: TraceView, rows: Rows) -> Column:
    return binary_numbers(view, *map(rows.entries(FUNCGRAPH_ENTRY).__getitem__, _CALL))


def return_binary(view: TraceView, rows: Rows) -> Column:
    return binary_numbers(view, *map(exits(rows).__getitem__, _RETURN))
