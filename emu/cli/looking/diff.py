# SPDX-License-Identifier: GPL-2.0-only
"""emu diff: what is different between two traces, or two sets of traces, by more than chance."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from emu.cli.looking.showing import show, write_object
from emu.cli.opened_trace import opened_trace

if TYPE_CHECKING:
    from rich.table import Table

    from emu.trace import Trace
    from emu.trace.comparison import By, Change, Comparison

__all__ = ["diff"]

EXAMPLES = """\
\b
Examples:
  Two recordings with function_graph, of which every call counts:
    emu diff before.dat after.dat
  Twenty runs each, over seeds: every run counts once, and small differences are found, too:
    emu run --repeat 20 -p function_graph -o before -- ls /bin
    emu run --repeat 20 -p function_graph -o after --append slow=1 -- ls /bin
    emu diff before after

\b
A and B are files, or folders with files *.dat. A path is the functions that lead to a call; what interrupts call is on
paths of its own. Times are a call's own, without the functions in it.
Exit status: 0: nothing differs by more than chance; 1: something does; 2: the comparison was not possible.
"""


class Runs:
    """The traces of a file, or of all files of a folder, opened one after the other."""

    def __init__(self, place: Path) -> None:
        self.files = sorted(place.glob("*.dat")) if place.is_dir() else [place]
        if not self.files:
            raise click.ClickException(f"{place}: no file *.dat is in this folder")

    def __iter__(self) -> Iterator[Trace]:
        for file in self.files:
            with opened_trace(file) as trace:
                if not trace.calls.count:  # reads all, so that damage is found here
                    raise click.ClickException(f"{file}: no calls were recorded; `emu record -p function_graph` records them")
                yield trace


@click.command(context_settings={"max_content_width": 120}, epilog=EXAMPLES)
@click.option(
    "--by", type=click.Choice(["path", "function"]), default="path", show_default=True,
    help="Compare each path of calls, or each function whatever has called it.",
)  # fmt: skip
@click.option(
    "--level", type=click.FloatRange(0, 1, min_open=True, max_open=True), default=0.05, show_default=True,
    help="The probability of finding anything where nothing differs.",
)  # fmt: skip
@click.option("-n", "--count", type=click.IntRange(1), metavar="N", help="Only the N changes that cost the most.")
@click.option("--json", "as_json", is_flag=True, help="Write an object; times are nanoseconds.")
@click.argument("before", metavar="A", type=click.Path(path_type=Path))
@click.argument("after", metavar="B", type=click.Path(path_type=Path))
def diff(by: By, level: float, count: int | None, as_json: bool, before: Path, after: Path) -> int:
    """Show which calls appeared, vanished, became more, fewer, slower or faster from A to B."""
    from emu.trace.comparison import CannotCompare, compare

    sides = Runs(before), Runs(after)
    try:
        found = compare(*sides, by=by, level=level)
    except CannotCompare as error:
        raise click.ClickException(f"{before}, {after}: {error}") from None
    except ModuleNotFoundError as error:
        raise click.ClickException(f"emu diff needs {error.name}: pip install 'emu[diff]'") from None
    if as_json:
        write_object(_object(found, found.changes[:count]))
    else:
        if found.changes:
            show(_table(found.changes[:count]))
        show(_summary(found))
    return 1 if found.changes else 0


def _object(found: Comparison, changes: list[Change]) -> dict[str, object]:
    return {
        "runs": found.runs, "paths": found.paths, "level": found.level, "level of one test": found.of_one_test,
        "tests": found.tests, "method": found.method, "differ by chance": found.others,
        "changes": [
            {
                "kind": change.kind, "path": change.path, "calls": change.calls, "self": change.self_time, "mean": change.mean,
                "probability": change.probability,
            }
            for change in changes
        ],
    }  # fmt: skip


def _table(changes: list[Change]) -> Table:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("change", no_wrap=True)
    for title in ("us a run", "calls A", "calls B", "us a call A", "us a call B", "p"):
        table.add_column(title, justify="right", no_wrap=True)
    table.add_column("path", no_wrap=True)
    for change in changes:
        calls = [f"{calls:,.10g}" for calls in change.calls]
        means = [f"{mean / 1000:,.3f}" if calls else "" for mean, calls in zip(change.mean, change.calls, strict=True)]
        cells = [f"{change.difference / 1000:+,.3f}", *calls, *means, f"{change.probability:.1e}"]
        table.add_row(change.kind, *cells, " > ".join(change.path))
    return table


def _summary(found: Comparison) -> str:
    first, second = found.runs
    runs = f"{first} run{'s' * (first > 1)} each" if first == second else f"{first} and {second} runs"
    told = f"{len(found.changes)} of {found.paths:,} paths changed" if found.changes else f"none of {found.paths:,} paths changed"
    if not found.tests:
        return f"{told}: with {runs} no difference can be more than chance; more runs are needed"
    method = f"{found.method}, {found.level:g} for all, {found.of_one_test:.1e} for each of {found.tests:,}"
    return f"{told} by more than chance, {found.others:,} others differ ({runs}; {method})"
