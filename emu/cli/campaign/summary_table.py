# SPDX-License-Identifier: GPL-2.0-only
"""A campaign's summary as a table for a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from textwrap import wrap

from emu.campaign.groups import Mean, text_of, value_text
from emu.campaign.summary import Group, Summary
from emu.cli.looking.showing import show, show_table
from emu.cli.table import Column, width_of

__all__ = ["mean_text", "summary_table"]

_MOST_DECIMALS = 9
_LARGE = 1e15


def summary_table(found: Summary) -> None:
    """Prints a row for each group, with means and confidence intervals, and below the table what all groups have in common."""
    show_table(*_table(found))
    show(line for text in _notes(found) for line in wrap(text, width_of(sys.stdout)))


def _table(found: Summary) -> tuple[list[Column], list[list[str]]]:
    one = found.groups[0] if found.groups else Group({}, 0, {}, {})
    parameters, numbers = [*one.parameters], [*one.means]
    values = [(name, value) for name, counts in one.counts.items() for value in counts]
    columns = [_column(name, found) for name in parameters]
    columns += [Column("runs"), *map(Column, numbers), *(Column(f"{name} {value}") for name, value in values)]
    rows = [
        [
            *(value_text(group.parameters[name]) for name in parameters),
            f"{group.rows:,}",
            *(_cell(group.means[name], group.rows) for name in numbers),
            *(f"{group.counts[name][value]:,}" for name, value in values),
        ]
        for group in found.groups
    ]
    return columns, rows


def _column(parameter: str, found: Summary) -> Column:
    are_names = any(isinstance(group.parameters[parameter], str) for group in found.groups)
    return Column(parameter, "name" if are_names else "number")


def _notes(found: Summary) -> Iterator[str]:
    if found.fixed:
        yield f"in all runs: {text_of(found.fixed)}"
    if found.left_out:
        yield f"texts with many or long values are not shown: {', '.join(found.left_out)}"
    if any(mean.half for group in found.groups for mean in group.means.values()):
        over = f" over {' and '.join(found.over)}" if found.over else ""
        yield f"means{over}; ± is the half-width of their {found.level * 100:g} % confidence interval"


def _cell(mean: Mean, rows: int) -> str:
    if mean.mean is None:
        return ""
    runs = f" ({mean.count} of {rows})" if mean.count < rows else ""
    return f"{mean_text(mean.mean, mean.half)}{runs}"


def mean_text(mean: float, half: float | None) -> str:
    """A mean with its interval, which gets two significant digits: `860,509 ± 1,200`, `3.14 ± 0.12`."""
    if not half:
        return f"{mean:,.0f}" if mean.is_integer() and abs(mean) < _LARGE else f"{mean:,.10g}"
    rounded = f"{half:.1e}"
    decimals = max(1 - int(rounded.partition("e")[2]), 0)
    if decimals > _MOST_DECIMALS:
        return f"{mean:.6g} ± {half:.2g}"
    return f"{mean:,.{decimals}f} ± {float(rounded):,.{decimals}f}"

