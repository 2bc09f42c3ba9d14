# SPDX-License-Identifier: GPL-2.0-only
"""One CPU stands for any number of them, and sites are searched one by one: compared with 1, 2 and 3 CPUs at all sites."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

import pytest

from emu.architectures import ARCHITECTURES
from emu.ftrace import arch as ftrace_arch
from emu.race import api, model
from emu.race import arch as race_arch
from emu.race.certification import cases, mutant_cases
from emu.race.generator import generated
from emu.race.limits import INTERRUPTED, Limits
from emu.race.model import automaton_of, explore, of_one_cpu, reduction
from emu.race.model.native_search import native_search
from emu.race.model.search import Found
from emu.race.model.tables import Tables
from emu.race.scenario.scenario import Deferral, Hotplug, Scenario
from emu.race.schedule.verdict import Outcome

LIMITS = Limits(states=50_000)
FEW, MANY, LEAST_SAFE = 40, 2_000, 0.4


def scenarios(count: int) -> Iterator[tuple[Scenario, str]]:
    """Random protocols, and after every three of them a mutant of a shipped one, or the shipped one itself, each under one
    fetch model."""
    mutants, shipped = (
        [
            [case for name in ftrace_arch.load(arch).protocols for case in of(name, arch, cpus=1, sites=1 + n)]
            for n in range(2)
            for arch in ARCHITECTURES
        ]
        for of in (mutant_cases, cases)
    )
    source = Random("any number of CPUs")
    for number in range(count):
        if number % 4 == 3:
            kind = shipped if number % 8 == 7 else mutants
            scenario = source.choice(kind[number // 4 % len(kind)])
        else:
            arch = ARCHITECTURES[number % len(ARCHITECTURES)]
            scenario = generated(source, arch=arch, cpus=1, most_sites=1 + number % 2)
        if number % 5 == 4:
            scenario = with_more_words(scenario, source)
        yield scenario, source.choice(scenario.models)


def with_more_words(scenario: Scenario, source: Random) -> Scenario:
    """The scenario with interrupts, idle tasks, NMIs that nest, and CPUs that come and go, as chance has it."""

    def some() -> frozenset[int]:
        return frozenset(site for site in range(1, len(scenario.places) + 1) if source.random() < 0.3)

    return dataclasses.replace(
        scenario, visits=0, irq_sites=some(), idle_sites=some(), nests=bool(scenario.breakpoint) and source.random() < 0.3,
        hotplug=source.choice(list(Hotplug)), deferral=source.choice(list(Deferral)) if scenario.user else scenario.deferral,
    )  # fmt: skip


def compared(count: int) -> float:
    """Compares, and returns the share of safe ones."""
    safe = 0
    for scenario, fetch in scenarios(count):
        assert reduction.obstacle(scenario) == ""
        reduced = of_one_cpu(scenario, fetch, LIMITS).outcome
        for cpus in (1, 2, 3):
            whole = explore(dataclasses.replace(scenario, cpus=cpus), fetch, LIMITS, reduce=False).outcome
            assert whole in (reduced, Outcome.UNDECIDED) and (cpus > 1 or whole == reduced), (scenario, fetch, cpus)
        safe += reduced is Outcome.SAFE
    return safe / count


def test_verdicts_of_one_cpu_and_of_several_are_the_same() -> None:
    assert compared(FEW) >= LEAST_SAFE


@pytest.mark.long("2,000 scenarios take minutes")
def test_verdicts_of_one_cpu_and_of_several_are_the_same_for_many() -> None:
    assert compared(MANY) >= LEAST_SAFE


def test_nothing_of_a_scenario_is_unknown_to_the_reduction() -> None:
    """Whoever gives scenarios a word states in the table why it concerns one CPU, or leaves it out with good reason."""
    assert {field.name for field in dataclasses.fields(Scenario)} == set(reduction.FIELDS)


def test_what_the_reduction_does_not_know_it_refuses() -> None:
    @dataclass(frozen=True)
    class Locked(Scenario):
        lock: str = ""

    @dataclass(frozen=True)
    class WaitForSome:
        """A step."""

    scenario = next(scenarios(1))[0]
    known = {field.name: getattr(scenario, field.name) for field in dataclasses.fields(scenario)}
    assert reduction.obstacle(Locked(**known)) == ""
    assert reduction.obstacle(Locked(**known, lock="text_mutex")) == "'lock' may be shared by several CPUs"
    steps = scenario.steps

    class Waiting(Scenario):
        def steps_of_all(self, patches):  # type: ignore[no-untyped-def,override]
            return [[*steps(patches), WaitForSome()]]

    assert reduction.obstacle(Waiting(**known)) == "the step 'WaitForSome' may be for some CPUs only"


def test_a_scenario_that_is_not_reduced_is_searched_with_its_cpus(monkeypatch: pytest.MonkeyPatch) -> None:
    scenario = dataclasses.replace(cases("breakpoint", cpus=2, sites=1)[0], places=(5,))
    reduced = explore(scenario, "stale")
    monkeypatch.setattr(reduction, "FIELDS", {name: why for name, why in reduction.FIELDS.items() if name != "places"})
    whole = explore(scenario, "stale")
    assert (reduced.any_number_of_cpus, whole.any_number_of_cpus) == (True, False)
    assert reduced.outcome is whole.outcome is Outcome.SAFE and reduced.states < whole.states
    assert "2 CPUs, each with one task" in whole.assumptions[0] and "any number of CPUs" in reduced.assumptions[0]


def test_parts_of_the_sites() -> None:
    scenario = dataclasses.replace(cases("breakpoint", sites=3)[0], places=(0, 5, 13))

    def parts(**changes: object) -> list[list[int]]:
        return [sorted(part) for part in reduction.parts(dataclasses.replace(scenario, **changes))]  # type: ignore[arg-type]

    assert parts() == parts(nmi_sites=frozenset({1, 2})) == [[1], [2], [3]]
    assert parts(handler_sites=frozenset({2})) == [[1, 2], [2, 3]]
    assert parts(user=True, entry_sites=frozenset({1})) == [[1, 2], [1, 3]]
    assert parts(visits=1) == parts(user=True, nmi_sites=frozenset({1})) == [[1, 2, 3]]


def test_each_site_has_fetch_units_of_its_own() -> None:
    for arch in ARCHITECTURES:
        for fetch in race_arch.load(arch).fetch_models:
            scenario = generated(Random(1), arch=arch, cpus=1)
            automaton = automaton_of(dataclasses.replace(scenario, places=(0, 0)), fetch.name)
            assert len(automaton.first.view) == len(automaton.patcher.views) == 2
            assert automaton_of(dataclasses.replace(scenario, places=(0, 0)), fetch.name, {2}).first.view[0] == ()


def test_an_unsafe_verdict_has_a_shortest_schedule_of_the_cpus_that_were_asked_for() -> None:
    case = next(case for case in mutant_cases("breakpoint", cpus=3) if case.protocol_text == "breakpoint without 2")
    found = explore(case, "torn1")
    assert found == dataclasses.replace(explore(case, "torn1", reduce=False), seconds=0) and found.scenario.cpus == 3


def test_what_is_wrong_with_one_cpu_is_known_where_a_search_of_all_reaches_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    case = next(case for case in mutant_cases("breakpoint", cpus=3) if case.protocol_text == "breakpoint without 2")
    monkeypatch.setattr(
        model, "native_search",
        lambda tables, cpus, limits: native_search(tables, cpus, limits if cpus == 1 else dataclasses.replace(limits, states=0)),
    )  # fmt: skip
    found = explore(case, "torn1")
    assert found.outcome is Outcome.UNSAFE and found.scenario.cpus == 1 and found.schedule
    assert explore(case, "torn1", reduce=False).outcome is Outcome.UNDECIDED


def test_a_certificate_of_two_sites_takes_few_states() -> None:
    verdicts = api.certify("breakpoint", fetch="coherent")
    assert all(verdict.ok and verdict.any_number_of_cpus for verdict in verdicts)
    assert sum(verdict.states for verdict in verdicts) < 20_000


def test_an_interrupt_of_the_first_search_ends_both(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def interrupted(tables: Tables, cpus: int, limits: Limits) -> Found:
        asked.append(cpus)
        return dataclasses.replace(native_search(tables, cpus, limits), limit=INTERRUPTED)

    monkeypatch.setattr(model, "native_search", interrupted)
    found = explore(cases("breakpoint", cpus=2, sites=1)[0], "stale")
    assert (found.outcome, found.why, asked) == (Outcome.UNDECIDED, INTERRUPTED, [1])
