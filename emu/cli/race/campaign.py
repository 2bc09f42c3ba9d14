# SPDX-License-Identifier: GPL-2.0-only
"""emu race campaign: many searches, by many processes; what goes wrong is counted by its cause."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from emu.cli.arch_option import arch_option
from emu.cli.campaign.options import CampaignOptions, campaign_options
from emu.cli.campaign.running import run_campaign
from emu.cli.machine_options import Arguments
from emu.cli.race import options
from emu.cli.race.errors import lab_errors
from emu.cli.race.report import columns, counted
from emu.cli.race.say import say
from emu.cli.sweep.axes import numbers_of

if TYPE_CHECKING:
    from emu.campaign import Results, Scalar, Unit
    from emu.campaign.unit import Json
    from emu.race.scenario.scenario import Scenario

__all__ = ["campaign"]

_WORK = "emu.race.campaign_unit:searched"
_SUFFIX = ".race"
_SCHEDULES = "schedules"  # a folder

EXAMPLES = """\
\b
Examples:
  Ten thousand random protocols; how many reasons are there for which they are wrong?
    emu race campaign --generate 10000 --seed 1 -o random
    emu race show random/schedules/01.schedule
  Every stage of a protocol left out, or swapped with another, on one to four CPUs:
    emu race campaign --protocol breakpoint --mutants --cpus 1,2,3,4 -o mutants
  How soon does a random search find what an exhaustive one finds? Twenty seeds:
    emu race campaign --protocol breakpoint --mutants --search exhaustive,random --seeds 0..19 -o search
  Scenarios of your own on the booted guest, with four seeds of the machine, by a cluster:
    emu race campaign --on machine --seeds 0..3 --scheduler tcp://head:8786 my/*.race

\b
A row of FOLDER/table.parquet (and .csv) is a search of one scenario under one fetch model: the outcome, what goes wrong,
after how many events, its cause, and the schedule as text. Searches that are wrong for the same cause are counted
together, and FOLDER/schedules gets the shortest schedule of each cause.

\b
The same command in the same folder goes on where it was stopped (docs/campaigns.md).
Exit status: 0: all searches are done, whatever they have found; 1: some have failed; 2: something in the options is
wrong, and nothing was searched; 124: --limit was reached; 130: interrupted by Ctrl-C.
"""


class _Numbers(click.ParamType[tuple[int, ...]]):
    """Numbers: 1,2,4 or 0..19."""

    name = "numbers"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, ...]:
        return numbers_of(str(param.opts[0] if param else self.name), str(value))


@click.command(context_settings={"max_content_width": 120}, epilog=EXAMPLES)
@click.option("--protocol", metavar="PROTOCOL", help="Search what `emu race certify` does: a name, or FILE.py:FUNCTION.")
@click.option("--mutants", is_flag=True, help="With --protocol: also without each stage, and with each two swapped.")
@click.option("--generate", type=click.IntRange(1), metavar="N", help="Search N random scenarios (`emu race generate`).")
@click.option("--seed", type=int, default=0, show_default=True, metavar="S", help="With --generate: the seed of the scenarios.")
@arch_option("Architecture of a protocol or of random scenarios.")
@options.on
@options.fetch
@click.option("--cpus", type=_Numbers(), metavar="N[,N...]", help="How many CPUs. Default: 2, of FILEs the scenario's.")
@click.option("--sites", type=int, metavar="N", help="How many sites, at random at most. Default: 1, of FILEs the scenario's.")
@click.option(
    "--search", default="exhaustive", show_default=True, metavar="KIND[,KIND]",
    help="exhaustive; random: walks of the model until something is wrong.",
)  # fmt: skip
@click.option(
    "--seeds", type=_Numbers(), default="0", show_default=True, metavar="N..N", help="Of the machine and of random searches."
)
@click.option("--states", type=click.IntRange(1), metavar="N", help="End each search, undecided, after so many states or events.")
@campaign_options("campaign")
@click.argument("files", nargs=-1, metavar="[FILE...]", type=click.Path(path_type=Path))
def campaign(files: Sequence[Path], **arguments: object) -> int:
    """Search many scenarios, in several processes, and count what goes wrong by its cause."""
    chosen = CampaignOptions.taken_from(arguments)
    if (arguments["protocol"] is not None) + (arguments["generate"] is not None) + bool(files) != 1:
        raise click.UsageError("one of FILE..., --protocol and --generate says what is searched")
    if arguments["mutants"] and arguments["protocol"] is None:
        raise click.UsageError("--mutants needs --protocol")
    if wrong := [file for file in files if file.suffix != _SUFFIX]:
        raise click.UsageError(f"{wrong[0]}: a campaign searches scenarios, *{_SUFFIX}")
    with lab_errors():
        from emu.race.campaign_unit import COLUMNS

        units = list(_units(files, arguments))
    return run_campaign(units, chosen, lambda results: _show(results, chosen.folder), COLUMNS, ("search", "searches"))


def _units(files: Sequence[Path], arguments: Arguments) -> Iterator[Unit]:
    from emu.campaign import Unit
    from emu.race.campaign_unit import cases

    on = ("model", "machine") if arguments["on"] == "both" else (arguments["on"],)
    pairs = cases(
        _scenarios(files, arguments), fetch=arguments["fetch"], on=on, search=arguments["search"].split(","),
        seeds=arguments["seeds"], limit=arguments["states"],
    )  # fmt: skip
    for parameters, given in pairs:
        yield Unit(_WORK, cast("dict[str, Scalar]", parameters), cast("dict[str, Json]", given))


def _scenarios(files: Sequence[Path], arguments: Arguments) -> Iterator[Scenario]:
    from emu.race import api
    from emu.race.generator import numbered

    given, arch, counts = arguments["sites"], arguments["arch"], arguments["cpus"]
    sites = 1 if given is None else given
    for file in files:
        for cpus in counts or (None,):
            yield api.varied(api.loaded(file), cpus=cpus, sites=given)
    for cpus in () if files else counts or (2,):
        if arguments["protocol"] is not None:
            yield from api.cases(arguments["protocol"], arch, None, cpus, sites, mutants=arguments["mutants"])
        for number in range(1, (arguments["generate"] or 0) + 1):
            yield numbered(arguments["seed"], number, arch=arch, cpus=cpus, most_sites=sites)


def _show(results: Results, folder: Path) -> None:
    """Prints how many searches there are of each outcome, and of each cause; writes the schedules."""
    rows = results.table.rows()
    if not rows:
        return
    outcomes = Counter(str(row["outcome"]) for row in rows)
    text = ", ".join(f"{count:,} {outcome}" for outcome, count in sorted(outcomes.items()))
    by_cause: dict[str, list[dict[str, Scalar]]] = {}
    for row in rows:
        if row["cause"] is not None:
            by_cause.setdefault(str(row["cause"]), []).append(row)
    ordered = sorted(by_cause.items(), key=lambda item: (-len(item[1]), item[0]))
    lines = []
    _write_schedules(folder / _SCHEDULES, [_shortest(of) for _, of in ordered])
    for number, (cause, of) in enumerate(ordered, 1):
        first = _shortest(of)
        protocols = len({row["protocol"] for row in of})
        lines.append((f"{number:02}", f"{len(of):,}", f"{protocols:,}", str(first["events"]), str(first["fetch"]), cause))
    if lines:
        say(columns([("schedule", "searches", "protocols", "events", "fetch", "cause"), *lines]) + "\n")
    say(f"{counted(len(rows), 'search')}: {text}" + (f", for {counted(len(lines), 'cause')}" if lines else "") + "\n")


def _shortest(rows: Sequence[dict[str, Scalar]]) -> dict[str, Scalar]:
    return min(rows, key=lambda row: (cast(int, row["events"]), str(row["scenario"]), str(row["fetch"]), str(row["search"])))


def _write_schedules(folder: Path, rows: Sequence[dict[str, Scalar]]) -> None:
    """Writes the schedules in the place of those of an earlier table."""
    try:
        folder.mkdir(exist_ok=True)
        for old in folder.glob("*.schedule"):
            old.unlink()
        for number, row in enumerate(rows, 1):
            (folder / f"{number:02}.schedule").write_text(str(row["schedule"]), encoding="utf-8")
    except OSError as error:
        raise click.ClickException(f"cannot write {error.filename}: {error.strerror}") from None
