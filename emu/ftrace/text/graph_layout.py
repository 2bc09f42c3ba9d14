# SPDX-License-Identifier: GPL-2.0-only
"""Lays out function_graph's output: decides for all events at once how each is printed.

A call directly followed by its return becomes one line. Any other call opens a brace, and any other return closes one. On each
CPU a banner is printed when the task differs from the previous line's, and a return shows its name if the last call at its
depth was another one.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from emu.ftrace.buffers.entries import FUNCGRAPH_ENTRY, EventType
from emu.ftrace.text.call_values import exits, returned
from emu.ftrace.text.rows import Indices, Rows

__all__ = ["GraphLayout", "Shape", "lay_out"]

_DEEPEST = 50  # size of a task's return stack: deeper calls are not recorded


class Shape(enum.IntEnum):
    """How a row is printed."""

    NOTHING = 0
    LEAF = 1  # f();
    OPEN = 2  # f() {
    CLOSE = 3  # }
    COMMENT = 4  # /* another event */
    LINE = 5  # an event outside the graph, on an ordinary line


@dataclass(frozen=True, eq=False)
class GraphLayout:
    """One element per row in each column."""

    shape: NDArray[np.int8]
    function: NDArray[np.uint64]
    depth: NDArray[np.int64]  # of a comment: the depth of the code
    duration: NDArray[np.uint64]  # in ns, of LEAF and CLOSE
    overrun: NDArray[np.uint32]  # of CLOSE
    returned: NDArray[np.uint64]  # what LEAF and CLOSE returned, as far as that is recorded
    named: NDArray[np.bool_]  # a CLOSE with the function's name, because its opening brace was not seen
    previous_pid: NDArray[np.int64]  # the previous task, at a task switch; otherwise -1


def lay_out(rows: Rows, hide: range) -> GraphLayout:
    """Lays out rows. `hide`: the addresses of functions to hide, with their callees: interrupt entries, or empty."""
    count = len(rows)
    types = rows.entry["type"]
    layout = GraphLayout(
        np.full(count, Shape.COMMENT, np.int8),
        np.zeros(count, np.uint64),
        np.zeros(count, np.int64),
        np.zeros(count, np.uint64),
        np.zeros(count, np.uint32),
        np.zeros(count, np.uint64),
        np.zeros(count, np.bool_),
        np.full(count, -1, np.int64),
    )
    shape = layout.shape
    shape[types == EventType.FUNCGRAPH_ENTRY] = Shape.OPEN
    shape[types == EventType.FUNCGRAPH_EXIT] = Shape.CLOSE
    shape[(types == EventType.FUNCTION) | (types == EventType.KERNEL_STACK)] = Shape.LINE
    _read_calls(rows, layout)
    by_cpu = np.argsort(rows.cpu, kind="stable")
    if hide:
        _hide(by_cpu, rows, layout, hide)
    _join_leaves(by_cpu, rows, layout)
    _match_returns(by_cpu, rows, layout)
    _place_comments(by_cpu, rows, layout)
    _find_switches(by_cpu, rows, layout)
    return layout


def _read_calls(rows: Rows, layout: GraphLayout) -> None:
    opens, closes = (np.flatnonzero(layout.shape == shape) for shape in (Shape.OPEN, Shape.CLOSE))
    entered = rows.take(opens).entries(FUNCGRAPH_ENTRY)
    left = exits(rows.take(closes))
    layout.function[opens], layout.depth[opens] = entered["func"], entered["depth"]
    layout.function[closes], layout.depth[closes] = left["func"], left["depth"]
    layout.duration[closes] = left["rettime"] - left["calltime"]
    layout.overrun[closes] = left["overrun"]
    layout.returned[closes] = returned(left)


def _hide(by_cpu: Indices, rows: Rows, layout: GraphLayout, hide: range) -> None:
    """Hides, on each CPU, the rows from the call of a hidden function to the first return at its depth or above."""
    is_call = (layout.shape == Shape.OPEN) | (layout.shape == Shape.CLOSE)
    hidden_below: dict[int, int] = {}
    for row in by_cpu[is_call[by_cpu]].tolist():
        cpu, depth, opens = int(rows.cpu[row]), int(layout.depth[row]), layout.shape[row] == Shape.OPEN
        if cpu in hidden_below:
            if not opens and depth <= hidden_below[cpu]:
                del hidden_below[cpu]
        elif opens and int(layout.function[row]) in hide:
            hidden_below[cpu] = depth
        else:
            continue
        layout.shape[row] = Shape.NOTHING


def _join_leaves(by_cpu: Indices, rows: Rows, layout: GraphLayout) -> None:
    """Merges a call with its return, if the return is the next event on the CPU."""
    call, follower = by_cpu[:-1], by_cpu[1:]
    pid = rows.entry["pid"]
    leaf = (layout.shape[call] == Shape.OPEN) & (layout.shape[follower] == Shape.CLOSE)
    leaf &= (rows.cpu[call] == rows.cpu[follower]) & (pid[call] == pid[follower])
    leaf &= layout.function[call] == layout.function[follower]
    call, follower = call[leaf], follower[leaf]
    layout.shape[call], layout.shape[follower] = Shape.LEAF, Shape.NOTHING
    layout.duration[call] = layout.duration[follower]
    layout.returned[call] = layout.returned[follower]


def _match_returns(by_cpu: Indices, rows: Rows, layout: GraphLayout) -> None:
    """Adds the name to a return unless the previous call or return at its depth on its CPU is its function's opening brace."""
    shape, depth = layout.shape, layout.depth
    is_call = (shape == Shape.LEAF) | (shape == Shape.OPEN) | (shape == Shape.CLOSE)
    chosen = by_cpu[is_call[by_cpu]]
    chosen = chosen[np.argsort(rows.cpu[chosen] << 32 | depth[chosen], kind="stable")]
    before, after = chosen[:-1], chosen[1:]
    matches = np.zeros(len(rows), np.bool_)
    matches[after] = (
        (shape[before] == Shape.OPEN)
        & (rows.cpu[before] == rows.cpu[after])
        & (depth[before] == depth[after])
        & (layout.function[before] == layout.function[after])
    )
    layout.named[:] = (shape == Shape.CLOSE) & ~matches & (depth < _DEEPEST)


def _place_comments(by_cpu: Indices, rows: Rows, layout: GraphLayout) -> None:
    """Gives each comment the depth of the code around it: inside an open call, or next to a call that has returned."""
    shape = layout.shape[by_cpu]
    is_call = (shape == Shape.LEAF) | (shape == Shape.OPEN) | (shape == Shape.CLOSE)
    after = layout.depth[by_cpu] - (shape != Shape.OPEN)
    last_call = np.maximum.accumulate(np.where(is_call, np.arange(len(by_cpu)), -1)) if len(by_cpu) else by_cpu
    cpu = rows.cpu[by_cpu]
    known = (last_call >= 0) & (cpu[last_call] == cpu)
    comments = shape == Shape.COMMENT
    layout.depth[by_cpu[comments]] = np.where(known, after[last_call], 0)[comments]


def _find_switches(by_cpu: Indices, rows: Rows, layout: GraphLayout) -> None:
    shape = layout.shape[by_cpu]
    shown = by_cpu[(shape != Shape.NOTHING) & (shape != Shape.LINE)]
    before, after = shown[:-1], shown[1:]
    pid = rows.entry["pid"]
    switched = (rows.cpu[before] == rows.cpu[after]) & (pid[before] != pid[after])
    layout.previous_pid[after[switched]] = pid[before[switched]]
