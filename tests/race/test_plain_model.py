# SPDX-License-Identifier: GPL-2.0-only
"""emu's model finds what a plain model of the documents' semantics finds, after as many events, for random scenarios."""

from __future__ import annotations

import dataclasses
from random import Random

import pytest

from emu.architectures import ARCHITECTURES
from emu.race.generator import generated
from emu.race.limits import Limits
from emu.race.model import explore
from emu.race.scenario.scenario import Scenario, Wrong
from emu.race.schedule.verdict import Outcome
from tests.race import plain_model


def random_scenario(random: Random, arch: str) -> Scenario:
    """A scenario of the generator, in which not everything counts as wrong; a protocol that does not end does if a CPU that does
    not get on does, because in the plain model they are the same.
    """
    scenario = generated(random, arch=arch, cpus=1, most_sites=2)
    never = frozenset(wrong for wrong in Wrong if random.random() < 0.9)
    return dataclasses.replace(scenario, never=never | {Wrong.TORN} | ({Wrong.STUCK} if scenario.live else set()))


def compared(seed: str, count: int, cpus: int, most: int) -> tuple[int, int]:
    """Compares random scenarios. Returns how many are decided, and how many of them are safe."""
    random = Random(seed)
    decided = safe = 0
    for number in range(count):
        scenario = dataclasses.replace(random_scenario(random, ARCHITECTURES[number % len(ARCHITECTURES)]), cpus=cpus)
        fetch = random.choice(scenario.models)
        try:
            plain = plain_model.search(scenario, fetch, cpus, most)
        except plain_model.TooLarge:
            continue
        verdict = explore(scenario, fetch, Limits(states=None), reduce=False)
        events = -1 if verdict.wrong is Wrong.STUCK else len(verdict.schedule)
        if scenario.others and verdict.wrong is Wrong.STARVED:
            events = plain.events  # the plain model's patchers ask at the same time
        assert plain.events == events, (scenario, fetch, plain, verdict)
        assert verdict.wrong in plain.wrong or not plain.wrong, (scenario, fetch, plain, verdict)
        decided += 1
        safe += verdict.outcome is Outcome.SAFE
    return decided, safe


@pytest.mark.parametrize(("cpus", "count", "most"), [(1, 200, 500), (2, 60, 800)])
def test_a_few_random_scenarios(cpus: int, count: int, most: int) -> None:
    decided, safe = compared("a few", count, cpus, most)
    assert decided >= count / 2 and 5 <= safe < decided


def test_many_random_scenarios() -> None:
    decided, safe = compared("many", 5_000, 1, 5_000)
    assert decided > 4_700 and safe > 1_000


def test_many_random_scenarios_of_two_cpus() -> None:
    decided, safe = compared("many, two", 800, 2, 20_000)
    assert decided > 400 and safe > 40
