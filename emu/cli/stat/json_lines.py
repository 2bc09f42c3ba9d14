# SPDX-License-Identifier: GPL-2.0-only
"""Results in the format of Linux 6.1's perf stat -j: an object per line."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import partial

from emu.cli.stat.events import Remark, remark
from emu.cli.stat.function_table import sorted_functions
from emu.cli.stat.results import Figure, Results
from emu.cli.stat.text import NOT_SUPPORTED, unit

__all__ = ["function_lines", "lines"]


def lines(results: Results, events: Sequence[str], per_cpu: bool) -> Iterator[str]:
    """A line per event, or per event and CPU."""
    for event in events:
        for cpu in results.cpus if per_cpu else [None]:
            figure = partial(results.figure, cpu=cpu)
            of = {} if cpu is None else {"cpu": str(cpu)}
            cpus = len(results.cpus) if cpu is None else 1
            yield line(of, figure(event), event, cpus * results.time.mean, remark(event, figure), len(results.runs) > 1)


def function_lines(results: Results, events: Sequence[str]) -> Iterator[str]:
    """A line per function and event. Functions are sorted by the first event."""
    running = len(results.cpus) * results.time.mean
    for name, figures in sorted_functions(results, events):
        for event in events:
            said = remark(event, figures.get)
            yield line({"function": name}, figures[event], event, running, said, len(results.runs) > 1)


def line(of: dict[str, str], figure: Figure | None, event: str, running: float, said: Remark | None, varies: bool) -> str:
    """A JSON object with perf's members, in perf's order.

    Args:
        of: the subject of the count: a CPU or a function.
        running: nanoseconds for which it was counted, summed over all CPUs.
        varies: whether there were several runs.
    """
    members = [
        *((name, json.dumps(value)) for name, value in of.items()),
        ("counter-value", f'"{NOT_SUPPORTED if figure is None else f"{figure.mean:f}"}"'),
        ("unit", f'"{unit(event)}"'),
        ("event", f'"{event}"'),
        *([("variance", f"{figure.noise if figure else 0:.2f}")] if varies and "cpu" not in of else []),
        ("event-runtime", f"{running if figure else 0:.0f}"),
        ("pcnt-running", "100.00"),
        ("metric-value", f"{said.value if said else 0:f}"),
        ("metric-unit", f'"{said.unit if said else ""}"'),
    ]
    return "{" + ", ".join(f'"{name}" : {value}' for name, value in members) + "}\n"
