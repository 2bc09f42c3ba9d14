# SPDX-License-Identifier: GPL-2.0-only
"""emu diff of two campaigns' tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from emu.cli.campaign.tables import needed, opened_table, table_file
from emu.cli.looking.comparing import chance_object, show_changes
from emu.cli.looking.showing import show_table
from emu.cli.table import Column

if TYPE_CHECKING:
    from emu.campaign.comparison import Difference, TableComparison

__all__ = ["are_tables", "diff_tables"]

_MOST_NAMED = 5  # groups that only one side has


def are_tables(before: Path, after: Path) -> bool:
    """Whether both arguments name tables of campaigns.

    Raises:
        click.ClickException: only one does.
    """
    found = [table_file(place) is not None for place in (before, after)]
    if found[0] != found[1]:
        table, other = (before, after) if found[0] else (after, before)
        raise click.ClickException(f"{table} is a table of a campaign, {other} is none")
    return found[0]


def diff_tables(before: Path, after: Path, level: float, count: int | None, as_json: bool) -> int:
    """Shows what differs. Returns the exit status."""
    first, second = (opened_table(place, "emu diff") for place in (before, after))
    with needed("emu diff"):
        from emu.campaign.comparison import CannotCompare, compare_tables

        try:
            found = compare_tables(first, second, level=level)
        except CannotCompare as error:
            raise click.ClickException(f"{before}, {after}: {error}") from None
    changes = found.changes[:count]
    return show_changes(changes, partial(_object, found, changes) if as_json else None, _show_table, _summary(found))


def _object(found: TableComparison, changes: Sequence[Difference]) -> dict[str, object]:
    return {
        "groups": found.groups, "runs": found.runs, "in all": found.fixed, "apart": found.apart,
        **chance_object(found.chance), "others": found.others, "only": found.only, "unmatched": found.unmatched,
        "left out": found.left_out,
        "changes": [_change(change) for change in changes],
    }  # fmt: skip


def _change(change: Difference) -> dict[str, object]:
    value = {} if change.value is None else {"value": change.value}
    probability = {} if change.probability is None else {"probability": change.probability}
    numbers = {"mean": change.mean, "runs": change.runs, "percent": change.percent}
    return {"parameters": change.parameters, "measure": change.measure, **value, **numbers, **probability}


def _show_table(changes: Sequence[Difference]) -> None:
    from emu.campaign.groups import value_text

    tested = changes[0].probability is not None
    parameters = [*changes[0].parameters]
    are_names = [any(isinstance(change.parameters[name], str) for change in changes) for name in parameters]
    columns = [Column(name, "name" if is_name else "number") for name, is_name in zip(parameters, are_names, strict=True)]
    columns += [Column("measure", "name"), *map(Column, ["A", "B", "change", *(["p"] if tested else [])])]
    rows = []
    for change in changes:
        chance = [] if change.probability is None else [f"{change.probability:.1e}"]
        own = [value_text(change.parameters[name]) for name in parameters]
        rows.append([*own, _measure(change), *(_mean(change, side) for side in (0, 1)), _size(change), *chance])
    show_table(columns, rows)


def _measure(change: Difference) -> str:
    return change.measure if change.value is None else f"{change.measure} {change.value or 'absent'}"


def _mean(change: Difference, side: int) -> str:
    mean = change.mean[side]
    if mean is None:
        return ""
    return f"{mean:,.10g}" if change.value is None else f"{100 * mean:.3g} %"


def _size(change: Difference) -> str:
    if change.percent is None:
        return ""
    return f"{change.percent:+,.3g} {'%' if change.value is None else 'points'}"


def _summary(found: TableComparison) -> Iterator[str]:
    """The lines below the table."""
    from emu.campaign.groups import text_of

    least, most = found.runs
    runs = f"{least} to {most} runs each" if least != most else f"{most} runs each" if most > 1 else "one run each"
    compared = f"{found.groups:,} group{'s' * (found.groups != 1)} of parameters, {runs}"
    number = f"{len(found.changes):,}" if found.changes else "no"
    differ = f"difference{'s' * (len(found.changes) != 1)}"
    if found.chance is None:
        yield f"{number} {differ} ({compared})"
        yield "With one run each, chance cannot be ruled out: let the campaign run several seeds."
    elif not found.chance.tests:
        yield f"with so few runs no difference can be more than chance; {found.others:,} measures differ ({compared})"
    else:
        chance = found.chance
        method = f"{chance.method}, {chance.level:g} for all, {chance.of_one_test:.1e} for each of {chance.tests:,}"
        yield f"{number} {differ} by more than chance, {found.others:,} others differ ({compared}; {method})"
    if found.fixed:
        yield f"in all runs: {text_of(found.fixed)}"
    for n, side in enumerate("AB" if found.apart else ""):
        yield f"{side} has {text_of({name: values[n] for name, values in found.apart.items()})}"
    for side, groups, columns in zip("AB", found.only, found.unmatched, strict=True):
        if groups:
            named = "; ".join(text_of(one) for one in groups[:_MOST_NAMED])
            more = f"; and {len(groups) - _MOST_NAMED:,} more" if len(groups) > _MOST_NAMED else ""
            yield f"only {side} has runs with: {named}{more}"
        if columns:
            yield f"only {side} has the columns, or has them with such values: {', '.join(columns)}"
    if found.left_out:
        yield f"not compared, since they are texts with many or long values: {', '.join(found.left_out)}"

