# SPDX-License-Identifier: GPL-2.0-only
"""Exercises: their texts are complete, their edits fit, and their checks tell a broken port from a port that works.

`other_solutions/NN.toml` has a second solution of each exercise, as edits of the broken copy.
"""

from __future__ import annotations

import importlib
import re
import shutil
import tomllib
from pathlib import Path

import click.testing
import pytest

from emu.architectures import ARCHITECTURES
from emu.cli.port.exercise import exercise as command
from emu.port.exercises.checking import check
from emu.port.exercises.edits import Edit, EditError, applied, apply
from emu.port.exercises.exercise import HINTS, LESSONS, Exercise, exercises
from emu.port.exercises.folder import is_solved, start
from emu.port.exercises.solution import apply_solution, shown
from tests import images

ROOT = Path(__file__).resolve().parents[2]
OTHERS = Path(__file__).with_name("other_solutions")
QUICK = (4, 27)  # run in the suite: one that breaks the host, and one of the race lab


def name(exercise: Exercise) -> str:
    return f"{exercise.number:02}-{exercise.name}"


each = pytest.mark.parametrize("exercise", exercises(), ids=name)


def other_solution(exercise: Exercise) -> list[Edit]:
    with (OTHERS / f"{exercise.number:02}.toml").open("rb") as file:
        return [Edit(**edit) for edit in tomllib.load(file)["edit"]]


def is_there(exercise: Exercise, folder: Path) -> None:
    """Writes the files that the exercise's edits change, broken, to a folder."""
    for file in {edit.file for edit in (*exercise.broken, *exercise.solution, *other_solution(exercise))} - set(exercise.files):
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / file, folder / file)
    apply(exercise.broken, folder)
    for file, text in exercise.files.items():
        (folder / file).write_text(text)


# What is written


def test_there_are_thirty_in_six_lessons() -> None:
    assert [exercise.number for exercise in exercises()] == list(range(1, 31))
    lessons = [exercise.lesson for exercise in exercises()]
    assert lessons == sorted(lessons) and set(lessons) == set(range(1, len(LESSONS) + 1))
    of_host = [exercise for exercise in exercises() if not exercise.images]
    assert {exercise.arch for exercise in of_host} == {exercise.arch for exercise in exercises()} <= set(ARCHITECTURES)


@each
def test_texts_are_complete(exercise: Exercise) -> None:
    texts = [exercise.title, exercise.story, exercise.see, exercise.explanation, *exercise.hints, *exercise.commands]
    assert all(text.strip() for text in texts)
    assert len(exercise.hints) == HINTS and exercise.commands
    assert exercise.broken or exercise.files
    module, _, function = exercise.check.partition(":")
    assert callable(getattr(importlib.import_module(f"emu.port.exercises.checks.{module}"), function))


@each
def test_the_first_hint_does_not_give_the_solution_away(exercise: Exercise) -> None:
    """It names no file, and nothing that the solution adds."""
    hint = exercise.hints[0]
    assert not re.search(r"\w+/\w+|\w+\.(py|c|S|h|race|litmus)\b", hint)
    words = {word for edit in exercise.solution for word in re.findall(r"\w{5,}", edit.new)}
    words -= {word for edit in exercise.solution for word in re.findall(r"\w{5,}", edit.old)}
    assert [word for word in words if re.search(rf"\b{word}\b", hint)] == []
    assert any(edit.file.rpartition("/")[2] in exercise.hints[-1] for edit in exercise.broken) or exercise.files


@each
def test_edits_fit(exercise: Exercise, tmp_path: Path) -> None:
    """The break fits the sources as they are, the solutions fit the break, and both are different from each other."""
    applied(exercise.broken, ROOT)
    is_there(exercise, tmp_path)
    model, other = applied(exercise.solution, tmp_path), applied(other_solution(exercise), tmp_path)
    assert dict(model) != dict(other)


@each
def test_a_solution_is_shown_as_a_diff(exercise: Exercise) -> None:
    text = shown(exercise)
    assert text.startswith("--- a/") and exercise.explanation.split()[0] in text
    assert all(f"+++ b/{edit.file}\n" in text for edit in exercise.solution)


def test_an_edit_that_does_not_fit_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("one two two\n")
    for edits, why in (
        ([Edit("a", "one", "1"), Edit("a", "two", "2")], "2 times"),
        ([Edit("a", "one", "1"), Edit("a", "six", "6")], "not there"),
        ([Edit("a", "one", "1"), Edit("b", "x", "y")], "cannot read"),
    ):
        with pytest.raises(EditError, match=why):
            apply(edits, tmp_path)
    assert (tmp_path / "a").read_text() == "one two two\n"


# What is done


def tried(exercise: Exercise, folder: Path) -> None:
    """The broken folder is refused, the model solution is accepted, and so is another one."""
    copy = folder / "other"
    start(exercise, folder / "model")
    shutil.copytree(folder / "model", copy)
    wrong = check(exercise, folder / "model")
    assert wrong is not None and wrong.expected and wrong.seen
    assert not is_solved(folder / "model")
    apply_solution(exercise, folder / "model")
    assert check(exercise, folder / "model") is None
    assert is_solved(folder / "model")
    apply(other_solution(exercise), copy)
    assert check(exercise, copy) is None


@pytest.mark.parametrize("exercise", [exercise for exercise in exercises() if exercise.number in QUICK], ids=name)
def test_a_quick_one_tells_right_from_wrong(exercise: Exercise, tmp_path: Path) -> None:
    tried(exercise, tmp_path)


@pytest.mark.long("thirty exercises take minutes")
@each
def test_each_tells_right_from_wrong(exercise: Exercise, tmp_path: Path) -> None:
    if exercise.images and (why := images.why_not(exercise.arch)):
        pytest.skip(f"needs {why}")
    tried(exercise, tmp_path)


# The command


def said(*arguments: str) -> tuple[int, str]:
    done = click.testing.CliRunner().invoke(command, arguments)
    return done.exit_code, done.output


def test_the_folder_of_an_exercise(tmp_path: Path) -> None:
    folder = tmp_path / "exercise-28"
    status, text = said("start", "28", str(folder))
    assert status == 0 and text == (folder / "EXERCISE").read_text()
    assert text.startswith("Exercise 28: ") and all(len(line) <= 120 for line in text.splitlines() if " ./run " not in line)
    assert not any((folder / name).exists() for name in (".git", ".venv", "firmware/build", "emu/port/exercises"))
    assert said("start", "28", str(folder)) == (1, f"Error: {folder} is there already\n")
    status, text = said("check", "28", str(folder))
    assert status == 1 and text.startswith("exercise 28 is not solved\nexpected: ")
    assert " *  28" not in said("list", str(tmp_path))[1]
    assert said("solution", "28", "--apply", str(folder))[0] == 0
    assert said("check", "28", str(folder)) == (0, "exercise 28 is solved: a trampoline that is freed too early\n")
    assert "\n* 28  freed" in said("list", str(tmp_path))[1]


def test_bad_input_is_one_line(tmp_path: Path) -> None:
    folder = str(tmp_path)
    for arguments in (("hint", "31"), ("hint", "1", "4"), ("check", "1", folder), ("solution", "1", "--apply", folder)):
        status, text = said(*arguments)
        assert status in (1, 2) and "Error: " in text.splitlines()[-1]
    status, text = said("hint", "1", "1")
    assert (status, " ".join(text.split())) == (0, exercises()[0].hints[0])
