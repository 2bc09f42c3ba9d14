# SPDX-License-Identifier: GPL-2.0-only
"""`emu race check` of a litmus test: its searches and its output."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from emu.cli.progress import Progress
from emu.cli.race.document import litmus_object
from emu.cli.race.schedule_files import ScheduleFiles
from emu.cli.race.search_options import SearchOptions
from emu.cli.race.searching import found_by

if TYPE_CHECKING:
    from emu.race.litmus import LitmusVerdict

__all__ = ["LitmusCase"]


class LitmusCase:
    """A file with a litmus test.

    Attributes:
        verdicts: the verdicts so far.

    Raises:
        ValueError: the file is not a litmus test, or the options do not apply to it.
    """

    noun = "litmus test"
    heading = ""  # each verdict has its own

    def __init__(self, path: Path, options: SearchOptions) -> None:
        from emu.race import api, litmus

        for option, given in (("--on", options.on != "model"), ("--cpus", options.cpus), ("--sites", options.sites)):
            if given:
                raise ValueError(f"{path} is a litmus test, which has no {option}; --fetch and --limit are for it")
        self.path = path
        self.verdicts: list[LitmusVerdict] = []
        self._test = litmus.read(path)
        self._fetch = self._test.fetch if options.fetch is None else api.fetch_names(self._test.arch, options.fetch)
        self._limit = options.limit

    @property
    def ok(self) -> bool:
        return all(verdict.ok for verdict in self.verdicts)

    def search(self, schedules: ScheduleFiles, progress: Progress) -> Iterator[str]:
        """Searches. Yields text as soon as there are results."""
        from emu.race import litmus

        searches = (litmus.explore(self._test, fetch, self._limit) for fetch in self._fetch)
        for verdict in found_by(searches, progress, [f"searching {self._test.name}: {fetch}" for fetch in self._fetch]):
            yield ("\n" if self.verdicts else "") + litmus.format_verdict(verdict)
            self.verdicts.append(verdict)

    @property
    def evidence(self) -> str:
        """The instructions that lead to the final state of the first verdict that is not Ok, or of the first with a witness."""
        from emu.race import litmus

        found = sorted((verdict for verdict in self.verdicts if verdict.witness), key=lambda verdict: verdict.ok is True)
        return "\n" + litmus.format_witness(found[0]) if found else ""

    @property
    def coverages(self) -> list[Mapping[str, tuple[int, int]]]:
        """Empty: a litmus test has no coverage."""
        return []

    @property
    def assumptions(self) -> list[Sequence[str]]:
        """Those of each verdict that has all final states."""
        return [verdict.assumptions for verdict in self.verdicts if not verdict.why]

    @property
    def document(self) -> dict[str, object]:
        return {
            "file": str(self.path),
            "about": self._test.about,
            "ok": self.ok,
            "tests": [litmus_object(verdict) for verdict in self.verdicts],
        }
