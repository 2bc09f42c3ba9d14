# SPDX-License-Identifier: GPL-2.0-only
"""emu port exercise: finished ports in which one thing is broken, and whether it works again."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from emu.port.exercises.exercise import Exercise

__all__ = ["exercise"]

NOT_SOLVED = 1

EXAMPLES = """\
\b
Examples:
  What exercises are there, and which of them are solved in this folder?
    emu port exercise list
  Begin with the first: this makes the folder exercise-01, whose file EXERCISE says what is to be done.
    emu port exercise start 1
  Is it solved?
    emu port exercise check 1

\b
Exit status of check: 0: solved; 1: not solved; 2: something on the command line is wrong.
"""


@click.group(epilog=EXAMPLES)
def exercise() -> None:
    """Repair finished ports in which one thing is broken: exercises for a course (docs/course.md)."""
    if importlib.util.find_spec("emu.port.exercises") is None:
        raise click.ClickException("this is the folder of an exercise: use the emu that has made it")


def _exercise(ctx: click.Context, param: click.Parameter, value: int) -> Exercise:
    from emu.port.exercises.exercise import exercises

    for one in exercises():
        if one.number == value:
            return one
    raise click.BadParameter(f"there is no exercise {value}; `emu port exercise list` shows all")


number = click.argument("exercise", metavar="NUMBER", type=int, callback=_exercise)


@exercise.command("list")
@click.argument("folder", metavar="[FOLDER]", type=click.Path(path_type=Path, file_okay=False, exists=True), default=Path())
def list_exercises(folder: Path) -> None:
    """Show all exercises. A * marks those whose last check, in FOLDER/exercise-NN, found them solved."""
    from emu.port.exercises.exercise import LESSONS, exercises
    from emu.port.exercises.folder import is_solved

    for lesson, heading in enumerate(LESSONS, 1):
        click.echo(f"Lesson {lesson}: {heading}")
        for one in exercises():
            if one.lesson == lesson:
                mark = "*" if is_solved(folder / one.folder_name) else " "
                click.echo(f"{mark} {one.number:2}  {one.name:24} {one.arch:8} {one.title}")


@exercise.command()
@number
@click.argument("folder", metavar="[DIR]", type=click.Path(path_type=Path), required=False)
def start(exercise: Exercise, folder: Path | None) -> None:
    """Make DIR, a copy of emu in which one thing is broken (default: exercise-NN). Its file EXERCISE says more."""
    from emu.port.exercises.folder import FolderError, start

    folder = folder or Path(exercise.folder_name)
    try:
        start(exercise, folder)
    except FolderError as error:
        raise click.ClickException(str(error)) from None
    click.echo((folder / "EXERCISE").read_text(), nl=False)


@exercise.command()
@number
@click.argument("level", metavar="[1..3]", type=click.IntRange(1, 3), default=1)
def hint(exercise: Exercise, level: int) -> None:
    """Show a hint: 1 is vague, 3 is exact."""
    click.echo(click.wrap_text(exercise.hints[level - 1], 80))


@exercise.command()
@number
@click.argument("folder", metavar="[DIR]", type=click.Path(path_type=Path), required=False)
def check(exercise: Exercise, folder: Path | None) -> None:
    """Say whether the exercise in DIR is solved (default: exercise-NN)."""
    from emu.port.exercises.checking import check

    folder = _folder_of(exercise, folder)
    wrong = check(exercise, folder)
    if wrong is None:
        click.echo(f"exercise {exercise.number} is solved: {exercise.title}")
        return
    click.echo(f"exercise {exercise.number} is not solved\nexpected: {wrong.expected}\nseen:     {wrong.seen}")
    click.get_current_context().exit(NOT_SOLVED)


@exercise.command()
@number
@click.option("--apply", "folder", metavar="DIR", type=click.Path(path_type=Path), help="Change the exercise's folder.")
def solution(exercise: Exercise, folder: Path | None) -> None:
    """Show a solution as a diff, and explain it. There may be others."""
    from emu.port.exercises.edits import EditError
    from emu.port.exercises.solution import apply_solution, shown

    if folder is None:
        click.echo(shown(exercise), nl=False)
        return
    try:
        apply_solution(exercise, _folder_of(exercise, folder))
    except EditError as error:
        raise click.ClickException(str(error)) from None


def _folder_of(exercise: Exercise, folder: Path | None) -> Path:
    from emu.port.exercises.folder import number_in

    folder = folder or Path(exercise.folder_name)
    found = number_in(folder)
    if found is None:
        raise click.ClickException(f"{folder} is not the folder of an exercise; `emu port exercise start` makes one")
    if found != exercise.number:
        raise click.ClickException(f"{folder} is the folder of exercise {found}")
    return folder
