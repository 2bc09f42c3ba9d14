# SPDX-License-Identifier: GPL-2.0-only
"""The lines of a printed trace, of function and of function_graph, decoded without their times."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["TraceLine", "trace_lines"]

# Task and pid, CPU, flags, time, function and caller.
_FUNCTION = re.compile(
    r"^ *(?P<task>\S.*-\d+) +\[(?P<cpu>\d+)\] +\S+ +[\d.]+: (?P<function>[\w.]+)(?: \[\w+\])? <-(?P<caller>[\w.]+)"
)
# CPU; task and pid with funcgraph-proc; duration or arrow; a call or something else.
_GRAPH = re.compile(
    r"^ *(?P<cpu>\d+)\) +(?:(?P<task>\S.*-\d+) +\|)?(?P<duration>[^|]*)\|"
    r"(?P<indent> *)(?:(?P<function>[\w.]+)(?: \[\w+\])?\(\)(?:;| \{)$)?"
)


@dataclass(frozen=True)
class TraceLine:
    """A line of an event.

    Args:
        cpu: the CPU that recorded it.
        task: name and pid of the task; "" if a graph does not show it.
        function: the called function; "" on a line of a graph that is not a call.
        caller: the calling function; None in a graph, where the position of the line implies it.
        indent: columns by which a graph indents its call.
        begins_interrupt: the line is the arrow of an interrupt that begins.
        ends_interrupt: the line is the arrow of an interrupt that ends.
    """

    cpu: int
    task: str
    function: str
    caller: str | None = None
    indent: int = 0
    begins_interrupt: bool = False
    ends_interrupt: bool = False


def trace_lines(text: str) -> Iterator[TraceLine | str]:
    """Each line of a text: a TraceLine, or the line itself if it is not an event of these tracers."""
    for line in text.splitlines():
        if match := _FUNCTION.match(line):
            yield TraceLine(int(match["cpu"]), match["task"], match["function"], match["caller"])
        elif match := _GRAPH.match(line):
            yield TraceLine(
                int(match["cpu"]),
                match["task"] or "",
                match["function"] or "",
                indent=len(match["indent"]),
                begins_interrupt="==========>" in match["duration"],
                ends_interrupt="<==========" in match["duration"],
            )
        else:
            yield line
