# SPDX-License-Identifier: GPL-2.0-only
"""Results in the format of Linux 6.1's perf stat (tools/perf/util/stat-display.c), with fewer blanks if there is less room."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple, TypeAlias

from emu.cli.stat.events import Remark, remark
from emu.cli.stat.results import DURATION, Figure, Results
from emu.cli.summary import model_text

__all__ = ["footer", "header", "number", "row", "rows", "unit"]

NOT_SUPPORTED = "<not supported>"
_Row: TypeAlias = tuple[Figure | None, str, Remark | None, int | None]  # the parameters of `row`

_BEFORE_UNIT = 12  # characters of a remark
_NANOSECONDS = 9  # digits of a second


def header(command: Sequence[str], runs: int, by: str = "") -> str:
    """The header, with empty lines around it."""
    return f"\n Performance counter stats for '{' '.join(command)}'{by}{f' ({runs} runs)' if runs > 1 else ''}:\n\n"


def rows(results: Results, events: Sequence[str], per_cpu: bool, width: int) -> Iterator[str]:
    """A line per event, or per event and CPU; blanks are omitted if lines would be wider than `width`."""
    found: list[_Row] = []
    for event in events:
        for cpu in results.cpus if per_cpu else [None]:
            figure = partial(results.figure, cpu=cpu)
            found.append((figure(event), event, remark(event, figure), cpu))
    widths = _PERF
    if _excess(found, widths, width) > 0:
        said = max((len(said.unit) for _, _, said, _ in found if said), default=0)
        widths = _PERF._replace(name=max(map(len, events)), remark_unit=said)
        least = max(len(_value(figure)) for figure, *_ in found)
        widths = widths._replace(value=max(least, _PERF.value - max(_excess(found, widths, width), 0)))
    if _excess(found, widths, width) > 0:
        widths = widths._replace(cpu=1, unit=max(map(len, map(unit, events))))
    if _excess(found, widths, width) > 0:
        widths = widths._replace(remarks_below=True)
    yield from (row(*one, widths) for one in found)


class _Widths(NamedTuple):
    """The widths of a row's parts."""

    cpu: int
    value: int
    unit: int
    name: int
    remark_unit: int
    remarks_below: bool = False  # on separate lines


_PERF = _Widths(cpu=7, value=18, unit=4, name=32, remark_unit=23)


def _excess(rows: Sequence[_Row], widths: _Widths, width: int) -> int:
    """By how much the longest line exceeds `width`."""
    return max((len(line) for one in rows for line in row(*one, widths).splitlines()), default=0) - width


def row(
    figure: Figure | None, event: str, said: Remark | None = None, cpu: int | None = None, widths: _Widths = _PERF
) -> str:
    """The line of an event. `cpu`: a CPU; None: all CPUs together, with the deviation."""
    start = "" if cpu is None else f"CPU{cpu:<{widths.cpu}} "
    start += f"{_value(figure):>{widths.value}} " + f"{unit(event):<{widths.unit}} " * bool(widths.unit)
    line = f"{start}{event:<{widths.name}}"
    noise = _noise(figure) if cpu is None and figure is not None else ""
    if widths.remarks_below:
        below = f"\n{'':{len(start)}}# {said.text.strip()} {said.unit}" if said else ""
        return f"{(line + noise).rstrip()}{below}\n"
    line += f" # {said.text} {said.unit:<{widths.remark_unit}}" if said else " " * (widths.remark_unit + _BEFORE_UNIT)
    return f"{(line + noise).rstrip()}\n"


def _value(figure: Figure | None) -> str:
    return NOT_SUPPORTED if figure is None else number(figure.mean)


def unit(event: str) -> str:
    return "ns" if event == DURATION else ""


def number(value: float) -> str:
    """A number with commas, and two decimals if it is not whole."""
    return f"{value:,.0f}" if value == int(value) else f"{value:,.2f}"


def _noise(figure: Figure) -> str:
    return f"  ( +-{figure.noise:6.2f}% )" if figure.noise else ""


def footer(results: Results) -> str:
    """The elapsed time, and the timing model."""
    time, scale = results.time, 10**_NANOSECONDS
    seconds, deviation = time.mean / scale, time.deviation / scale
    if len(results.runs) == 1:
        text = f"{seconds:18.9f} seconds time elapsed"
    else:
        # At most two more digits than the deviation justifies.
        sure = 0 if deviation > 1 else math.ceil(-math.log10(deviation)) if deviation else _NANOSECONDS
        digits = min(sure + 2, _NANOSECONDS)
        text = f"{seconds:18.{digits}f} +- {deviation:.{digits}f} seconds time elapsed{_noise(time)}"
    return f"\n{text} {model_text(results.model)}\n\n"
