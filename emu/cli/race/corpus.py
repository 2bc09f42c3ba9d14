# SPDX-License-Identifier: GPL-2.0-only
"""emu race corpus: bugs of history and rules of manuals, each with its story, and what goes wrong after how many events."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from emu.cli.progress import Progress
from emu.cli.race import options
from emu.cli.race.document import json_text, verdict_object
from emu.cli.race.errors import lab_errors
from emu.cli.race.report import counted, reservations_of, table, verdict_line
from emu.cli.race.say import say
from emu.cli.race.searching import ended_early, found_by
from emu.cli.signals import raised

if TYPE_CHECKING:
    from emu.race import Scenario, Verdict
    from emu.race.corpus_rows import Row

__all__ = ["corpus"]

EXAMPLES = """\
\b
Examples:
  What is in the corpus, and is each bug found, and each remedy safe?
    emu race corpus
  One bug: its story, its shortest schedule, and what mended it:
    emu race corpus 2008-two-nops
  The same by the beginning of its name:
    emu race corpus 2008-t
  The same on the booted guest, which really oopses or panics:
    emu race corpus 2008-t --on machine
  An exercise: is a scenario of your own, mine.race, a remedy?
    emu race corpus 2012-tail-first --answer mine.race

\b
A row is two scenarios in emu/race/corpus: ROW.race, which goes wrong after as many events as it says, and
ROW-fixed.race, which is safe under each fetch model. The corpus also has litmus tests, for `emu race check`.

\b
An answer asks the row's question: it has the same words, but for the protocol, and for those in which ROW-fixed.race
differs. It is right if it is safe under each fetch model of ROW-fixed.race.

\b
With --on machine or both, a row that the guest cannot do has a line that begins with --, with the reason.

\b
Exit status: 0: everything is as the corpus says, or the answer is right; 1: it is not; 2: there is no such ROW, or the
guest cannot do it; 130: interrupted by Ctrl-C. What was found until then is printed.
"""


@click.command(context_settings={"max_content_width": 120}, epilog=EXAMPLES)
@options.on
@click.option("--answer", type=click.Path(path_type=Path), metavar="FILE", help="Is this scenario a remedy of ROW?")
@options.as_json
@click.argument("row", required=False, metavar="[ROW]")
def corpus(row: str | None, on: str, answer: Path | None, as_json: bool) -> int:
    """Search the bugs and rules of the corpus.

    Without ROW, each row has a line. With ROW, its story is told, and the first schedule is shown.
    """
    progress = Progress()
    if answer is not None and (row is None or as_json or on != "model"):
        raise click.UsageError("--answer goes with a ROW, and without --json and --on.")
    with progress.during("loading the race lab"), lab_errors():
        from emu.race.corpus_rows import row_of, rows

        if answer is not None:
            assert row is not None
            return _answered(row_of(row), answer, progress)
        chosen = [row_of(row)] if row is not None else rows()
    done: list[_Searched] = []
    with raised(), ended_early() as end:
        for one in chosen:
            done.append(_Searched(one, on))
            with lab_errors():
                text = done[-1].search(progress, alone=row is not None)
            if not as_json:
                say(text)
    if as_json:
        say(json_text({"rows": [one.document for one in done], "complete": end.by is None}))
    elif row is None:
        states = sum(verdict.states for one in done for verdict in one.verdicts)
        wrong = sum(not one.ok for one in done)
        alone = sum(bool(one.why) for one in done)
        others = f", {alone} of them for the model alone" if alone else ""
        how = f"{counted(wrong, 'row')} not as it should be" if wrong else "all as they should be"
        say(f"{counted(len(done), 'row')}{others}, {counted(states, 'state')}: {how}\n")
    end.go_on()
    return 0 if all(one.ok for one in done) else 1


def _answered(row: Row, path: Path, progress: Progress) -> int:
    """Says whether the scenario of a file is a remedy of a row."""
    from emu.race import api

    given = api.varied(api.loaded(path), fetch=row.fixed.models)
    if changed := row.changed(given):
        words = ", ".join(name.replace("_sites", "").replace("_", "-") for name in changed)
        say(f"No: the question is another one: {words}\n")
        return 1
    verdicts: list[Verdict] = []
    text = _searched(dataclasses.replace(given, expect={}), progress, ("model",), verdicts)
    unsafe = next((verdict for verdict in verdicts if verdict.outcome != "safe"), None)
    say(text + (f"\n{table(unsafe)}\nNo: {unsafe.wrong or unsafe.why}\n" if unsafe else "Ok: a remedy\n"))
    return 1 if unsafe else 0


class _Searched:
    """A row, and the verdicts on both of its scenarios; if the guest cannot do the row, `why` says why."""

    def __init__(self, row: Row, on: str) -> None:
        self.row = row
        self.on = on
        self.why = ""
        self.broken: list[Verdict] = []
        self.fixed: list[Verdict] = []

    @property
    def verdicts(self) -> list[Verdict]:
        return [*self.broken, *self.fixed]

    @property
    def ok(self) -> bool:
        searches = sum(len(scenario.models) for scenario in (self.row.scenario, self.row.fixed)) * (1 + (self.on == "both"))
        return bool(self.why) or (len(self.verdicts) == searches and all(verdict.ok for verdict in self.verdicts))

    def search(self, progress: Progress, *, alone: bool) -> str:
        """Searches both scenarios. Returns the text about them."""
        from emu.race import api

        row = self.row
        try:
            on = [api.engines(scenario, self.on) for scenario in (row.scenario, row.fixed)]
        except ValueError as error:
            if alone:
                raise
            self.why = str(error)
            return f"--  {row.name:30}  {self.why.partition(': ')[2]}\n"
        told = "".join(f"{line}\n" for line in row.story) + "\n" if alone else ""
        head = _searched(row.scenario, progress, on[0], self.broken)
        remedy = _searched(row.fixed, progress, on[1], self.fixed)
        if not alone:
            return self._line
        schedules = sorted((verdict for verdict in self.broken if verdict.schedule), key=lambda verdict: verdict.on == "model")
        shown = f"\n{table(schedules[0])}" if schedules else ""
        mended = "".join(f"{line}\n" for line in row.remedy)
        return f"{told}{head}{shown}\n{mended}{remedy}\n{reservations_of(self.verdicts)}"

    @property
    def _line(self) -> str:
        found: dict[str, list[str]] = {}
        for verdict in self.broken:
            if verdict.wrong:
                found.setdefault(f"{verdict.wrong} in {len(verdict.schedule)}", []).append(verdict.fetch)
        texts = []
        for text, models in found.items():
            seen = tuple(dict.fromkeys(models))
            texts.append(text if seen == self.row.scenario.models else f"{text} on {' '.join(seen)}")
        safe = all(verdict.outcome == "safe" for verdict in self.fixed)
        return f"{'Ok' if self.ok else 'No'}  {self.row.name:30}  {', '.join(texts)}; fixed: {'safe' if safe else 'not safe'}\n"

    @property
    def document(self) -> dict[str, object]:
        return {
            "row": self.row.name,
            "story": list(self.row.story),
            "remedy": list(self.row.remedy),
            "ok": self.ok,
            "why": self.why,
            "verdicts": [verdict_object(verdict) for verdict in self.broken],
            "fixed": [verdict_object(verdict) for verdict in self.fixed],
        }


def _searched(scenario: Scenario, progress: Progress, on: Sequence[str], verdicts: list[Verdict]) -> str:
    """A line for the scenario and for each of its searches, whose verdicts are added to a list."""
    from emu.race import api

    lines = [f"{scenario.name}: {scenario.about}\n" if scenario.about else f"{scenario.name}\n"]
    doing = [f"searching {scenario.name}: {fetch}" for fetch in scenario.models for _ in on]
    for verdict in found_by(api.searches(scenario, on), progress, doing):
        verdicts.append(verdict)
        lines.append(verdict_line(verdict, engine=len(on) > 1) + "\n")
    return "".join(lines)
