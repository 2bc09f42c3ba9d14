# SPDX-License-Identifier: GPL-2.0-only
"""emu tree: what functions call, added up, with each call's share of the time."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from emu.cli.looking.showing import chosen_options, show, show_json
from emu.cli.opened_trace import opened_trace
from emu.cli.report.filters import cpu_list
from emu.cli.table import shortened, width_of
from emu.ftrace.errors import did_you_mean

if TYPE_CHECKING:
    from emu.trace.call_tree import CallNode

__all__ = ["tree"]

_LEVEL = 4  # columns of guides per level
_LEAST = 40  # minimum columns for a node's text, and so for its longest part with what precedes it

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
@click.option("--depth", type=click.IntRange(1), metavar="N", help="Show N levels.")
@click.option("--least", type=click.FloatRange(0, 100), default=1, metavar="SHARE", help="Hide calls below SHARE %. Default: 1.")
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
            show(_rendered(found, depth, least, width_of(sys.stdout)))
    return 0


def _object(node: CallNode) -> dict[str, object]:
    """The node and its descendants as an object."""
    done: dict[int, dict[str, object]] = {}
    for one in reversed(list(_all(node))):
        known = {"function": one.function, "calls": one.calls, "total": one.total, "self": one.self_time}
        done[id(one)] = known | {"children": [done[id(child)] for child in one.children]}
    return done[id(node)]


def _all(node: CallNode) -> Iterator[CallNode]:
    """The node and its descendants, parents first."""
    left = [node]
    while left:
        one = left.pop()
        yield one
        left += one.children


def _rendered(root: CallNode, depth: int | None, least: float, width: int) -> Iterator[str]:
    """The lines of the tree. A node that is too long for a line takes several."""
    whole = max(root.total, 1)
    left = [(root, _Guides())]
    while left:
        node, guides = left.pop()
        yield from _node(node, 100 * node.total / whole, guides, width)
        if depth is None or guides.level + 1 < depth:
            shown = [child for child in node.children if 100 * child.total / whole >= least]
            left += [(child, guides.below(is_last=child is shown[-1])) for child in reversed(shown)]


class _Guides(NamedTuple):
    """The guide lines from the root to a node, four columns per level: before its text, and below that."""

    level: int = 0
    before: str = ""
    below_it: str = ""

    def below(self, *, is_last: bool) -> _Guides:
        edge, rest = ("└── ", "    ") if is_last else ("├── ", "│   ")
        return _Guides(self.level + 1, self.below_it + edge, self.below_it + rest)

    def fitting(self, room: int) -> tuple[str, str]:
        """Both, without outer levels that do not fit: an ellipsis replaces them."""
        if len(self.before) <= room:
            return self.before, self.below_it
        kept = _LEVEL * (room // _LEVEL - 1)
        gap = "…".ljust(_LEVEL)
        return gap + self.before[-kept:], gap + self.below_it[-kept:]


def _node(node: CallNode, share: float, guides: _Guides, width: int) -> Iterator[str]:
    head, rest = guides.fitting(max(width - _LEAST, 2 * _LEVEL))
    room = width - len(head)
    start = f"{share:5.1f} %  "
    parts = [(f"{node.total / 1000:,.3f} us", False)]
    if node.function:
        calls = f"{node.calls:,} call{'s' * (node.calls != 1)}"
        parts = [(f"{parts[0][0]},", False), (f"{calls},", True), (f"self {node.self_time / 1000:,.3f} us", True)]
    name = shortened(node.function or "all calls", room - len(start))
    line, used = click.style(start, bold=share >= 10) + click.style(name, bold=True), len(start) + len(name)
    gap = 2
    for text, dim in parts:
        if used + gap + len(text) > room:
            yield head + line
            head, line, used, gap = rest, "", 0, len(start)
        line, used, gap = line + " " * gap + click.style(text, dim=dim), used + gap + len(text), 1
    yield head + line
