# SPDX-License-Identifier: GPL-2.0-only
"""What goes wrong on the model without a stage of a shipped protocol, or with two swapped, goes wrong on the guest."""

from __future__ import annotations

import itertools
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from tempfile import TemporaryDirectory

from emu.ftrace import arch as ftrace_arch
from emu.race import model
from emu.race.certification import mutant_cases
from emu.race.schedule.schedule import Schedule, write
from emu.race.schedule.verdict import Verdict

__all__ = ["ReplayFailure", "Replayed", "replay"]

_STRIDE = 11  # no divisor of the number of searches of a mutant: one after another, all kinds come


class ReplayFailure(AssertionError):
    """The guest does not do what the model says."""


@dataclass(frozen=True)
class Replayed:
    """How many schedules were replayed, and of how many protocols."""

    schedules: int
    protocols: int


def replay(arch: str, part: float, seed: int) -> Replayed:
    """Replays a part of the schedules, of each protocol one at least, in one process that has searched nothing.

    Raises:
        ReplayFailure: something else happens than what was found.
    """
    found = list(_found(arch, part))
    with TemporaryDirectory() as folder:
        paths = [Path(folder) / f"{n:04}.schedule" for n in range(len(found))]
        for path, verdict in zip(paths, found, strict=True):
            write(Schedule.of(verdict, seed), path)
        run = subprocess.run([sys.executable, "-m", "emu", "race", "replay", *paths], capture_output=True, text=True)
    if run.returncode or not run.stdout.endswith(f"\n{len(found):,} schedules: all as recorded\n"):
        raise ReplayFailure(f"{arch}: {run.stderr}{run.stdout}")
    return Replayed(len(found), len({verdict.scenario.protocol_text for verdict in found}))


def _found(arch: str, part: float) -> Iterator[Verdict]:
    """What goes wrong in a part of the searches of each protocol; if anything does, one at least."""
    cases = [case for name in ftrace_arch.load(arch).protocols for case in mutant_cases(name, arch)]
    for _, of_one in itertools.groupby(cases, key=lambda case: case.protocol_text):
        searches = [(case, fetch) for case in of_one for fetch in case.models]
        least = ceil(len(searches) * part)
        found = 0
        for n in range(len(searches)):
            if n >= least and found:
                break
            verdict = model.explore(*searches[n * _STRIDE % len(searches)])
            if verdict.wrong:
                found += 1
                yield verdict
