# SPDX-License-Identifier: GPL-2.0-only
"""`emu race check` of a test of AArch64's instruction fetch: its search and its output."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from emu.cli.progress import Progress
from emu.cli.race.schedule_files import ScheduleFiles
from emu.cli.race.search_options import SearchOptions
from emu.cli.race.searching import found_by

if TYPE_CHECKING:
    from emu.race.ifetch import Result

__all__ = ["HEAD", "IfetchCase"]

HEAD = "AArch64"


class IfetchCase:
    """A file with a test for AArch64, which is herd7's.

    Attributes:
        verdicts: the result, if there is one.

    Raises:
        ValueError: the file is no such test, or the options do not apply to it.
    """

    noun = "litmus test"
    heading = ""
    evidence = ""
    coverages: Sequence[Mapping[str, tuple[int, int]]] = ()

    def __init__(self, path: Path, text: str, options: SearchOptions) -> None:
        from emu.race import ifetch

        given = {"--on": options.on != "model", "--fetch": options.fetch, "--cpus": options.cpus, "--sites": options.sites}
        for option, wanted in given.items():
            if wanted:
                raise ValueError(f"{path} is a test for {HEAD}, which has no {option}")
        self.path = path
        self.verdicts: list[Result] = []
        self._test = ifetch.parse(text, str(path))

    @property
    def ok(self) -> bool:
        return all(verdict.ok for verdict in self.verdicts)

    def search(self, schedules: ScheduleFiles, progress: Progress) -> Iterator[str]:
        """Searches. Yields the result's text."""
        from emu.race import ifetch

        results = (ifetch.explore(test) for test in (self._test,))
        for result in found_by(results, progress, [f"searching {self._test.name}"]):
            self.verdicts.append(result)
            yield ifetch.format_result(self._test, result)

    @property
    def assumptions(self) -> list[Sequence[str]]:
        """Those of a decided test."""
        from emu.race import ifetch

        return [ifetch.ASSUMPTIONS for verdict in self.verdicts if not verdict.why]

    @property
    def document(self) -> dict[str, object]:
        tests = [
            {
                "test": self._test.name, "arch": HEAD, "condition": self._test.condition, "ok": verdict.ok, "why": verdict.why,
                "states": verdict.states, "observation": verdict.observation,
                "finals": [" ".join(f"{name}={value};" for name, value in values) for values, _ in verdict.finals],
            }
            for verdict in self.verdicts
        ]  # fmt: skip
        return {"file": str(self.path), "about": "", "ok": self.ok, "tests": tests}
