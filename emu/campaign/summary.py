# SPDX-License-Identifier: GPL-2.0-only
"""The summary of a campaign's table: means with confidence intervals, and counts, over runs that differ in their seeds alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from emu.campaign.groups import Mean, check_column, group, is_number, is_text, means, numbers, text_counts, varying
from emu.campaign.table import Table
from emu.campaign.unit import Scalar

__all__ = ["Group", "Summary", "summary"]


@dataclass(frozen=True)
class Group:
    """Rows that have the same parameters, but for those of `over`.

    Attributes:
        parameters: their values, without those that all rows of the table share.
        rows: how many rows there are.
        means: of each measure that is a number.
        counts: of each measure that is a text or a truth value: how many rows have each of its values.
    """

    parameters: Mapping[str, Scalar]
    rows: int
    means: Mapping[str, Mean]
    counts: Mapping[str, Mapping[str, int]]


@dataclass(frozen=True)
class Summary:
    """Attributes:
    groups: sorted by their parameters.
    fixed: the parameters that have one value in all rows.
    over: the parameters in which rows of a group may differ.
    left_out: measures that are texts with many different values.
    level: the probability that a confidence interval has the mean in it.
    """

    groups: Sequence[Group]
    fixed: Mapping[str, Scalar]
    over: tuple[str, ...]
    left_out: tuple[str, ...]
    level: float


def summary(
    table: Table, measures: Sequence[str] | None = None, over: str | Sequence[str] = "seed", level: float = 0.95
) -> Summary:
    """Summarises the rows that differ in the parameters of `over` alone.

    >>> summary(read_table("study/table.parquet"), ["cycles"]).groups[0].means["cycles"]
    Mean(count=20, mean=860509.4, half=1201.7)

    Args:
        table: with a row for each run.
        measures: default: all.
        over: the name of a parameter, or several. Those that the table does not have do not matter.
        level: the probability that a confidence interval has the mean in it.

    Raises:
        ValueError: there is no such measure, or the level is not between 0 and 1.
    """
    if not 0 < level < 1:
        raise ValueError(f"the level of a confidence interval is between 0 and 1, not {level}")
    chosen = table.measures if measures is None else list(dict.fromkeys(measures))
    for name in chosen:
        check_column(name, table.measures, "measure")
    several, fixed = varying(table)
    without = (over,) if isinstance(over, str) else tuple(over)
    groups = group(table, [name for name in several if name not in without])
    of_numbers = {name: means(groups, numbers(table, name), level) for name in chosen if is_number(table, name)}
    of_texts = {name: text_counts(table, name, groups) for name in chosen if is_text(table, name)}
    counted = {name: counts for name, counts in of_texts.items() if counts is not None}
    found = [
        Group(
            groups.dictionary(key),
            len(rows),
            {name: values[n] for name, values in of_numbers.items()},
            {name: counts[n] for name, counts in counted.items()},
        )
        for n, (key, rows) in enumerate(zip(groups.keys, groups.rows, strict=True))
    ]
    kept = {name: value for name, value in fixed.items() if name not in without}
    left_out = tuple(name for name in of_texts if name not in counted)
    return Summary(found, kept, tuple(name for name in without if name in table.parameters), left_out, level)
