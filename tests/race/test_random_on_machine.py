# SPDX-License-Identifier: GPL-2.0-only
"""The model and the machine agree on random scenarios with all words that the guest can do."""

from __future__ import annotations

import dataclasses
import re
from random import Random

import pytest

from emu.race import machine
from emu.race.agreement import Case, disagreement
from emu.race.scenario.scenario import Handler, Hotplug, Scenario
from tests.race.test_plain_model import random_scenario

# Bytes of the model's calls, in hexadecimal: the guest's calls have others.
_CALLS_OF_MODEL = re.compile(r"all (cc|e8) (?!1f 44)[0-9a-f]{2} [0-9a-f]{2}")


def for_the_guest(random: Random) -> Scenario | None:
    """A scenario for one CPU, at places that the guest has. None: the guest cannot do it."""
    scenario = random_scenario(random, "x86_64")
    places = tuple(random.choice(scenario.race_arch.machine_places) for _ in scenario.places)
    nobody = frozenset[int]()
    scenario = dataclasses.replace(
        scenario, idle_sites=nobody, hotplug=Hotplug.NONE, user=False, entry_sites=nobody, nests=False, ist=frozenset(),
        handler_sites=nobody, visits=1, cpus=1, places=places, others=(), live=False,
        handler=Handler.RETRY if scenario.handler is Handler.WAIT else scenario.handler,
    )  # fmt: skip
    possible = machine.unsupported(scenario) is None and not _CALLS_OF_MODEL.search(scenario.protocol_text)
    return scenario if possible else None


def compared(seed: str, count: int) -> int:
    """Compares random scenarios. Returns how many the guest could do."""
    random, done = Random(seed), 0
    for _ in range(count):
        scenario = for_the_guest(random)
        if scenario is None:
            continue
        case = Case(scenario, random.choice(scenario.models))
        assert disagreement(case) == "", case
        done += 1
    return done


def test_a_few_random_scenarios() -> None:
    assert compared("a few", 15) >= 8


@pytest.mark.parametrize("part", range(4))
def test_many_random_scenarios(part: int) -> None:
    assert compared(f"many, {part}", 250) > 150
