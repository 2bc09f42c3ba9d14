# SPDX-License-Identifier: GPL-2.0-only
"""emu diff: the differences between two traces or, beyond chance, between two sets of traces, or two campaigns' tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from emu.cli.looking.comparing import chance_object, show_changes
from emu.cli.looking.showing import show_table
from emu.cli.looking.table_diff import are_tables, diff_tables
from emu.cli.opened_trace import opened_trace
from emu.cli.table import Column

if TYPE_CHECKING:
    from emu.trace import Trace
    from emu.trace.comparison import By, Change, Comparison

__all__ = ["diff"]

EXAMPLES = """\
\b
Examples:
  Two recordings with function_graph: all that differs, whatever the reason:
    emu diff before.dat after.dat
  Twenty runs each, over seeds: what differs by more than chance:
    emu run --repeat 20 -p function_graph -o before -- ls /bin
    emu run --repeat 20 -p function_graph -o after --append slow=1 -- ls /bin
    emu diff before after
  Two campaigns: what was measured with the same parameters:
    emu diff study other-study
    emu diff study/table.parquet old.parquet -n 10

\b
A and B are files, or folders with files *.dat. A path is the functions that lead to a call; what interrupts call is on
paths of its own. Times are a call's own, without the functions in it. With one run each it cannot be known what is chance.
Or both are campaigns' folders or tables: each measure of the runs with the same parameters, but for the seed, is compared.
Exit status: 0: nothing differs, or not by more than chance; 1: something does; 2: the comparison was not possible.
"""


class Runs:
    """The traces in a file, or in all files of a folder, opened one after another."""

    def __init__(self, place: Path) -> None:
        self.files = sorted(place.glob("*.dat")) if place.is_dir() else [place]
        if not self.files:
            raise click.ClickException(f"{place}: no file *.dat is in this folder")

    def __iter__(self) -> Iterator[Trace]:
        for file in self.files:
            with opened_trace(file) as trace:
                if not trace.calls.count:  # reads everything, so that damage is found here
                    raise click.ClickException(f"{file}: no calls were recorded; `emu record -p function_graph` records them")
                yield trace


@click.command(context_settings={"max_content_width": 120}, epilog=EXAMPLES)
@click.option(
    "--by", type=click.Choice(["path", "function"]), default="path", show_default=True,
    help="Compare each path of calls, or each function whatever has called it. Not for tables.",
)  # fmt: skip
@click.option(
    "--level", type=click.FloatRange(0, 1, min_open=True, max_open=True), default=0.05, show_default=True,
    help="With several runs each: the probability of finding anything although nothing differs.",
)  # fmt: skip
@click.option(
    "-n", "--count", type=click.IntRange(1), metavar="N",
    help="Only the N changes that cost the most; of tables, the largest ones.",
)  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Write an object; times are nanoseconds.")
@click.argument("before", metavar="A", type=click.Path(path_type=Path))
@click.argument("after", metavar="B", type=click.Path(path_type=Path))
def diff(by: By, level: float, count: int | None, as_json: bool, before: Path, after: Path) -> int:
    """Show which calls appeared, vanished, became more, fewer, slower or faster from A to B, or what else was measured."""
    if are_tables(before, after):
        if click.get_current_context().get_parameter_source("by") is not ParameterSource.DEFAULT:
            raise click.UsageError("--by is for traces: tables are compared by their parameters")
        return diff_tables(before, after, level, count, as_json)
    from emu.trace.comparison import CannotCompare, compare

    sides = Runs(before), Runs(after)
    try:
        found = compare(*sides, by=by, level=level)
    except CannotCompare as error:
        raise click.ClickException(f"{before}, {after}: {error}") from None
    except ModuleNotFoundError as error:
        raise click.ClickException(f"emu diff needs {error.name}: pip install 'emu[diff]'") from None
    changes = found.changes[:count]
    return show_changes(changes, partial(_object, found, changes) if as_json else None, _show_table, _summary(found))


def _object(found: Comparison, changes: list[Change]) -> dict[str, object]:
    others = "differ by chance" if found.chance else "differ below these"
    return {
        "runs": found.runs, "paths": found.paths, **chance_object(found.chance), others: found.others,
        "changes": [
            {
                "kind": change.kind, "path": change.path, "calls": change.calls, "self": change.self_time, "mean": change.mean,
            } | ({} if change.probability is None else {"probability": change.probability})
            for change in changes
        ],
    }  # fmt: skip


def _show_table(changes: Sequence[Change]) -> None:
    tested = changes[0].probability is not None
    numbers = ["us a run", "calls A", "calls B", "us a call A", "us a call B", *(["p"] if tested else [])]
    columns = [Column("change", "name"), *map(Column, numbers), Column("path", "path")]
    rows = []
    for change in changes:
        calls = [f"{calls:,.10g}" for calls in change.calls]
        means = [f"{mean / 1000:,.3f}" if calls else "" for mean, calls in zip(change.mean, change.calls, strict=True)]
        chance = [] if change.probability is None else [f"{change.probability:.1e}"]
        cells = [f"{change.difference / 1000:+,.3f}", *calls, *means, *chance]
        rows.append([change.kind, *cells, " > ".join(change.path)])
    show_table(columns, rows)


def _summary(found: Comparison) -> Iterator[str]:
    """The lines below the table."""
    first, second = found.runs
    runs = f"{first} runs each" if first == second else f"{first} and {second} runs"
    number = f"{len(found.changes):,}" if found.changes else "none"
    if found.chance is None:
        others = f", and {found.others:,} below paths that appeared or vanished" if found.others else ""
        yield f"{number} of {found.paths:,} paths differ{others}"
        yield "With one run each, chance cannot be ruled out: use emu run --repeat."
        return
    chance, told = found.chance, f"{number} of {found.paths:,} paths changed"
    if not chance.tests:
        yield f"{told}: with {runs} no difference can be more than chance; more runs are needed"
        return
    method = f"{chance.method}, {chance.level:g} for all, {chance.of_one_test:.1e} for each of {chance.tests:,}"
    yield f"{told} by more than chance, {found.others:,} others differ ({runs}; {method})"
