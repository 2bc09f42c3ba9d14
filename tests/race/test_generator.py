# SPDX-License-Identifier: GPL-2.0-only
"""Random scenarios: they are always the same, all different, and read back from their texts."""

from __future__ import annotations

import hashlib
from random import Random

import pytest

from emu.architectures import ARCHITECTURES
from emu.race.generator import generated, name_of, numbered
from emu.race.model import automaton_of
from emu.race.scenario import scenario_format
from emu.race.scenario.change import Change
from emu.race.scenario.scenario import Handler, Scenario
from emu.race.scenario.scenario_file import parse
from emu.race.scenario.scenario_format import format

MANY = 300


@pytest.fixture(scope="module", params=ARCHITECTURES)
def scenarios(request: pytest.FixtureRequest) -> list[Scenario]:
    return [numbered(1, number, arch=request.param) for number in range(1, MANY + 1)]


def test_they_are_read_back(scenarios: list[Scenario]) -> None:
    assert [parse(format(scenario)) for scenario in scenarios] == scenarios


def test_they_are_possible(scenarios: list[Scenario]) -> None:
    for scenario in scenarios[:50]:
        assert automaton_of(scenario, scenario.models[-1]).patcher.end > 0


def test_they_differ(scenarios: list[Scenario]) -> None:
    assert len({scenario.name for scenario in scenarios}) == MANY
    protocols = {scenario.protocol_text for scenario in scenarios}
    assert len(protocols) > MANY / 3
    arch = scenarios[0].race_arch
    assert {scenario.change for scenario in scenarios} == set(arch.changes)
    assert {place for scenario in scenarios for place in scenario.places} == set(arch.places)
    assert {len(scenario.places) for scenario in scenarios} == {1, 2}
    assert {scenario.visits for scenario in scenarios} == {0, 1, 2}
    assert {bool(scenario.fails_at) for scenario in scenarios} == {scenario.user for scenario in scenarios} == {False, True}
    assert {scenario.nmi_sites for scenario in scenarios} == {frozenset(), frozenset((1,))}
    if scenarios[0].breakpoint:
        assert {scenario.handler for scenario in scenarios} == set(Handler)
        assert {scenario.handler_sites for scenario in scenarios} == {frozenset(), frozenset((1,))}


def test_some_are_protocols_that_make_sense(scenarios: list[Scenario]) -> None:
    breakpoints = "write head breakpoint; sync; write tail new; sync; write head new; sync"
    shipped = {"park; write all new; release", breakpoints if scenarios[0].breakpoint else "write all new; sync"}
    assert shipped <= {scenario.protocol_text for scenario in scenarios}


def test_a_breakpoint_before_the_new_tail_differs_from_site_to_site() -> None:
    scenario = next(s for n in range(1, 500) if "write 2 all cc" in (s := numbered(0, n)).protocol_text)
    codes = [line.split(" all ")[1] for line in format(scenario).splitlines() if " all cc" in line][:2]
    assert codes[0] != codes[1] or scenario.change is Change.CALL_TO_NOP


@pytest.mark.parametrize(
    ("archs", "digest"), [(ARCHITECTURES[:2], "d88a424b78615eaa"), (ARCHITECTURES[2:], "9cc7c80064b53077")]
)
def test_they_are_always_the_same(archs: tuple[str, ...], digest: str) -> None:
    """On every host, and with every version of Python."""
    text = "".join(format(numbered(7, number, arch=arch)) for arch in archs for number in range(1, 101))
    assert hashlib.sha256(text.encode()).hexdigest()[:16] == digest


def test_one_depends_on_its_seed_and_number_alone() -> None:
    assert numbered(7, 30) == numbered(7, 30) != numbered(8, 30)
    assert name_of(7, 30) == numbered(7, 30).name == "7-0030"
    assert scenario_format.format(numbered(7, 30)).splitlines()[1:] != scenario_format.format(numbered(7, 31)).splitlines()[1:]


def test_cpus_and_sites() -> None:
    scenarios = [generated(Random(n), cpus=3, most_sites=4) for n in range(50)]
    assert {scenario.cpus for scenario in scenarios} == {3}
    assert {len(scenario.places) for scenario in scenarios} == {1, 2, 3, 4}


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ({"arch": "mips"}, "there is no architecture 'mips'; there are x86_64, sparc64, riscv64"),
        ({"cpus": 9}, "9 CPUs: 1 to 8 are possible"),
        ({"most_sites": 0}, "0 sites: 1 to 8 are possible"),
    ],
)
def test_bad_arguments(arguments: dict[str, object], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        numbered(1, 1, **arguments)  # type: ignore[arg-type]
