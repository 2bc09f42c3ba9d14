# SPDX-License-Identifier: GPL-2.0-only
"""Model solutions: as a diff with an explanation, or made in the learner's folder."""

from __future__ import annotations

import tempfile
import textwrap
from pathlib import Path

from emu.port.exercises.edits import applied, apply, difference
from emu.port.exercises.exercise import Exercise

__all__ = ["apply_solution", "shown"]

_CHECKOUT = Path(__file__).resolve().parents[3]
_COLUMNS = 100


def apply_solution(exercise: Exercise, folder: Path) -> None:
    """Makes the model solution's edits in the folder of the exercise.

    Raises:
        EditError: what the solution would replace is no longer there.
    """
    apply(exercise.solution, folder)


def shown(exercise: Exercise) -> str:
    """The model solution, as a unified diff of the exercise's folder, and its explanation."""
    others = {edit.file: (_CHECKOUT / edit.file) for edit in exercise.solution}
    broken = {name: path.read_text() for name, path in others.items() if path.exists()}
    broken |= {**applied(exercise.broken, _CHECKOUT), **exercise.files}
    with tempfile.TemporaryDirectory() as place:
        for name, text in broken.items():
            (Path(place) / name).parent.mkdir(parents=True, exist_ok=True)
            (Path(place) / name).write_text(text)
        solved = applied(exercise.solution, Path(place))
    paragraphs = [textwrap.fill(paragraph, _COLUMNS) for paragraph in exercise.explanation.split("\n\n")]
    return difference(broken, solved) + "\n" + "\n\n".join(paragraphs) + "\n"
