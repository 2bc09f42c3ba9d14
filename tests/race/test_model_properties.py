# SPDX-License-Identifier: GPL-2.0-only
"""Properties of every protocol, tested with random ones."""

from __future__ import annotations

import dataclasses
import random

from hypothesis import given, settings
from hypothesis import strategies as st

from emu.race.generator import generated
from emu.race.limits import Limits
from emu.race.model import automaton_of, explore
from emu.race.model.native_search import native_search
from emu.race.model.replay import ModelRun
from emu.race.model.search import search
from emu.race.model.tables import Tables
from emu.race.scenario.protocol_text import STEPS, WrittenProtocol, WrittenWrite
from emu.race.scenario.scenario import Scenario, Wrong
from emu.race.schedule.event import PATCHER
from emu.race.schedule.verdict import Outcome

SMALL = Limits(states=20_000)
QUICK = settings(max_examples=40, deadline=None)

# Seeds rather than st.randoms(): that shrinks, but makes a third fewer different protocols.
RANDOMS = st.integers(0, 1 << 64).map(random.Random)


def scenarios(most_sites: int) -> st.SearchStrategy[Scenario]:
    return RANDOMS.map(lambda source: generated(source, most_sites=most_sites))


SCENARIOS = scenarios(2)
FETCHES = st.sampled_from(("coherent", "stale", "torn1", "torn8", "torn16", "torn64", "translation"))


@QUICK
@given(SCENARIOS, FETCHES, st.integers(1, 3))
def test_native_code_and_python_see_the_same_states_in_the_same_order(scenario: Scenario, fetch: str, cpus: int) -> None:
    tables = Tables(automaton_of(scenario, fetch))
    assert native_search(tables, cpus, SMALL) == search(tables, cpus, SMALL)


@QUICK
@given(SCENARIOS, FETCHES)
def test_one_cpu_can_do_wrong_exactly_if_one_of_several_can(scenario: Scenario, fetch: str) -> None:
    outcomes = {explore(dataclasses.replace(scenario, cpus=cpus), fetch, SMALL).outcome for cpus in (1, 2, 3)}
    assert len(outcomes - {Outcome.UNDECIDED}) <= 1


@QUICK
@given(scenarios(1))
def test_what_is_safe_is_safe_if_cpus_see_less(scenario: Scenario) -> None:
    scenario = dataclasses.replace(scenario, cpus=1)
    strict_last = ("torn1", "torn8", "torn16", "torn64", "stale", "coherent")  # each may see everything that the next one may
    outcomes = [explore(scenario, fetch).outcome for fetch in strict_last]
    assert outcomes == sorted(outcomes, key=(Outcome.UNSAFE, Outcome.SAFE).index)


@QUICK
@given(SCENARIOS, FETCHES)
def test_nmis_make_nothing_safe(scenario: Scenario, fetch: str) -> None:
    without = dataclasses.replace(scenario, nmi_sites=frozenset(), cpus=1)
    if explore(without, fetch).outcome is Outcome.UNSAFE:
        assert explore(dataclasses.replace(without, nmi_sites=frozenset((1,))), fetch).outcome is Outcome.UNSAFE


@QUICK
@given(st.lists(st.sampled_from((*(WrittenWrite("all", code) for code in ("new", "old")), *STEPS)), max_size=6), st.booleans())
def test_whole_stores_are_never_torn_to_coherent_cpus(steps: list[WrittenWrite | str], nmis: bool) -> None:
    nmi_sites = frozenset((1,)) if nmis else frozenset[int]()
    protocol = WrittenProtocol(tuple(steps))
    scenario = Scenario("whole", protocol, "whole", nmi_sites=nmi_sites, never=frozenset((Wrong.TORN, Wrong.HALF)))
    assert explore(scenario, "coherent").outcome is Outcome.SAFE


@QUICK
@given(SCENARIOS, FETCHES)
def test_no_shorter_way_is_wrong(scenario: Scenario, fetch: str) -> None:
    """Compares with a search without tables, states and order: it tries everything, up to some depth."""
    scenario = dataclasses.replace(scenario, cpus=1)
    verdict = explore(scenario, fetch)
    shortest = len(verdict.schedule) if verdict.outcome is Outcome.UNSAFE and verdict.wrong is not Wrong.STUCK else 99
    automaton = automaton_of(scenario, fetch)

    def is_wrong(walk: ModelRun, depth: int) -> bool:
        if not depth:
            return False
        for move in (*walk.possible(PATCHER), *walk.possible(0)):
            if move.wrong:
                return True
            if move.after is not None and is_wrong(walk.followed(move), depth - 1):
                return True
        return False

    assert not is_wrong(ModelRun(automaton, 1), min(shortest - 1, 4))
    if shortest <= 5:
        assert is_wrong(ModelRun(automaton, 1), shortest)
