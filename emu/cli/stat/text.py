# SPDX-License-Identifier: GPL-2.0-only
"""Results as perf stat of Linux 6.1 writes them (tools/perf/util/stat-display.c)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import partial

from emu.cli.stat.events import Remark, remark
from emu.cli.stat.results import DURATION, Figure, Results
from emu.cli.summary import model_text

__all__ = ["footer", "header", "number", "row", "rows", "unit"]

NOT_SUPPORTED = "<not supported>"
_NAME, _REMARK_UNIT = 32, 23  # widths
_BLANK = " " * 35  # in place of a remark
_NANOSECONDS = 9  # digits of a second


def header(command: Sequence[str], runs: int, by: str = "") -> str:
    """The line above, with empty lines around it."""
    return f"\n Performance counter stats for '{' '.join(command)}'{by}{f' ({runs} runs)' if runs > 1 else ''}:\n\n"


def rows(results: Results, events: Sequence[str], per_cpu: bool) -> Iterator[str]:
    """A line for each event, or for each event on each CPU."""
    for event in events:
        for cpu in results.cpus if per_cpu else [None]:
            figure = partial(results.figure, cpu=cpu)
            yield row(figure(event), event, remark(event, figure), cpu)


def row(figure: Figure | None, event: str, said: Remark | None = None, cpu: int | None = None) -> str:
    """The line of an event. `cpu`: which CPU; None: all together, with the deviation."""
    value = NOT_SUPPORTED if figure is None else number(figure.mean)
    line = f"{value:>18} {unit(event):<4} {event:<{_NAME}}"
    line += f" # {said.text} {said.unit:<{_REMARK_UNIT}}" if said else _BLANK
    if cpu is not None:
        line = f"CPU{cpu:<7} {line}"
    elif figure is not None:
        line += _noise(figure)
    return f"{line.rstrip()}\n"


def unit(event: str) -> str:
    return "ns" if event == DURATION else ""


def number(value: float) -> str:
    """With commas, and two decimals if it is not whole."""
    return f"{value:,.0f}" if value == int(value) else f"{value:,.2f}"


def _noise(figure: Figure) -> str:
    return f"  ( +-{figure.noise:6.2f}% )" if figure.noise else ""


def footer(results: Results) -> str:
    """The time that passed, and by which timing model."""
    time, scale = results.time, 10**_NANOSECONDS
    seconds, deviation = time.mean / scale, time.deviation / scale
    if len(results.runs) == 1:
        text = f"{seconds:18.9f} seconds time elapsed"
    else:
        # At most two digits more than the deviation makes sure.
        sure = 0 if deviation > 1 else math.ceil(-math.log10(deviation)) if deviation else _NANOSECONDS
        digits = min(sure + 2, _NANOSECONDS)
        text = f"{seconds:18.{digits}f} +- {deviation:.{digits}f} seconds time elapsed{_noise(time)}"
    return f"\n{text} {model_text(results.model)}\n\n"
