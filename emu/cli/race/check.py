# SPDX-License-Identifier: GPL-2.0-only
"""emu race check: is each scenario as safe, or as unsafe, as it claims?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import click

from emu.cli.progress import Progress
from emu.cli.race import options
from emu.cli.race.document import json_text
from emu.cli.race.errors import lab_errors
from emu.cli.race.ifetch_case import HEAD, IfetchCase
from emu.cli.race.litmus_case import LitmusCase
from emu.cli.race.report import counted, reservations
from emu.cli.race.say import say
from emu.cli.race.scenario_case import ScenarioCase
from emu.cli.race.schedule_files import ScheduleFiles
from emu.cli.race.search_options import SearchOptions
from emu.cli.race.searching import ended_early
from emu.cli.signals import raised

if TYPE_CHECKING:
    from emu.race import Limits, Verdict
    from emu.race.ifetch import Result
    from emu.race.litmus import LitmusVerdict

__all__ = ["check"]

_Case: TypeAlias = ScenarioCase | LitmusCase | IfetchCase

_LONGEST_TEST = 1 << 16  # bytes

EXAMPLES = """\
\b
Examples:
  Can anything go wrong, under any rules of fetch?
    emu race check my.race
  The same on the booted guest, and do both agree?
    emu race check --on both my.race
  With three CPUs, as Intel's and as AMD's manual has it; the schedules of what goes wrong as files in a folder:
    mkdir found; emu race check --cpus 3 --fetch torn1,torn8 -o found my.race

\b
A line for each fetch model begins with Ok or No: whether the scenario's 'expect' is met; without one, whether it is
safe. The first unsafe schedule of a file is shown as a table, if there is only one FILE or its expectation is not met.
A search that reaches --limit has not decided anything: that is No.

\b
Exit status: 0: all are Ok; 1: one is not, or the model and the machine do not agree; 2: something in the options or
files is wrong, and nothing was searched; 130: interrupted by Ctrl-C. What was found until then is printed.
"""


@click.command(context_settings={"max_content_width": 120}, epilog=EXAMPLES)
@options.on
@options.fetch
@options.cpus("the scenario's")
@options.sites("the scenario's")
@options.seed
@options.limit
@options.output
@options.as_json
@click.argument("files", nargs=-1, required=True, metavar="FILE...", type=click.Path(path_type=Path))
def check(
    files: Sequence[Path], output: Path | None, as_json: bool,
    on: str, fetch: str | None, cpus: int | None, sites: int | None, seed: int, limit: Limits | None,
) -> int:  # fmt: skip
    """Search scenarios and litmus tests.

    Every order of events of each FILE is tried, and what is found is compared with what the FILE expects.
    """
    progress = Progress()
    with progress.during("loading the race lab"), lab_errors():
        cases = [_case(path, SearchOptions(on, fetch, cpus, sites, seed, limit)) for path in files]
    with raised(), ScheduleFiles(output, seed, files) as schedules, ended_early() as end:
        for number, case in enumerate(cases):
            if not as_json:
                say(("\n" if number else "") + case.heading)
            for text in case.search(schedules, progress):
                if not as_json:
                    say(text)
            if not as_json and (len(cases) == 1 or not case.ok):
                say(case.evidence)
    done = [case for case in cases if case.verdicts]
    if as_json:
        say(json_text({"files": [case.document for case in done], "complete": end.by is None}))
    else:
        coverages = [coverage for case in done for coverage in case.coverages]
        assumptions = [texts for case in done for texts in case.assumptions]
        say("\n" + reservations(coverages, assumptions) + _summary(done, complete=end.by is None) + schedules.said)
    end.go_on()
    return 0 if all(case.ok for case in cases) else 1


def _case(path: Path, search: SearchOptions) -> _Case:
    if path.suffix != ".litmus":
        return ScenarioCase(path, search)
    from emu.race.scenario.text_file import read_text

    text = read_text(path, _LONGEST_TEST)
    return IfetchCase(path, text, search) if text.split(None, 1)[:1] == [HEAD] else LitmusCase(path, search)


def _summary(cases: Sequence[_Case], *, complete: bool) -> str:
    verdicts: list[Verdict | LitmusVerdict | Result] = [verdict for case in cases for verdict in case.verdicts]
    if not verdicts:
        return "interrupted in the first search\n"
    nouns = [case.noun for case in cases]
    of = ", ".join(counted(nouns.count(noun), noun) for noun in dict.fromkeys(nouns))
    what = f"{of}, {counted(len(verdicts), 'search')}, {counted(sum(verdict.states for verdict in verdicts), 'state')}"
    wrong = sum(not verdict.ok for verdict in verdicts)
    how = f"{counted(wrong, 'search')} not as expected" if wrong else "all as expected"
    return f"{what}: {how}\n" if complete else f"{what}, then interrupted: {how} so far\n"
