# SPDX-License-Identifier: GPL-2.0-only
"""The rows of the corpus: bugs of history and rules of manuals, each with a story, a scenario and what mends it."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from pathlib import Path

from emu.ftrace.errors import did_you_mean
from emu.race.scenario import scenario_file
from emu.race.scenario.scenario import Scenario

__all__ = ["FOLDER", "Row", "row_of", "rows"]

FOLDER = Path(__file__).parent / "corpus"
_FIXED = "-fixed"
_FREE = ("name", "about", "protocol", "protocol_text", "expect", "fetch", "cpus")


@dataclass(frozen=True)
class Row:
    """A bug or a rule.

    Attributes:
        name: of the row, and of the file with its scenario.
        story: what happened, when, and what mended it: the comments at the file's top, a line each.
        scenario: in which it goes wrong, with the number of events that this takes.
        remedy: the comments at the top of the file with the mended scenario.
        fixed: the mended scenario, which is safe under each of its fetch models.
    """

    name: str
    story: tuple[str, ...]
    scenario: Scenario
    remedy: tuple[str, ...]
    fixed: Scenario


    def changed(self, answer: Scenario) -> list[str]:
        """The attributes in which an answer differs from the question, although the remedy does not.

        The protocol is what an answer is free in; names, sentences and expectations do not matter.
        """
        found = []
        for field in dataclasses.fields(Scenario):
            if field.name not in _FREE:
                asked, mended, given = (getattr(one, field.name) for one in (self.scenario, self.fixed, answer))
                if given not in (asked, mended):
                    found.append(field.name)
        return found


def rows() -> list[Row]:
    """All rows, by name."""
    return [_row(path.stem) for path in sorted(FOLDER.glob("*.race")) if not path.stem.endswith(_FIXED)]


def row_of(name: str) -> Row:
    """The row of a name, or of the beginning of one.

    Raises:
        ValueError: there is no such row, or there are several.
    """
    names = [path.stem for path in sorted(FOLDER.glob("*.race")) if not path.stem.endswith(_FIXED)]
    found = [name] if name in names else [one for one in names if one.startswith(name)]
    if not found:
        raise ValueError(f"the corpus has no row '{name}'{did_you_mean(name, names) or '; `emu race corpus` lists them'}")
    if len(found) > 1:
        raise ValueError(f"'{name}' is the beginning of several rows: {', '.join(found)}")
    return _row(found[0])


def _row(name: str) -> Row:
    path = FOLDER / f"{name}.race"
    fixed = path.with_stem(name + _FIXED)
    return Row(name, _comments(path), scenario_file.read(path), _comments(fixed), scenario_file.read(fixed))


def _comments(path: Path) -> tuple[str, ...]:
    """The text of the comments before the scenario."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return tuple(line.removeprefix("#").strip() for line in lines[: next(n for n, line in enumerate(lines) if line[:1] != "#")])
