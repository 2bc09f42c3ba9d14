# SPDX-License-Identifier: GPL-2.0-only
"""A search that ends early says so, and never that something is safe."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from emu.ftrace.patching import PROTOCOLS, Patch, Write
from emu.race.limits import INTERRUPTED, Limits
from emu.race.model import automaton_of, explore
from emu.race.model.native_search import native_search
from emu.race.model.search import Found, search
from emu.race.model.tables import Tables
from emu.race.scenario import Scenario
from emu.race.verdict import Outcome

LARGE = Scenario(  # 2,656,121 states: about a second
    "large", PROTOCOLS["breakpoint"], "breakpoint", places=(61, 13), nmi_sites=frozenset((1, 2)), cpus=3
)


def test_a_limit_of_states() -> None:
    verdict = explore(LARGE, "stale", Limits(states=10_000))
    assert (verdict.outcome, verdict.ok) == (Outcome.UNDECIDED, False)
    assert verdict.why == "the limit of 10,000 states was reached"
    assert 10_000 <= verdict.states < 10_100
    assert verdict.schedule == () and verdict.wrong is None
    assert verdict.coverage["states of a CPU"][0] < verdict.coverage["states of a CPU"][1]


def test_a_limit_of_time() -> None:
    began = time.monotonic()
    verdict = explore(LARGE, "stale", Limits(seconds=0.1))
    assert verdict.why == "the limit of 0.1 s was reached" and verdict.outcome is Outcome.UNDECIDED
    assert time.monotonic() - began < 1


def test_a_limit_of_time_holds_where_one_cpu_may_see_very_much() -> None:
    def noise(patches: Sequence[Patch], breakpoint: bytes) -> list[Write]:
        return [Write(patch.address, patch.old, bytes([n] * 5)) for patch in patches for n in range(1, 9)]

    began = time.monotonic()
    many = Scenario("many", noise, "noise", never=frozenset(), cpus=1)
    verdict = explore(many, "torn1", Limits(seconds=0.1))
    assert (verdict.outcome, verdict.states) == (Outcome.UNDECIDED, 0) and verdict.why == "the limit of 0.1 s was reached"
    assert time.monotonic() - began < 5


def test_limits_may_be_absent_and_begin_anew_for_each_search() -> None:
    small = Scenario("small", PROTOCOLS["breakpoint"], "breakpoint")
    limits = Limits(states=None, seconds=0.5)
    time.sleep(0.5)
    assert explore(small, "stale", limits).outcome is Outcome.SAFE


def test_what_goes_wrong_below_a_limit_is_found() -> None:
    hasty = Scenario("hasty", PROTOCOLS["flush"], "flush", places=(5,))
    assert explore(hasty, "torn8", Limits(states=10)).outcome is Outcome.UNSAFE


@pytest.fixture
def interrupted_soon() -> Iterator[None]:
    def interrupt(number: int, frame: Any) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("searching", [native_search, search])
def test_an_interrupt_ends_a_search_and_keeps_what_was_found(searching: Any, interrupted_soon: None) -> None:
    began = time.monotonic()
    found: Found = searching(Tables(automaton_of(LARGE, "stale")), 3, Limits())
    assert found.limit == INTERRUPTED and not found.wrong
    assert 1 < found.states < 2_656_121 and found.moves > found.states and found.reached[1]
    assert time.monotonic() - began < 1.5


def test_an_interrupted_search_is_not_decided(interrupted_soon: None) -> None:
    verdict = explore(LARGE, "stale")
    assert (verdict.outcome, verdict.why) == (Outcome.UNDECIDED, INTERRUPTED)


def test_states_that_do_not_fit_into_a_word_are_refused() -> None:
    sites = frozenset((1, 2, 3))
    wide = Scenario("wide", PROTOCOLS["breakpoint"], "breakpoint", places=(61, 61, 61), nmi_sites=sites, cpus=8)
    with pytest.raises(ValueError, match=r"8 CPUs of [\d,]+ states and \d+ positions of the patcher do not fit into 64 bits"):
        explore(wide, "stale")
