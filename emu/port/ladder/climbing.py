# SPDX-License-Identifier: GPL-2.0-only
"""Climbs the ladder in a child process, so that a crash or a hang of Unicorn is a rung's failure, too."""

from __future__ import annotations

import faulthandler
import multiprocessing
import os
import re
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TextIO

from emu.installation import firmware_directory
from emu.port.ladder.rung import NotSupported, Rung, RungFailed

__all__ = ["Failure", "Outcome", "attempt", "climb"]

_ROOT = firmware_directory().parent
_LOOK = 0.5  # seconds between two looks at the child's processor time
_PATIENCE = 20  # how many times as long as its processor time a rung may take on a busy host
_GRACE = 5  # seconds for the stack of a process that hangs
_MOST_LINES = 40
_FRAME = re.compile(r'File "(?P<file>[^"]+)", line \d+ in (?P<function>\S+)')


@dataclass(frozen=True)
class Failure:
    """How a rung failed.

    Attributes:
        expected, seen: texts; `expected` is empty if something unexpected was raised.
        registers, code: of the CPU concerned.
        functions: functions of the architecture's files that were being executed, the innermost first: (file, name).
    """

    expected: str
    seen: str
    registers: dict[str, int] = field(default_factory=dict)
    code: list[str] = field(default_factory=list)
    functions: list[tuple[str, str]] = field(default_factory=list)


@dataclass(frozen=True)
class Outcome:
    """What became of a rung. `note`: what a passed rung has to say."""

    rung: str
    note: str = ""
    failure: Failure | None = None


def attempt(rung: Rung, arch: str) -> Outcome:
    """Checks one rung in this process."""
    try:
        return Outcome(rung.name, rung(arch) or "")
    except NotSupported as why:
        return Outcome(rung.name, f"not supported by this port: {why}")
    except RungFailed as error:
        return Outcome(rung.name, failure=Failure(error.expected, error.seen, error.registers, error.code,
            _functions(error, arch)))
    except Exception as error:  # whatever a port does
        lines = [f"{type(error).__name__}: {line}" if n == 0 else line for n, line in enumerate(str(error).splitlines() or [""])]
        return Outcome(rung.name, failure=Failure("", "\n".join(lines[:_MOST_LINES]), functions=_functions(error, arch)))


def _functions(error: BaseException, arch: str) -> list[tuple[str, str]]:
    """The port's functions in an exception's traceback and in those of its causes."""
    found: list[tuple[str, str]] = []
    at: BaseException | None = error
    while at is not None:
        frames = [(frame.filename, frame.name) for frame in reversed(traceback.extract_tb(at.__traceback__))]
        found = _of_port(frames, arch) + found
        at = at.__cause__ or at.__context__
    return list(dict.fromkeys(found))


def _of_port(frames: Sequence[tuple[str, str]], arch: str) -> list[tuple[str, str]]:
    root = f"{_ROOT}{os.sep}"
    places = [(file.removeprefix(root), name) for file, name in frames if file.startswith(root)]
    return [(file, name) for file, name in places if f"/arch/{arch}" in file and "/port/" not in file]


def climb(rungs: Sequence[Rung], arch: str) -> Iterator[Outcome | str]:
    """Checks rungs in order, up to the first that fails. Yields the name of each, and then its outcome."""
    ours, childs = multiprocessing.Pipe()
    with tempfile.TemporaryFile("w+", prefix="emu-port-") as said:
        sys.stdout.flush()
        sys.stderr.flush()
        child = os.fork()
        if child == 0:
            _as_child(rungs, arch, childs, said)
        childs.close()
        try:
            for rung in rungs:
                yield rung.name
                outcome = _outcome(rung, ours, child, said, arch)
                yield outcome
                if outcome.failure is not None:
                    return
        finally:
            ours.close()
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)


def _as_child(rungs: Sequence[Rung], arch: str, to: Connection, said: TextIO) -> None:
    """The child: sends outcomes. It never returns."""
    try:
        os.dup2(said.fileno(), sys.stdout.fileno())
        os.dup2(said.fileno(), sys.stderr.fileno())
        faulthandler.enable(said, all_threads=False)
        for rung in rungs:
            to.send(attempt(rung, arch))
    finally:
        os._exit(0)


def _answers(ours: Connection, child: int, limit: int) -> bool:
    """Waits for a message. False if the child has used too much processor time, or hangs without using any."""
    used, begun = _processor_time(child), time.monotonic()
    while not ours.poll(_LOOK):
        if _processor_time(child) - used > limit or time.monotonic() - begun > _PATIENCE * limit:
            return False
    return True


def _processor_time(process: int) -> float:
    """Seconds, with those of the children that the process has waited for."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def _outcome(rung: Rung, ours: Connection, child: int, said: TextIO, arch: str) -> Outcome:
    """Waits for a rung's outcome."""
    try:
        if _answers(ours, child, rung.limit):
            outcome: Outcome = ours.recv()
            return outcome
        what = f"hangs: there is no answer after {rung.limit} seconds of processor time"
        os.kill(child, signal.SIGABRT)
        ours.poll(_GRACE)
    except EOFError:
        what = "the process ended"
    said.seek(0)
    text = said.read()
    frames = [(frame["file"], frame["function"]) for frame in _FRAME.finditer(text)]
    fatal = re.search(r"Fatal Python error: (.*)", text)
    if fatal and what == "the process ended":
        what = f"Unicorn, or a function that it calls, crashed: {fatal[1]}"
    before = [line for line in (text[: fatal.start()] if fatal else text).splitlines() if line][-5:]
    return Outcome(rung.name, failure=Failure("", "\n".join((what, *before)), functions=_of_port(frames, arch)))
