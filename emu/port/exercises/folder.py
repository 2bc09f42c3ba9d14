# SPDX-License-Identifier: GPL-2.0-only
"""The learner's folder: a copy of what is needed to build and run emu, in which one thing is broken."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

from emu.port.exercises.edits import EditError, apply
from emu.port.exercises.exercise import LESSONS, Exercise

__all__ = ["FolderError", "build", "environment", "is_solved", "mark_solved", "number_in", "start"]

_CHECKOUT = Path(__file__).resolve().parents[3]
_NUMBER, _SOLVED = ".exercise", ".solved"
_RUBBISH = shutil.ignore_patterns("__pycache__", "*.pyc")
_MOST_LINES = 12  # of what the compiler says
_COLUMNS = 100


class FolderError(Exception):
    """A folder cannot be made or used. The text is one line, or what a compiler says."""


def start(exercise: Exercise, folder: Path) -> None:
    """Makes the folder of an exercise, which must not exist yet. If the guest's kernel is broken, compiles it.

    Raises:
        FolderError: the folder exists or cannot be written, this emu is not a checkout, or a compiler is missing.
    """
    if not (_CHECKOUT / "firmware" / "Makefile").is_file():
        raise FolderError("an exercise is a copy of a checkout of emu, and this emu is an installed package")
    if folder.exists():
        raise FolderError(f"{folder} is there already")
    try:
        _copy(exercise, folder)
        apply(exercise.broken, folder)
        for name, text in exercise.files.items():
            (folder / name).write_text(text)
        _write_texts(exercise, folder)
    except (OSError, shutil.Error) as error:
        raise FolderError(f"cannot make {folder}: {error}") from None
    except EditError as error:
        raise FolderError(f"the exercise does not fit this checkout: {error}") from None
    if exercise.images:
        try:
            build(exercise, folder)
        except FolderError:
            shutil.rmtree(folder)
            raise


def build(exercise: Exercise, folder: Path) -> None:
    """Compiles the folder's kernel, as far as it has changed.

    Raises:
        FolderError: make or the compiler is missing or fails. The text has its last lines.
    """
    if exercise.afresh:
        shutil.rmtree(folder / "firmware" / "build" / exercise.arch, ignore_errors=True)
    images = [f"images/{exercise.arch}/{name}" for name in exercise.images]
    command = ["make", "-C", str(folder / "firmware"), f"ARCH={exercise.arch}", f"-j{os.cpu_count()}", "WERROR=", *images]
    try:
        done = subprocess.run(command, env=environment(folder), capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise FolderError("make is missing, which the exercise needs to compile the kernel") from None
    if done.returncode:
        last = (done.stdout + done.stderr).splitlines()[-_MOST_LINES:]
        raise FolderError("\n".join(["the kernel cannot be compiled:", *last]))


def environment(folder: Path) -> dict[str, str]:
    """The environment of a process that uses the folder's emu."""
    return {**os.environ, "PYTHONPATH": str(folder.resolve())}


def number_in(folder: Path) -> int | None:
    """The number of the exercise whose folder it is; None if it is none's."""
    try:
        return int((folder / _NUMBER).read_text())
    except (OSError, ValueError):
        return None


def is_solved(folder: Path) -> bool:
    """Whether the last check found it solved."""
    return (folder / _SOLVED).exists()


def mark_solved(folder: Path, solved: bool) -> None:
    """Notes what a check has found."""
    if solved:
        (folder / _SOLVED).touch()
    else:
        (folder / _SOLVED).unlink(missing_ok=True)


def _copy(exercise: Exercise, folder: Path) -> None:
    """Copies emu without the exercises, the guest's sources, one architecture's images, and objects that make can use."""

    def left_out(path: str, names: list[str]) -> set[str]:
        place = Path(path)
        out = set(_RUBBISH(path, names))
        if place == _CHECKOUT / "emu" / "port":
            out.add("exercises")
        if place in (_CHECKOUT / "firmware", _CHECKOUT / "firmware" / "user"):
            out.add("build")
        if place == _CHECKOUT / "firmware" / "images":
            out |= {name for name in names if name != exercise.arch}
        return out

    for name in ("emu", "firmware"):
        shutil.copytree(_CHECKOUT / name, folder / name, ignore=left_out)
    for build in ("build", "user/build"):
        objects = _CHECKOUT / "firmware" / build / exercise.arch
        if exercise.images and not exercise.afresh and objects.is_dir():
            shutil.copytree(objects, folder / "firmware" / build / exercise.arch)


def _write_texts(exercise: Exercise, folder: Path) -> None:
    (folder / "EXERCISE").write_text("\n".join(_text(exercise)) + "\n")
    (folder / _NUMBER).write_text(f"{exercise.number}\n")
    run = folder / "run"
    command = f'PYTHONPATH={_quoted(folder)} exec {_quoted(sys.executable)} -m emu "$@"'
    run.write_text(f"#!/bin/sh\n# Runs this folder's emu.\n{command}\n")
    run.chmod(0o755)


def _quoted(path: Path | str) -> str:
    text = str(Path(path).absolute())
    return "'" + text.replace("'", "'\\''") + "'"


def _text(exercise: Exercise) -> Iterator[str]:
    yield f"Exercise {exercise.number}: {exercise.title}"
    yield f"Lesson {exercise.lesson}: {LESSONS[exercise.lesson - 1]}. Architecture: {exercise.arch}."
    for heading, text in (("WHAT HAPPENED", exercise.story), ("WHAT YOU SEE", exercise.see)):
        yield from ("", heading, "", *_wrapped(text))
    yield from ("", "COMMANDS TO TRY, IN THIS FOLDER", "", *(f"    {command}" for command in exercise.commands))
    images = [f"images/{exercise.arch}/{name}" for name in exercise.images]
    what = "./run is this folder's emu."
    if exercise.images:
        what += " The kernel is compiled anew by `check`, or by you:"
        if exercise.afresh:
            what += f"\n\n    rm -r firmware/build/{exercise.arch}"
        what += f"\n\n    PYTHONPATH=$PWD make -C firmware ARCH={exercise.arch} WERROR= {' '.join(images)}"
    yield from ("", what)
    n, here = exercise.number, "."
    yield from ("", "WHEN YOU WANT TO KNOW MORE", "")
    yield f"    emu port exercise check {n} {here}       whether it is solved: anything that works is right"
    yield f"    emu port exercise hint {n} 1        the first of three hints"
    yield f"    emu port exercise solution {n}      a solution, and why"


def _wrapped(text: str) -> Iterator[str]:
    """Paragraphs of at most _COLUMNS columns; lines that begin with a space stay as they are."""
    for number, paragraph in enumerate(text.split("\n\n")):
        if number:
            yield ""
        if paragraph.startswith(" "):
            yield from paragraph.splitlines()
        else:
            yield from textwrap.wrap(paragraph, _COLUMNS, break_long_words=False, break_on_hyphens=False)
