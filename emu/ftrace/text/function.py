# SPDX-License-Identifier: GPL-2.0-only
"""The text of a function event: `vfs_open <-path_openat`."""

from __future__ import annotations

import numpy as np

from emu.ftrace.events import FUNCTION
from emu.ftrace.text.columns import Column, SymbolNames, picked
from emu.ftrace.text.numbers import binary_numbers, hex_numbers
from emu.ftrace.text.rows import Rows
from emu.ftrace.text.view import TraceView

__all__ = ["function_binary", "function_hex", "function_raw", "function_text"]


def function_text(view: TraceView, rows: Rows) -> Column:
    """The function and, with print-parent, its caller."""
    names = SymbolNames.by_options(view)
    entries = rows.entries(FUNCTION)
    functions, function = np.unique(entries["ip"], return_inverse=True)
    if not view.option("print-parent"):
        return picked([f"{name}\n" for name in names.of(functions)], function)
    parents, parent = np.unique(entries["parent_ip"], return_inverse=True)
    pairs, which = np.unique(function * len(parents) + parent, return_inverse=True)
    called = names.of(functions[pairs // len(parents)])
    callers = parents[pairs % len(parents)]
    by = [f" <-{name}" if caller else "" for caller, name in zip(callers, names.of(callers), strict=True)]
    return picked([f"{name}{caller}\n" for name, caller in zip(called, by, strict=True)], which)


def function_raw(view: TraceView, rows: Rows) -> Column:
    """Both addresses."""
    entries = rows.entries(FUNCTION)
    pairs = zip(entries["ip"].tolist(), entries["parent_ip"].tolist(), strict=True)
    return np.array([f"{function:x} {caller:x}\n" for function, caller in pairs], np.object_)


def function_hex(view: TraceView, rows: Rows) -> Column:
    entries = rows.entries(FUNCTION)
    return hex_numbers(entries["ip"], entries["parent_ip"])


def function_binary(view: TraceView, rows: Rows) -> Column:
    entries = rows.entries(FUNCTION)
    return binary_numbers(view, entries["ip"], entries["parent_ip"])
