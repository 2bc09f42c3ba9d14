# SPDX-License-Identifier: GPL-2.0-only
"""emu race certify: is a protocol safe, wherever its sites are, with NMIs and without, under each fetch model?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from emu.cli.arch_option import arch_option
from emu.cli.progress import Progress
from emu.cli.race import options
from emu.cli.race.document import json_text, verdict_object
from emu.cli.race.errors import lab_errors
from emu.cli.race.mutant_report import mutants_sentence, mutants_stages, mutants_table
from emu.cli.race.report import columns, counted, reservations_of, table
from emu.cli.race.say import say
from emu.cli.race.schedule_files import ScheduleFiles
from emu.cli.race.searching import ended_early, found_by
from emu.cli.signals import raised

if TYPE_CHECKING:
    from emu.race import Limits, Verdict

__all__ = ["certify"]

EXAMPLES = """\
\b
Examples:
  Is what emu does by default safe?
    emu race certify breakpoint
  And on SPARC V9?
    emu race certify --arch sparc64 flush
  And a call of two words, as Linux has it on RISC-V?
    emu race certify --arch riscv64 --fetch coherent,stale,ziccif,translation pair
  A protocol of your own, a function as docs/races.md has it; what goes wrong goes to a file:
    emu race certify -o wrong.schedule my.py:hasty
    emu race show wrong.schedule
  What is each of its stages for? All schedules go to files in a folder, and the guest replays them:
    mkdir found
    emu race certify --mutants --cpus 2 --sites 1 -o found/ breakpoint
    emu race replay found/*.schedule

\b
PROTOCOL is a name that `emu run --patching` takes, `pair`, or FILE.py:FUNCTION. It is searched for each change of one
instruction (`pair`: of two), with the sites at each kind of place in a line of 64 bytes, without NMIs and with NMIs
whose handlers come to the sites, and with each write failing, so that the driver undoes the patch (`pair` is not the
driver's). A column of the table is a fetch model. In it stands safe, or what goes wrong and after how many events, or ?
if a search was not decided.

\b
With --mutants, PROTOCOL is searched as it is, without each of its stages, and with each two of them swapped: from a nop
to a call and from a call to another, at each kind of place, with NMIs and without; no write fails. A stage is a run of
writes, or one other step. What changes nothing, as swapping two synchronisations, is not searched. Lines that say the
same are one, and a column that would say `any` in each line is left out (docs/race-mutants.md).

\b
Exit status: 0: PROTOCOL is safe; 1: it is not, or a search was not decided; 2: something in the options is wrong, and
nothing was searched; 130: interrupted by Ctrl-C. What was found until then is printed.
"""


@click.command(context_settings={"max_content_width": 120}, epilog=EXAMPLES)
@arch_option("Architecture.")
@click.option("--mutants", is_flag=True, help="Also without each stage, and with each two swapped.")
@options.on
@options.fetch
@options.cpus(3)
@options.sites(2)
@options.seed
@options.limit
@options.output
@options.as_json
@click.argument("protocol", metavar="PROTOCOL")
def certify(
    protocol: str,
    arch: str,
    mutants: bool,
    on: str,
    fetch: str | None,
    cpus: int,
    sites: int,
    seed: int,
    limit: Limits | None,
    output: Path | None,
    as_json: bool,
) -> int:
    """Search a protocol with sites at all kinds of addresses.

    Every order of events is tried, at each kind of place, with NMIs and without, under each fetch model.
    """
    progress = Progress()
    with progress.during("loading the race lab"), lab_errors():
        from emu.race import api

        cases = api.cases(protocol, arch, fetch, cpus, sites, mutants=mutants)
        engines = [api.engines(case, on) for case in cases]
    count = sum(len(case.models) * len(on_these) for case, on_these in zip(cases, engines, strict=True))
    verdicts: list[Verdict] = []
    doing = (f"searching, {n} of {count} done, {counted(sum(v.states for v in verdicts), 'state')}" for n in range(count))
    with raised(), ScheduleFiles(output, seed, [Path(protocol.partition(":")[0])]) as schedules, ended_early() as end:
        searches = (v for case, on_these in zip(cases, engines, strict=True) for v in api.searches(case, on_these, seed, limit))
        for verdict in found_by(searches, progress, doing):
            verdicts.append(verdict)
            schedules.add(verdict)
    complete = end.by is None
    if as_json:
        say(json_text({"protocol": protocol, "complete": complete, "verdicts": [verdict_object(v) for v in verdicts]}))
    elif verdicts and mutants:
        say(mutants_stages(cases[0]) + "\n" + mutants_table(verdicts) + "\n" + mutants_sentence(verdicts, complete=complete))
        say(reservations_of(verdicts) + schedules.said)
    elif verdicts:
        say(_table(verdicts) + "\n" + _sentence(verdicts, complete=complete) + reservations_of(verdicts) + schedules.said)
    else:
        say("interrupted in the first search\n")
    end.go_on()
    text = cases[0].protocol_text
    decided = all(verdict.wrong or verdict.ok for verdict in verdicts)
    return 0 if decided and all(verdict.ok for verdict in verdicts if verdict.scenario.protocol_text == text) else 1


def _table(verdicts: Sequence[Verdict]) -> str:
    """A column per fetch model; a line per place, with NMIs and without, for the patch being made or undone."""
    fetches = list(dict.fromkeys(verdict.fetch for verdict in verdicts))
    engines = dict.fromkeys(verdict.on for verdict in verdicts)
    rows: dict[tuple[str, ...], dict[str, list[Verdict]]] = {}
    for verdict in verdicts:
        scenario = verdict.scenario
        places = " ".join(map(str, scenario.places))
        nmis, patch = "yes" if scenario.nmi_sites else "no", "undone" if scenario.fails_at else "made"
        engine = (verdict.on,) if len(engines) > 1 else ()
        rows.setdefault((places, nmis, patch, *engine), {}).setdefault(verdict.fetch, []).append(verdict)
    titles = ("places", "NMIs", "patch", "on")[: 4 if len(engines) > 1 else 3]
    return columns(
        [(*titles, *fetches), *((*head, *(_cell(cells.get(fetch, [])) for fetch in fetches)) for head, cells in rows.items())]
    )


def _cell(verdicts: Sequence[Verdict]) -> str:
    """The shortest of the violations found by some searches; safe if there are none."""
    wrong = min((verdict for verdict in verdicts if verdict.wrong), key=lambda verdict: len(verdict.schedule), default=None)
    if wrong is not None:
        return f"{wrong.wrong} {len(wrong.schedule)}"
    return "safe" if verdicts and all(verdict.ok for verdict in verdicts) else "?"


def _sentence(verdicts: Sequence[Verdict], *, complete: bool) -> str:
    """A sentence with the result, and the first unsafe schedule."""
    scenario = verdicts[0].scenario
    protocol = f"{scenario.protocol_text} is"
    any_number = all(verdict.any_number_of_cpus for verdict in verdicts)
    cpus = "any number of CPUs" if any_number else counted(scenario.cpus, "CPU")
    of = f"for {cpus} and {counted(len(scenario.places), 'site')}"
    searched = f"{counted(len(verdicts), 'search')}, {counted(sum(verdict.states for verdict in verdicts), 'state')}"
    unsafe = [verdict for verdict in verdicts if verdict.wrong]
    undecided = [verdict for verdict in verdicts if not verdict.wrong and not verdict.ok]
    if unsafe:
        return f"{protocol} unsafe {of}: in {len(unsafe)} of {searched}; the first:\n\n{table(unsafe[0])}\n"
    if undecided or not complete:
        return f"{protocol} not decided {of}: {len(undecided)} of {searched}{'' if complete else ', then interrupted'}\n"
    return f"{protocol} safe {of}: {searched}\n"
