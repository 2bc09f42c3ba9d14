# SPDX-License-Identifier: GPL-2.0-only
"""`emu race check` of a scenario: what is searched, and what is said of it."""

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
        verdicts: what has been found so far.

    Raises:
        ValueError: it is none, or the options do not go with it.
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
        """The fetch models under which the model and the machine do not agree."""
        found: dict[str, set[object]] = {}
        for verdict in self.verdicts:
            if verdict.outcome != "not decided":
                found.setdefault(verdict.fetch, set()).add((verdict.outcome, verdict.wrong))
        return [fetch for fetch, findings in found.items() if len(findings) > 1]

    @property
    def ok(self) -> bool:
        return all(verdict.ok for verdict in self.verdicts) and not self.differing

    def search(self, schedules: ScheduleFiles, progress: Progress) -> Iterator[str]:
        """Searches. What is to be said comes as it is found."""
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
        """The schedule of the first verdict that is not as expected, or of the first unsafe one, as a table."""
        unsafe = sorted((verdict for verdict in self.verdicts if verdict.schedule), key=lambda verdict: verdict.ok)
        return "\n" + table(unsafe[0]) if unsafe else ""

    @property
    def coverages(self) -> list[Mapping[str, tuple[int, int]]]:
        """Of each search that went to its end."""
        return [verdict.coverage for verdict in self.verdicts if not verdict.wrong]

    @property
    def assumptions(self) -> list[Sequence[str]]:
        """Of each verdict that nothing can go wrong."""
        return [verdict.assumptions for verdict in self.verdicts if verdict.outcome == "safe"]

    @property
    def document(self) -> dict[str, object]:
        return {
            "file": str(self.path),
            "about": self._scenario.about,
            "ok": self.ok,
            "differing": self.differing,
            "verdicts": [verdict_object(verdict) for verdict in self.verdicts],
        }
