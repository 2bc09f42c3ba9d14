# SPDX-License-Identifier: GPL-2.0-only
"""Whether an exercise is solved: its check runs the folder's emu in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from emu.port.exercises.exam import Wrong
from emu.port.exercises.exercise import Exercise
from emu.port.exercises.folder import FolderError, build, environment, mark_solved

__all__ = ["check"]

_CHILD = Path(__file__).with_name("child.py")
_SECONDS = 900  # so slow is no host, even if it first compiles the native code


def check(exercise: Exercise, folder: Path) -> Wrong | None:
    """Checks a folder; None if the exercise is solved. If the guest's kernel is a part of it, compiles it first."""
    found = _check(exercise, folder)
    mark_solved(folder, found is None)
    return found


def _check(exercise: Exercise, folder: Path) -> Wrong | None:
    if exercise.images:
        try:
            build(exercise, folder)
        except FolderError as error:
            return Wrong("a kernel that can be compiled", str(error))
    with tempfile.TemporaryDirectory() as place:
        result = Path(place) / "result"
        command = [sys.executable, "-P", str(_CHILD), exercise.check, exercise.arch, str(folder.resolve()), str(result)]
        try:
            done = subprocess.run(
                command, cwd=place, env=environment(folder), capture_output=True, text=True, timeout=_SECONDS, check=False
            )
        except subprocess.TimeoutExpired:
            return Wrong("the check ends", f"it still runs after {_SECONDS} s")
        if not result.exists():
            last = (done.stderr.strip().splitlines() or [f"status {done.returncode}"])[-1]
            return Wrong("emu starts", last)
        found = json.loads(result.read_text())
    return Wrong(*found) if found else None
