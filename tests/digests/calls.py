# SPDX-License-Identifier: GPL-2.0-only
"""What a printed trace says besides times: which function calls which, and what the guest has written.

Blocks end where pages end, and interrupts come between blocks. So when functions have moved, interrupts come elsewhere and tasks
take turns elsewhere, and a trace may lack a call that depends on which task was first. What calls what in all traces together
stays the same.
"""

from __future__ import annotations

from tests.lib.trace_lines import trace_lines

__all__ = ["calls", "written"]

_LEVEL = 2  # columns by which a graph's line is further to the right than its caller's


def calls(text: str) -> set[tuple[str, str]]:
    """(caller, function) of all calls in a trace; the outermost calls of a graph, and those by interrupts, have the caller ""."""
    found = set()
    # By CPU and task, for the task itself and for each interrupt that is under way: who calls at which indentation.
    open_calls: dict[tuple[int, str], list[dict[int, str]]] = {}
    for line in trace_lines(text):
        if isinstance(line, str):
            continue
        if line.caller is not None:
            found.add((line.caller, line.function))
            continue
        under_way = open_calls.setdefault((line.cpu, line.task), [{}])
        callers = under_way[-1]
        if line.begins_interrupt:
            under_way.append({})
        elif line.ends_interrupt and len(under_way) > 1:
            under_way.pop()
        elif line.function:
            found.add((callers.get(line.indent - _LEVEL, ""), line.function))
            callers[line.indent] = line.function
    return found


def written(text: str) -> list[str]:
    """The lines that are no part of a trace: exit status, what the guest has written."""
    others = (line for line in trace_lines(text) if isinstance(line, str))
    return [line for line in others if line and not line.startswith("#") and "=>" not in line and " ---" not in line]
