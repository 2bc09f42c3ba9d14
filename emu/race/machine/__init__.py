# SPDX-License-Identifier: GPL-2.0-only
"""The machine: directs the booted guest. Its CPUs really execute what a fetch model lets them see."""

from __future__ import annotations

import dataclasses
import time

from emu.race.limits import INTERRUPTED, Limits
from emu.race.machine.direction import Direction
from emu.race.machine.explore import explore as explore_lab
from emu.race.machine.lab import Lab
from emu.race.machine.labs import lab_for
from emu.race.machine.replay import MachineRun, replay
from emu.race.machine.unsupported import unsupported
from emu.race.model import automaton_of
from emu.race.model.assumptions import assumptions
from emu.race.scenario.fetch import MODELS
from emu.race.scenario.scenario import Scenario
from emu.race.schedule.verdict import Outcome, Verdict

__all__ = ["Lab", "MachineRun", "explore", "replay", "unsupported"]

_ONCE = 1  # visits in a scenario without a bound
_ASSUMPTIONS = (
    "Between two events one CPU runs and all others stand still; no timer interrupts them, and no other task runs.",
    "States in which the patcher and each CPU stand alike, with the same view of the sites, go on alike.",
)
_ENOUGH = "Visits that have no bound are one of each CPU, and {nmis}: visits only narrow what a CPU may see."


def explore(scenario: Scenario, fetch: str, limits: Limits | None = None, seed: int = 0) -> Verdict:
    """Tries all orders of events on a booted machine, with every possible fetch.

    Args:
        scenario: the scenario.
        fetch: the fetch model's name.
        limits: when to give up; default: never, except for the number of states.
        seed: the machine's seed.

    Raises:
        ValueError: the scenario is impossible, or only possible on the model. The text says why.
    """
    began = time.perf_counter()
    limits = (limits or Limits()).started()
    automaton_of(scenario, fetch)
    if (why := unsupported(scenario)) is not None:
        raise ValueError(why)
    try:
        booted = lab_for(scenario, seed)
    except KeyboardInterrupt:
        return Verdict(scenario, fetch, "machine", Outcome.UNDECIDED, why=INTERRUPTED, seconds=time.perf_counter() - began)
    found = explore_lab(booted, Direction(booted, scenario, fetch, _ONCE), limits)
    outcome = Outcome.UNDECIDED if found.limit else Outcome.UNSAFE if found.violation else Outcome.SAFE
    wrong, text = (found.violation.wrong, found.violation.why) if found.violation else (None, found.limit)
    bounded = dataclasses.replace(scenario, visits=scenario.visits or _ONCE)
    enough = _ENOUGH.format(nmis="two NMIs" if scenario.nests else "one NMI")
    taken = (*assumptions(bounded, MODELS[fetch]), *_ASSUMPTIONS, *(() if scenario.visits else (enough,)))
    return Verdict(
        scenario, fetch, "machine", outcome, wrong, text, found.schedule, found.states, found.moves, found.coverage, taken,
        digest=booted.digest, seconds=time.perf_counter() - began,
    )  # fmt: skip
