# SPDX-License-Identifier: GPL-2.0-only
"""A search that ends early reports that, and never claims that something is safe."""

from __future__ import annotations

import itertools
import re
import signal
import sys
from collections.abc import Sequence
from typing import Any

import pytest

from emu.ftrace.sites.patching import PROTOCOLS, Patch, Write
from emu.race.limits import INTERRUPTED, Limits
from emu.race.model import automaton_of, explore
from emu.race.model.native_search import native_search
from emu.race.model.search import Found, search
from emu.race.model.tables import Tables
from emu.race.scenario.scenario import Scenario
from emu.race.schedule.verdict import Outcome
from tests.race.conftest import Clock

STATES = 2_656_121
LARGE = Scenario(
    "large", PROTOCOLS["breakpoint"], "breakpoint", places=(61, 13), nmi_sites=frozenset((1, 2)), cpus=3
)


def test_a_limit_of_states() -> None:
    verdict = explore(LARGE, "stale", Limits(states=10_000), reduce=False)
    assert (verdict.outcome, verdict.ok) == (Outcome.UNDECIDED, False)
    assert verdict.why == "the limit of 10,000 states was reached"
    assert 10_000 <= verdict.states < 10_100
    assert verdict.schedule == () and verdict.wrong is None
    assert verdict.coverage["states of a CPU"][0] < verdict.coverage["states of a CPU"][1]


def test_a_limit_of_time(clock: Clock) -> None:
    looks = len(list(itertools.chain(*Tables(automaton_of(LARGE, "stale")).rows))) + 1  # one at each row, and one at a chunk
    verdict = explore(LARGE, "stale", Limits(seconds=looks), reduce=False)
    assert verdict.why == f"the limit of {looks} s was reached" and verdict.outcome is Outcome.UNDECIDED
    assert 0 < verdict.states < STATES


def test_a_limit_of_time_holds_where_one_cpu_may_see_very_much(clock: Clock) -> None:
    def noise(patches: Sequence[Patch], breakpoint: bytes) -> list[Write]:
        return [Write(patch.address, patch.old, bytes([n] * 5)) for patch in patches for n in range(1, 9)]

    many = Scenario("many", noise, "noise", never=frozenset(), cpus=1)
    verdict = explore(many, "torn1", Limits(seconds=3))
    assert (verdict.outcome, verdict.states) == (Outcome.UNDECIDED, 0) and verdict.why == "the limit of 3 s was reached"


def test_what_there_is_no_memory_for_is_not_decided(monkeypatch: pytest.MonkeyPatch) -> None:
    module = sys.modules[native_search.__module__]
    monkeypatch.setattr(module, "_PARENT_BITS", 14)
    verdict = explore(LARGE, "stale", reduce=False)
    assert verdict.outcome is Outcome.UNDECIDED and 8_000 < verdict.states <= 1 << 14
    assert verdict.why == f"there is no memory for more than {verdict.states:,} states"


def test_limits_may_be_absent_and_begin_anew_for_each_search(clock: Clock) -> None:
    small = Scenario("small", PROTOCOLS["breakpoint"], "breakpoint")
    limits = Limits(states=None, seconds=1_000_000)
    clock.now += 1_000_000
    assert explore(small, "stale", limits).outcome is Outcome.SAFE


def test_what_goes_wrong_below_a_limit_is_found() -> None:
    hasty = Scenario("hasty", PROTOCOLS["flush"], "flush", places=(5,))
    assert explore(hasty, "torn8", Limits(states=10)).outcome is Outcome.UNSAFE


@pytest.fixture
def interrupted_soon(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """Simulates Ctrl-C after a number of states."""
    least = getattr(request, "param", 10_000)

    def reached(limits: Limits, states: int) -> str:
        if states > least:
            signal.raise_signal(signal.SIGINT)
        return ""

    monkeypatch.setattr(Limits, "reached", reached)


@pytest.mark.parametrize("searching", [native_search, search])
def test_an_interrupt_ends_a_search_and_keeps_what_was_found(searching: Any, interrupted_soon: None) -> None:
    found: Found = searching(Tables(automaton_of(LARGE, "stale")), 3, Limits())
    assert found.limit == INTERRUPTED and not found.wrong
    assert 10_000 < found.states < STATES and found.moves > found.states and found.reached[1]


@pytest.mark.parametrize(("interrupted_soon", "reduce"), [(10_000, False), (-1, True)], indirect=["interrupted_soon"])
def test_an_interrupted_search_is_not_decided(interrupted_soon: None, reduce: bool) -> None:
    verdict = explore(LARGE, "stale", reduce=reduce)
    assert (verdict.outcome, verdict.why) == (Outcome.UNDECIDED, INTERRUPTED)


def test_states_that_do_not_fit_into_a_word_are_not_decided() -> None:
    sites = frozenset((1, 2, 3))
    wide = Scenario("wide", PROTOCOLS["breakpoint"], "breakpoint", places=(61, 61, 61), nmi_sites=sites, cpus=8)
    assert explore(wide, "stale").any_number_of_cpus
    verdict = explore(wide, "stale", reduce=False)
    assert verdict.outcome == Outcome.UNDECIDED
    assert re.fullmatch(r"8 CPUs of [\d,]+ states and \d+ positions of the patcher do not fit into 64 bits", verdict.why)
