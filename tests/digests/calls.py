# SPDX-License-Identifier: GPL-2.0-only
"""The content of a printed trace without times: which function calls which, and what the guest has written.

Blocks end at page boundaries, and interrupts come between blocks. So when functions have moved, interrupts come at other places
and tasks take turns at other places, and a trace may lack a call that depends on which task was first. The set of calls in all
traces together stays the same.
"""

from __future__ import annotations

from tests.lib.trace_lines import trace_lines

__all__ = ["calls", "written"]

_LEVEL = 2  # columns by which a callee is further to the right in a graph than its caller


def calls(text: str) -> set[tuple[str, str]]:
    """(caller, function) of all calls in a trace; the caller is "" for a graph's outermost calls, and for those by interrupts."""
    found = set()
    # By CPU and task, for the task itself and for each active interrupt: the caller at each indentation.
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
    """The lines that are not part of a trace: exit status, and the guest's output."""
    others = (line for line in trace_lines(text) if isinstance(line, str))
    return [line for line in others if line and not line.startswith("#") and "=>" not in line and " ---" not in line]
