# SPDX-License-Identifier: GPL-2.0-only
"""The model checker SPIN (Debian's package `spin`), which searches Promela models by a program that it writes in C.

Its settings: -O2; -DSAFETY and -DNOREDUCE, because every step looks at what others change, so that partial order reduction has
nothing to leave out; -DNOBOUNDCHECK; -DBFS for a shortest trail. A state is stored whole.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from promela import WRONGS

from emu.race.scenario import Wrong

__all__ = ["NoSpin", "Searched", "spin_search", "spin_version"]

_FLAGS = ["-O2", "-w", "-DSAFETY", "-DNOREDUCE", "-DNOBOUNDCHECK"]
_MOST_STEPS = 10_000_000  # of the path that a search by depth is on
_MEMORY = 4096  # MiB that it may have
_STATES = re.compile(r"^ *(\d+) states, stored", re.MULTILINE)
_MOVES = re.compile(r"^ *(\d+) transitions ", re.MULTILINE)
_WRONG = re.compile(r"assertion violated \(wrong!=(\d+)\) \(at depth (\d+)\)")


class NoSpin(Exception):
    """SPIN cannot be had on this machine. The message is one line that says why."""


@dataclass(frozen=True)
class Searched:
    """What SPIN has found.

    Attributes:
        wrong: what goes wrong; None: nothing does.
        length: of the trail that leads there, in steps.
        states: how many were stored.
        moves: how many were tried.
        compiling: seconds until there was a program that searches.
        searching: seconds that it took.
    """

    wrong: Wrong | None
    length: int
    states: int
    moves: int
    compiling: float
    searching: float


def spin_version() -> str:
    """Which SPIN there is.

    Raises:
        NoSpin: there is none, or no C compiler.
    """
    for program, package in (("spin", "spin"), ("cc", "gcc")):
        if shutil.which(program) is None:
            raise NoSpin(f"{program} is not installed (on Debian: apt-get install {package})")
    return subprocess.run(["spin", "-V"], check=True, capture_output=True, text=True).stdout.split(" -- ")[0]


def spin_search(model: str, *, breadth_first: bool = False, hash_bits: int = 20) -> Searched:
    """Searches a model that `promela` made.

    Args:
        model: its text.
        breadth_first: for a shortest trail.
        hash_bits: binary logarithm of the slots of the table of states.
    """
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "model.pml").write_text(model)
        start = time.perf_counter()
        _run(folder, "spin", "-a", "model.pml")
        flags = [*_FLAGS, f"-DMEMLIM={_MEMORY}", *(["-DBFS"] if breadth_first else [])]
        _run(folder, "cc", *flags, "-o", "pan", "pan.c")
        compiled = time.perf_counter()
        # -E: no process ends, and the patcher may wait for ever.
        said = _run(folder, "./pan", "-E", f"-m{_MOST_STEPS}", f"-w{hash_bits}")
        searched = time.perf_counter()
    states, moves = (re.search(wanted, said) for wanted in (_STATES, _MOVES))
    assert states and moves and "out of memory" not in said and "max search depth too small" not in said, said
    found = _WRONG.search(said)
    if found:
        wrong: Wrong | None = WRONGS[int(found[1]) - 1]
        length = int(found[2]) + 1
    else:  # behind the last event the patcher is at a statement that nobody can execute, but pan has tried it
        wrong = Wrong.STUCK if '"(0)"' in said.rpartition("proctype patcher")[2] else None
        length = 0
    return Searched(wrong, length, int(states[1]), int(moves[1]), compiled - start, searched - compiled)


def _run(folder: str, *command: str) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return done.stdout + done.stderr
