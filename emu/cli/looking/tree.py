# SPDX-License-Identifier: GPL-2.0-only
"""emu tree: what functions call, added up, with each call's share of the time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from emu.cli.looking.showing import chosen_options, show, show_json
from emu.cli.opened_trace import opened_trace
from emu.cli.report.filters import cpu_list
from emu.ftrace.errors import did_you_mean

if TYPE_CHECKING:
    from rich.tree import Tree

    from emu.trace.call_tree import CallNode

__all__ = ["tree"]

EXAMPLES = """\
\b
Examples:
  emu tree -g vfs_read trace.dat
  emu tree --depth 3 --least 5

\b
A line has the share of the time of the whole tree, the time itself, how often the function was called on this path, and
its own time. FILE is a trace.dat of emu or trace-cmd, recorded with function_graph; without it, trace.dat.
"""


@click.command(context_settings={"max_content_width": 120}, epilog=EXAMPLES)
@click.option("-g", "function", metavar="FUNC", help="The calls of this function, and what they call. Default: all calls.")
@click.option("--depth", type=click.IntRange(1), metavar="N", help="Show so many levels.")
@click.option("--least", type=click.FloatRange(0, 100), default=1, metavar="SHARE", help="Hide less than so many %. Default: 1.")
@click.option("--json", "as_json", is_flag=True, help="Write an object with the whole tree; times are nanoseconds.")
@chosen_options
def tree(
    function: str | None,
    depth: int | None,
    least: float,
    as_json: bool,
    pids: Sequence[int],
    cpus: str | None,
    buffer: str | None,
    file: Path,
) -> int:
    """Show what functions call, and what share of the time each call takes."""
    from emu.trace.call_tree import call_tree

    with opened_trace(file, buffer) as trace:
        if not trace.calls.count:
            raise click.ClickException(f"{file}: no calls were recorded; `emu record -p function_graph` records them")
        found = call_tree(trace, function, pids=pids, cpus=cpu_list(cpus))
        if not found.calls:
            names = sorted(set(trace.calls["function"]))
            raise click.ClickException(f"{file}: no call of {function}{did_you_mean(function or '', names)}")
        if as_json:
            show_json(trace, tree=_object(found))
        else:
            show(_rendered(found, depth, least))
    return 0


def _object(node: CallNode) -> dict[str, object]:
    """The node and all below it."""
    done: dict[int, dict[str, object]] = {}
    for one in reversed(list(_all(node))):
        known = {"function": one.function, "calls": one.calls, "total": one.total, "self": one.self_time}
        done[id(one)] = known | {"children": [done[id(child)] for child in one.children]}
    return done[id(node)]


def _all(node: CallNode) -> Iterator[CallNode]:
    """The node and all below it, each before what is below it."""
    left = [node]
    while left:
        one = left.pop()
        yield one
        left += one.children


def _rendered(root: CallNode, depth: int | None, least: float) -> Tree:
    from rich.text import Text
    from rich.tree import Tree

    whole = max(root.total, 1)

    def line(node: CallNode) -> Text:
        share = 100 * node.total / whole
        text = Text()
        text.append(f"{share:5.1f} %  ", "bold" if share >= 10 else "")
        text.append(node.function or "all calls", "bold")
        text.append(f"  {node.total / 1000:,.3f} us")
        if node.function:
            text.append(f", {node.calls:,} call{'s' * (node.calls != 1)}, self {node.self_time / 1000:,.3f} us", "dim")
        return text

    top = Tree(line(root))
    left = [(root, top, 1)]
    while left:
        node, shown, level = left.pop()
        if depth is not None and level >= depth:
            continue
        for child in node.children:
            if 100 * child.total / whole >= least:
                left.append((child, shown.add(line(child)), level + 1))
    return top
