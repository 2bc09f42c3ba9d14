# SPDX-License-Identifier: GPL-2.0-only
"""Which functions each task calls, in a printed trace: what stays the same when only addresses and times have changed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

__all__ = ["calls_by_task"]

# A line of `function`: task and pid, CPU, flags, time, function and caller. In an interrupt the third flag is no dot.
_FUNCTION = re.compile(r"^ *(?P<task>\S.*-\d+) +\[\d+\] +..(?P<context>.)\S* +[\d.]+: (?P<call>\S+ <-\S+)$")
# A line of `function_graph` with funcgraph-proc: CPU, task and pid, duration, what happens.
_GRAPH = re.compile(r"^ *\d+\) +(?P<task>\S.*-\d+) +\|[^|]*\|(?P<call> .*)$")
_INTERRUPT = ("==========>", "<==========")


def calls_by_task(text: str) -> dict[str, list[str]]:
    """What each task calls outside interrupts, in its order: by `name-pid`, or for lines that are no calls by "".

    Lines of graphs keep their indentation, so that trees can be told from sequences; no times are in them.
    """
    found: dict[str, list[str]] = {}
    for task, call in _calls(text.splitlines()):
        found.setdefault(task, []).append(call)
    return found


def _calls(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    interrupted: dict[str, bool] = {}
    for line in lines:
        if match := _FUNCTION.match(line):
            if match["context"] == ".":
                yield match["task"], match["call"]
        elif match := _GRAPH.match(line):
            task, call = match["task"], match["call"]
            if _INTERRUPT[0] in line or _INTERRUPT[1] in line:
                interrupted[task] = _INTERRUPT[0] in line
            elif not interrupted.get(task):
                yield task, re.sub(r" /\*.*", "", call)
        elif not line.startswith("#") and "=>" not in line and not line.startswith(" ---"):
            yield "", re.sub(r"\d+\.\d+", "TIME", line)


def differences(before: str, after: str) -> Iterator[str]:
    """A line for each task that calls something else in two traces, with the first call that differs."""
    old, new = calls_by_task(before), calls_by_task(after)
    for task in sorted(old.keys() | new.keys()):
        first, second = old.get(task, []), new.get(task, [])
        if first == second:
            continue
        at = next(
            (n for n, pair in enumerate(zip(first, second, strict=False)) if pair[0] != pair[1]), min(len(first), len(second))
        )
        was, now = (calls[at].strip() if at < len(calls) else "nothing" for calls in (first, second))
        yield f"{task or 'output'}: {len(first)} lines, now {len(second)}; line {at + 1} was {was}, now {now}"
