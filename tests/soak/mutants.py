# SPDX-License-Identifier: GPL-2.0-only
"""Shipped protocols without a stage, or with two swapped: an error found on the model also happens on the guest."""

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
from emu.race import arch as race_arch
from emu.race import model
from emu.race.certification import mutant_cases
from emu.race.schedule.schedule import Schedule, write
from emu.race.schedule.verdict import Verdict

__all__ = ["ReplayFailure", "Replayed", "replay"]

_STRIDE = 11  # not a divisor of the number of searches per mutant, so that all kinds occur


class ReplayFailure(AssertionError):
    """The guest does not do what the model predicts."""


@dataclass(frozen=True)
class Replayed:
    """The number of replayed schedules, and of their protocols."""

    schedules: int
    protocols: int


def replay(arch: str, part: float, seed: int) -> Replayed:
    """Replays a share of the schedules, at least one of each protocol, in one process that has searched nothing.

    Raises:
        ReplayFailure: the result differs from that of the search.
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
    """The errors found in a share of the searches of each protocol; at least one, if there is any."""
    protocols = (*ftrace_arch.load(arch).protocols, *race_arch.load(arch).protocols)
    cases = [case for name in protocols for case in mutant_cases(name, arch)]
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
