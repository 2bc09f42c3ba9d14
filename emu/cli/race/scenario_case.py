# SPDX-License-Identifier: GPL-2.0-only
"""`emu race check` of a scenario: its searches and its output."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from emu.cli.progress import Progress
from emu.cli.race.document import verdict_object
from emu.cli.race.report import table, verdict_line
from emu.cli.race.schedule_files import ScheduleFiles
from emu.cli.race.search_options import SearchOptions
from emu.cli.race.searching import found_by

if TYPE_CHECKING:
    from emu.race import Verdict

__all__ = ["ScenarioCase"]


class ScenarioCase:
    """A file with a scenario.

    Attributes:
        verdicts: the verdicts so far.

    Raises:
        ValueError: the file is not a scenario, or the options do not apply to it.
    """

    noun = "scenario"

    def __init__(self, path: Path, options: SearchOptions) -> None:
        from emu.race import api

        self.path = path
        self.verdicts: list[Verdict] = []
        self._options = options
        self._scenario = api.varied(api.loaded(path), fetch=options.fetch, cpus=options.cpus, sites=options.sites)
        self._engines = api.engines(self._scenario, options.on)

    @property
    def heading(self) -> str:
        scenario = self._scenario
        return f"{scenario.name}: {scenario.about}\n" if scenario.about else f"{scenario.name}\n"

    @property
    def differing(self) -> list[str]:
        """The fetch models for which the model and the machine disagree."""
        found: dict[str, set[object]] = {}
        for verdict in self.verdicts:
            if verdict.outcome != "not decided":
                found.setdefault(verdict.fetch, set()).add((verdict.outcome, verdict.wrong))
        return [fetch for fetch, findings in found.items() if len(findings) > 1]

    @property
    def ok(self) -> bool:
        return all(verdict.ok for verdict in self.verdicts) and not self.differing

    def search(self, schedules: ScheduleFiles, progress: Progress) -> Iterator[str]:
        """Searches. Yields text as soon as there are results."""
        from emu.race import api

        searches = api.searches(self._scenario, self._engines, self._options.seed, self._options.limit)
        both = len(self._engines) > 1
        order = [f"searching {self._scenario.name}: {fetch}, {on}" for fetch in self._scenario.models for on in self._engines]
        for verdict in found_by(searches, progress, order):
            self.verdicts.append(verdict)
            schedules.add(verdict)
            yield verdict_line(verdict, engine=both) + "\n"
        if both:
            yield f"{self._agreement}\n"

    @property
    def _agreement(self) -> str:
        if differing := ", ".join(self.differing):
            return f"model and machine do not agree under {differing}"
        undecided = any(verdict.outcome == "not decided" for verdict in self.verdicts)
        return "model and machine agree" + " where both have decided" * undecided

    @property
    def evidence(self) -> str:
        """The schedule of the first unexpected verdict, or of the first unsafe one, as a table."""
        unsafe = sorted((verdict for verdict in self.verdicts if verdict.schedule), key=lambda verdict: verdict.ok)
        return "\n" + table(unsafe[0]) if unsafe else ""

    @property
    def coverages(self) -> list[Mapping[str, tuple[int, int]]]:
        """Those of each completed search."""
        return [verdict.coverage for verdict in self.verdicts if not verdict.wrong]

    @property
    def assumptions(self) -> list[Sequence[str]]:
        """Those of each verdict."""
        return [verdict.assumptions for verdict in self.verdicts if verdict.outcome != "not decided"]

    @property
    def document(self) -> dict[str, object]:
        return {
            "file": str(self.path),
            "about": self._scenario.about,
            "ok": self.ok,
            "differing": self.differing,
            "verdicts": [verdict_object(verdict) for verdict in self.verdicts],
        }
