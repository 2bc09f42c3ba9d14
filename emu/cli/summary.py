# SPDX-License-Identifier: GPL-2.0-only
"""The line of `emu run` after a run: what was traced, or what could have been."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING

from emu.cli.quantities import time_text

if TYPE_CHECKING:
    from emu.cpu.timing import TimingNames
    from emu.ftrace.arrays.trace_summary import TraceSummary
    from emu.linux.machine import LinuxMachine
    from emu.machine import Machine

__all__ = ["model_text", "suggestion", "summary_line"]


def summary_line(summary: TraceSummary, nanoseconds: int, model: TimingNames) -> str:
    """The number of events in a trace, and the virtual time of its command according to a timing model."""
    origin = f"{_count(summary.cpus, 'CPU')} and {_count(summary.processes, 'process')}"
    lost = f"{summary.lost:,} lost (-b {_rounded_up(summary.wanted_kb)} has room for them)" if summary.lost else "none lost"
    events = f"{_count(summary.events, 'event')} of {origin}, {lost}" if summary.events else "no events"
    return f"{events}; {time_text(nanoseconds)} of virtual time {model_text(model)}"


def model_text(model: TimingNames) -> str:
    """The names of a timing model in parentheses: (pipeline, zen3)."""
    return f"({', '.join(filter(None, model))})"


def suggestion(machine: Machine | LinuxMachine, arguments: Sequence[str]) -> str:
    """Suggests what a tracer could have traced. `arguments`: of `emu run`, without a tracer."""
    ops = machine.trace_array.ops
    selected, all_functions = int(ops.selected().sum()), len(ops.filter.functions)
    what = f"all {all_functions:,} functions" if selected == all_functions else f"{selected:,} of {all_functions:,} functions"
    if roots := ops.graph_function.selected_names():
        what = f"{roots[0] if len(roots) == 1 else f'{len(roots):,} functions'} and what is called from there"
    example = shlex.join(["emu", "run", "-p", "function_graph", *arguments])
    return f"no tracer is set, so the trace is empty; -p function_graph traces {what}: {example}"


def _count(number: int, noun: str) -> str:
    plural = noun + ("es" if noun.endswith("s") else "s")
    return f"{number:,} {noun if number == 1 else plural}"


def _rounded_up(number: int) -> int:
    """The next number with at most two significant digits."""
    unit = int("1" + "0" * (len(str(number)) - 2))
    return (number // unit + 1) * unit
