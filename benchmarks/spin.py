# SPDX-License-Identifier: GPL-2.0-only
"""The model checker SPIN (Debian's package `spin`), which searches Promela models with a program that it generates in C.

Its settings: -O2; -DBFS, for a shortest trail, which takes no longer than depth first here; -DSAFETY; -DNOBOUNDCHECK; -DNOREDUCE,
because every step reads what others change, so partial order reduction finds nothing to leave out. States are stored
exactly.
"""

from __future__ import annotations

import re
import resource
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from promela import WRONGS

from emu.race.scenario.scenario import Wrong

__all__ = ["NoSpin", "Searched", "children_time", "spin_search", "spin_version"]

_FLAGS = ["-w", "-DBFS", "-DSAFETY", "-DNOBOUNDCHECK", "-DNOREDUCE", "-DMEMLIM=4096"]  # MiB
_STATES = re.compile(r"^ *(\d+) states, stored", re.MULTILINE)
_MOVES = re.compile(r"^ *(\d+) transitions ", re.MULTILINE)
_WRONG = re.compile(r"assertion violated \(wrong!=(\d+)\) \(at depth (\d+)\)")


class NoSpin(Exception):
    """SPIN is not available on this machine. The message is one line that says why."""


@dataclass(frozen=True)
class Searched:
    """What SPIN found.

    Attributes:
        wrong: what goes wrong; None if nothing does.
        length: of the trail to it, in steps.
        states: the number of stored states.
        moves: the number of transitions tried.
        compiling: seconds of processor time to generate and compile the program that searches.
        searching: seconds of processor time that this program took.
    """

    wrong: Wrong | None
    length: int
    states: int
    moves: int
    compiling: float
    searching: float


def children_time() -> float:
    """The processor time of this process's ended children, in seconds."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def spin_version() -> str:
    """The version of SPIN.

    Raises:
        NoSpin: there is no SPIN, or no C compiler.
    """
    for program, package in (("spin", "spin"), ("cc", "gcc")):
        if shutil.which(program) is None:
            raise NoSpin(f"{program} is not installed (on Debian: apt-get install {package})")
    return subprocess.run(["spin", "-V"], check=True, capture_output=True, text=True).stdout.split(" -- ")[0]


def spin_search(model: str, *, optimise: bool = True) -> Searched:
    """Searches a model that `promela` made, breadth first.

    Args:
        model: its text.
        optimise: whether the C compiler optimises, which takes time.
    """
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "model.pml").write_text(model)
        start = children_time()
        _run(folder, "spin", "-a", "model.pml")
        _run(folder, "cc", "-O2" if optimise else "-O0", *_FLAGS, "-o", "pan", "pan.c")
        compiled = children_time()
        # -E ignores invalid end states: no process ends, and the patcher may wait for ever.
        said = _run(folder, "./pan", "-E")
        searched = children_time()
    states, moves = (re.search(wanted, said) for wanted in (_STATES, _MOVES))
    assert states and moves and "out of memory" not in said, said
    found = _WRONG.search(said)
    if found:
        wrong: Wrong | None = WRONGS[int(found[1]) - 1]
        length = int(found[2]) + 1
    else:  # behind the last event the patcher is at a statement that cannot be executed, but pan has tried it
        wrong = Wrong.STUCK if '"(0)"' in said.rpartition("proctype patcher")[2] else None
        length = 0
    return Searched(wrong, length, int(states[1]), int(moves[1]), compiled - start, searched - compiled)


def _run(folder: str, *command: str) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return done.stdout + done.stderr
