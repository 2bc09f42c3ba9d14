# SPDX-License-Identifier: GPL-2.0-only
"""A tree of calls, added up: each call path is one node."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from emu.trace.call_levels import call_levels
from emu.trace.selection import selected

if TYPE_CHECKING:
    from emu.trace.trace import Trace

__all__ = ["CallNode", "call_tree"]


@dataclass
class CallNode:
    """A function, called on one path.

    Attributes:
        function: its name.
        calls: the number of calls on this path.
        total: nanoseconds that these calls took.
        self_time: nanoseconds without those of `children`.
        children: the functions that it called, the longest first.
    """

    function: str
    calls: int = 0
    total: int = 0
    self_time: int = 0
    children: list[CallNode] = field(default_factory=list)


def call_tree(
    trace: Trace, function: str | None = None, *, pids: Collection[int] = (), cpus: Collection[int] | None = None
) -> CallNode:
    """The tree of a function's calls and their callees; or of all functions, below a node without a name.

    A recursive call of the function is in the tree of the outer call. Calls that have not returned are left out.

    Args:
        trace: a trace recorded by function_graph.
        function: its name.
        pids, cpus: only count calls of these tasks, on these CPUs; none: all.
    """
    calls = trace.calls
    values, functions = np.unique(calls["address"], return_inverse=True)
    names = [trace.symbols.name_of(value) for value in values.tolist()]
    wanted = np.array([function is None or name == function for name in names], bool)
    chosen = calls["finished"] & selected(calls["pid"], calls["cpu"], pids, cpus)
    parents, depths = calls["parent"], calls["depth"]
    root = CallNode(function or "")
    nodes = [root]
    node_of = np.full(calls.count + 1, -1, np.int64)  # the last element stands for no parent
    for level in call_levels(depths, parents):
        rows = level[chosen[level]]
        above = node_of[parents[rows]]
        begins = (above < 0) & wanted[functions[rows]]
        if function is None:
            above = np.where(above < 0, 0, above)
        else:
            node_of[rows[begins]] = 0
            rows, above = rows[above >= 0], above[above >= 0]
        pairs, which = np.unique(above * max(len(names), 1) + functions[rows], return_inverse=True)
        node_of[rows] = which + len(nodes)
        for pair in pairs.tolist():
            parent, number = divmod(pair, max(len(names), 1))
            nodes.append(CallNode(names[number]))
            nodes[parent].children.append(nodes[-1])
    _add_up(nodes, node_of[:-1], calls["duration"], calls["self_time"])
    if function is None:
        root.calls, root.total = 1, sum(child.total for child in root.children)
    return root


def _add_up(nodes: list[CallNode], node_of: np.ndarray, duration: np.ndarray, self_time: np.ndarray) -> None:
    rows = np.flatnonzero(node_of >= 0)
    which = node_of[rows]
    counts = np.bincount(which, minlength=len(nodes))
    totals, selves = np.zeros(len(nodes), np.uint64), np.zeros(len(nodes), np.uint64)
    np.add.at(totals, which, duration[rows])
    np.add.at(selves, which, self_time[rows])
    for node, calls, total, own in zip(nodes, counts.tolist(), totals.tolist(), selves.tolist(), strict=True):
        node.calls, node.total, node.self_time = calls, total, own
    for node in nodes:
        node.children.sort(key=lambda child: (-child.total, child.function))
