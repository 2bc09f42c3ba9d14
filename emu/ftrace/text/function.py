# SPDX-License-Identifier: GPL-2.0-only
"""The text of a call, such as `vfs_open <-path_openat`, and of repeated calls that were counted instead."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from emu.ftrace.buffers.entries import ARGUMENTS, FUNC_REPEATS, FUNCTION, EventType
from emu.ftrace.text.call_values import ArgumentTexts, has_arguments, values_behind
from emu.ftrace.text.columns import Column, SymbolNames, picked, time_columns
from emu.ftrace.text.numbers import binary_numbers, hex_numbers
from emu.ftrace.text.rows import Rows
from emu.ftrace.text.view import TraceView

__all__ = ["function_binary", "function_hex", "function_raw", "function_text", "repeats_raw", "repeats_text"]


def function_text(view: TraceView, rows: Rows) -> Column:
    """The function, its arguments if they are recorded, and, with print-parent, its caller."""
    given = has_arguments(rows.size) & (rows.entry["type"] == EventType.FUNCTION)
    if not given.any():
        return _without_arguments(view, rows)
    column = np.empty(len(rows), np.object_)
    column[~given] = _without_arguments(view, rows.take(~given))
    column[given] = _with_arguments(view, rows.take(given))
    return column


def _with_arguments(view: TraceView, rows: Rows) -> Column:
    names, entries = SymbolNames.by_options(view), rows.entries(FUNCTION)
    arguments = ArgumentTexts(view).of(entries["ip"], values_behind(rows, ARGUMENTS))
    texts = [f"{name}{given}" for name, given in zip(names.of(entries["ip"]), arguments, strict=True)]
    if view.option("print-parent"):
        callers = zip(entries["parent_ip"].tolist(), names.of(entries["parent_ip"]), strict=True)
        by = [f" <-{name}" if caller else "" for caller, name in callers]
        texts = [f"{text}{caller}" for text, caller in zip(texts, by, strict=True)]
    return np.array([f"{text}\n" for text in texts], np.object_)


def _without_arguments(view: TraceView, rows: Rows) -> Column:
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


def repeats_text(view: TraceView, rows: Rows) -> Column:
    """`vfs_open <-path_openat (repeats: 1, last_ts:   106.106121)`: how often the call was repeated, and the last time."""
    entries = rows.entries(FUNC_REPEATS)
    times = zip(*time_columns(rows.time - _ago(entries), view.clock_is_ns), strict=True)
    numbers = zip(function_text(view, rows), entries["count"], map("".join, times), strict=True)
    texts = [f"{call[:-1]} (repeats: {count}, last_ts:{time.removesuffix(': ')})\n" for call, count, time in numbers]
    return np.array(texts, np.object_)


def repeats_raw(view: TraceView, rows: Rows) -> Column:
    """Both addresses, the number of repeats, and the age of the last one, all in decimal."""
    entries = rows.entries(FUNC_REPEATS)
    numbers = zip(*(entries[name].tolist() for name in ("ip", "parent_ip", "count")), _ago(entries).tolist(), strict=True)
    return np.array([f"{ip} {parent_ip} {count} {ago}\n" for ip, parent_ip, count, ago in numbers], np.object_)


def _ago(entries: NDArray[np.void]) -> NDArray[np.uint64]:
    """The time from the last of the calls to the entry."""
    top = entries["top_delta_ts"].astype(np.uint64) << np.uint64(32)
    whole: NDArray[np.uint64] = top | entries["bottom_delta_ts"]
    return whole
