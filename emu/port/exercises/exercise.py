# SPDX-License-Identifier: GPL-2.0-only
"""Exercises as they are stored: one TOML file each."""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from emu.port.exercises.edits import Edit, reversed_edits

__all__ = ["HINTS", "LESSONS", "Exercise", "exercises"]

HINTS = 3
LESSONS = (
    "call sites and nops",
    "patching one site, and trampolines",
    "arguments, return hijack and function_graph",
    "patching under running CPUs",
    "events, keys, probes and modules",
    "races: the lab",
)

_FOLDER = Path(__file__).resolve().parent
_DEFAULTS: Mapping[str, object] = {"images": (), "afresh": False, "files": {}}


@dataclass(frozen=True, slots=True)
class Exercise:
    """One exercise. Texts end without a newline."""

    number: int
    name: str
    title: str
    arch: str
    lesson: int  # 1 to 6
    images: Sequence[str]  # images of the guest to compile; none if only the host's code is broken
    afresh: bool  # whether all objects are compiled anew: make does not know that they depend on what is changed
    story: str  # what has happened, and what is to be found
    see: str  # what the learner sees
    commands: Sequence[str]  # to try, in the exercise's folder
    hints: Sequence[str]  # HINTS, from vague to exact
    explanation: str
    check: str  # MODULE:FUNCTION in emu.port.exercises.checks
    files: Mapping[str, str]  # further files of the folder, by path
    broken: Sequence[Edit]  # of the checkout
    solution: Sequence[Edit]  # of the broken copy

    @property
    def folder_name(self) -> str:
        """The default folder."""
        return f"exercise-{self.number:02}"


@functools.cache
def exercises() -> Sequence[Exercise]:
    """All exercises, by their numbers."""
    return [_read(path) for path in sorted(_FOLDER.glob("[0-9][0-9]-*.toml"))]


def _read(path: Path) -> Exercise:
    number, _, name = path.stem.partition("-")
    with path.open("rb") as file:
        data = tomllib.load(file)
    broken = [Edit(**edit) for edit in data.pop("break", [])]
    solution = [Edit(**edit) for edit in data.pop("solution", [])] or reversed_edits(broken)
    for key, value in data.items():
        if isinstance(value, str):
            data[key] = value.strip("\n")
    for key, default in _DEFAULTS.items():
        data.setdefault(key, default)
    return Exercise(number=int(number), name=name, broken=broken, solution=solution, **data)
