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
from emu.race.model.model_sites import model_patches
from emu.race.scenario.protocol_text import WrittenProtocol
from emu.race.scenario.scenario import WHOLE, Deferral, Hotplug, Scenario, Stack, Wrong
from emu.race.schedule.verdict import Outcome
from tests.race import plain_model

STEPS = ("wait-tasks", "free", "forget", "know", "know 1", "forget 1")
OTHER_CODE = (  # old, new, in between
    ("0f 1f 44 00 00", "e9 11 22 33 44", ("eb 03",)),
    ("66 90", "eb 05", ()),
    ("66 90 0f 1f 00", "e8 11 22 33 44", ("eb 03",)),
    ("e8 01 02 03 04", "e9 05 06 07 08", ("90",)),
    ("e9 01 02 03 04", "c3 0f 1f 00 90", ()),
    ("0f 1f 44 00 00", "cc 90 90 90 90", ()),
    ("cc 90 90 90 90", "e8 11 22 33 44", ()),
)


def random_scenario(random: Random, arch: str) -> Scenario:
    """A scenario of the generator, with some of the words that it does not use."""
    scenario = generated(random, arch=arch, cpus=1, most_sites=2)
    sites = frozenset({1})

    def maybe(value: object, otherwise: object) -> object:
        return value if random.random() < 0.25 else otherwise

    protocol = scenario.protocol
    assert isinstance(protocol, WrittenProtocol)
    steps = list(protocol.steps)
    for _ in range(int(random.random() * 3)):
        steps.insert(int(random.random() * (len(steps) + 1)), STEPS[int(random.random() * len(STEPS))])
    protocol = WrittenProtocol(tuple(steps))
    count = sum(step in ("sync", "release") for step in steps)
    scenario = dataclasses.replace(
        scenario, protocol=protocol, protocol_text=protocol.text,
        irq_sites=maybe(sites, frozenset()), idle_sites=maybe(sites, frozenset()), hotplug=maybe(Hotplug.FREE, Hotplug.NONE),
        stores=maybe(random.choice((1, 2, 4, 16, WHOLE)), 0), deaf=maybe(frozenset({1}) if count else frozenset(), frozenset()),
        deferral=random.choice(tuple(Deferral)), entry_sites=maybe(sites if scenario.user else frozenset(), frozenset()),
    )  # type: ignore[arg-type]  # fmt: skip
    if scenario.hotplug is Hotplug.FREE and random.random() < 0.5:
        scenario = dataclasses.replace(scenario, hotplug=Hotplug.LOCKED)
    if scenario.breakpoint:
        scenario = dataclasses.replace(
            scenario, nests=random.random() < 0.3, ist=frozenset(stack for stack in Stack if random.random() < 0.2),
            misses=maybe(sites, frozenset()),
        )  # type: ignore[arg-type]  # fmt: skip
    if arch == "x86_64" and not scenario.fails_at and random.random() < 0.2:
        scenario = with_other_code(scenario, random)
    into = frozenset(offset for offset in scenario.offsets[1:] if random.random() < 0.2)
    scenario = dataclasses.replace(scenario, into=into)
    never = frozenset(wrong for wrong in Wrong if random.random() < 0.9)
    return dataclasses.replace(scenario, never=never | {Wrong.TORN})


def with_other_code(scenario: Scenario, random: Random) -> Scenario:
    old, new, right = random.choice(OTHER_CODE)
    changed = dataclasses.replace(
        scenario, codes=(bytes.fromhex(old), bytes.fromhex(new)), right=tuple(map(bytes.fromhex, right)),
        calls=frozenset(side for side in ("old", "new") if random.random() < 0.3),
    )  # fmt: skip
    try:
        changed.steps(model_patches(changed))
    except ValueError:  # a write of other bytes
        return scenario
    return changed


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
        assert plain.events == events, (scenario, fetch, plain, verdict)
        assert verdict.wrong in plain.wrong or not plain.wrong, (scenario, fetch, plain, verdict)
        decided += 1
        safe += verdict.outcome is Outcome.SAFE
    return decided, safe


@pytest.mark.parametrize("cpus", [1, 2])
def test_a_few_random_scenarios(cpus: int) -> None:
    decided, safe = compared("a few", 24, cpus, 500 * cpus)
    assert decided >= 8 and 1 <= safe < decided


def test_many_random_scenarios() -> None:
    decided, safe = compared("many", 3_000, 1, 20_000)
    assert decided > 2_700 and safe > 500


def test_many_random_scenarios_of_two_cpus() -> None:
    decided, safe = compared("many, two", 600, 2, 20_000)
    assert decided > 300 and safe > 20
