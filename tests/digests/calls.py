# SPDX-License-Identifier: GPL-2.0-only
"""What a printed trace says besides times: which function calls which, and what the guest has written.

Blocks end where pages end, and interrupts come between blocks. So when functions have moved, interrupts come elsewhere and tasks
take turns elsewhere, and a trace may lack a call that depends on which task was first. What calls what in all traces together
stays the same.
"""

from __future__ import annotations

import re

__all__ = ["calls", "written"]

# A line of `function`: task and pid, CPU, flags, time, function and caller.
_FUNCTION = re.compile(r"^ *\S.*-\d+ +\[\d+\] +\S+ +[\d.]+: (?P<function>[\w.]+)(?: \[\w+\])? <-(?P<caller>[\w.]+)")
# A line of `function_graph` with funcgraph-proc: CPU, task and pid, duration, what happens.
_GRAPH = re.compile(r"^ *(?P<task>\d+\) +\S.*-\d+) +\|[^|]*\|(?P<indent> *)(?P<function>[\w.]*)")
_INTERRUPT, _END_OF_INTERRUPT = "==========>", "<=========="
_LEVEL = 2  # columns by which a graph's line is further to the right than its caller's


def calls(text: str) -> set[tuple[str, str]]:
    """(caller, function) of all calls in a trace; the outermost calls of a graph, and those by interrupts, have the caller ""."""
    found = set()
    # By CPU and task, for the task itself and for each interrupt that is under way: who calls at which indentation.
    open_calls: dict[str, list[dict[int, str]]] = {}
    for line in text.splitlines():
        if match := _FUNCTION.match(line):
            found.add((match["caller"], match["function"]))
        elif match := _GRAPH.match(line):
            under_way, indent = open_calls.setdefault(match["task"], [{}]), len(match["indent"])
            callers = under_way[-1]
            if _INTERRUPT in line:
                under_way.append({})
            elif _END_OF_INTERRUPT in line and len(under_way) > 1:
                under_way.pop()
            elif match["function"]:
                found.add((callers.get(indent - _LEVEL, ""), match["function"]))
                callers[indent] = match["function"]
    return found


def written(text: str) -> list[str]:
    """The lines that are no part of a trace: exit status, what the guest has written."""
    no_trace = (line for line in text.splitlines() if not (_FUNCTION.match(line) or _GRAPH.match(line)))
    return [line for line in no_trace if line and not line.startswith("#") and "=>" not in line and " ---" not in line]
