# SPDX-License-Identifier: GPL-2.0-only
"""The random search finds nothing that the exhaustive one does not find, and nothing earlier."""

from __future__ import annotations

from pathlib import Path

import pytest

import emu.race
from emu.race.generator import numbered
from emu.race.limits import INTERRUPTED, Limits
from emu.race.model import STUCK, explore, random_search
from emu.race.model.random_search import random_search as search
from emu.race.model.replay import replay
from emu.race.scenario import scenario_file
from emu.race.scenario.scenario import Scenario, Wrong
from emu.race.scenario.scenario_file import parse
from emu.race.schedule.verdict import Outcome
from tests.race.conftest import Clock

CORPUS = Path(emu.race.__file__).parent / "corpus"
BROKEN = sorted(path for path in CORPUS.glob("*.race") if not path.stem.endswith("-fixed"))
SAFE = parse("scenario safe\nplace 5\nprotocol breakpoint\nfetch torn8\n")
HASTY = parse("scenario hasty\nplace 5\nprotocol flush\nfetch torn8\n")
FEW = Limits(states=5_000)


def agree(scenario: Scenario, fetch: str, seed: int) -> Wrong | None:
    """Compares both searches. Returns what the random one found."""
    found, everything = search(scenario, fetch, seed, FEW), explore(scenario, fetch)
    if found.wrong is None:
        assert (found.outcome, found.moves, found.schedule) == (Outcome.UNDECIDED, FEW.states, ())
        return None
    again = replay(found.schedule, scenario, fetch)
    assert (found.outcome, found.wrong, found.why, found.schedule) == (again.outcome, again.wrong, again.why, again.schedule)
    assert everything.outcome is Outcome.UNSAFE
    assert len(found.schedule) <= found.moves
    if found.wrong is not Wrong.STUCK:
        assert everything.wrong is not Wrong.STUCK and len(everything.schedule) <= len(found.schedule)
    return found.wrong


def test_generated_scenarios() -> None:
    scenarios = [numbered(3, number) for number in range(1, 51)]
    found = {agree(scenario, scenario.models[n % len(scenario.models)], n) for n, scenario in enumerate(scenarios)}
    assert found >= {None, Wrong.TORN, Wrong.LATE, Wrong.STUCK, Wrong.BREAKPOINT, Wrong.NESTED}


@pytest.mark.parametrize("path", BROKEN, ids=lambda path: path.stem)
def test_the_corpus(path: Path) -> None:
    scenario = scenario_file.read(path)
    agree(scenario, next(fetch for fetch in scenario.models if scenario.expect[fetch].unsafe), 1)


def test_a_seed_always_finds_the_same() -> None:
    assert search(HASTY, "torn8", 1) == search(HASTY, "torn8", 1)
    assert len({search(HASTY, "torn8", seed).schedule for seed in range(10)}) > 1


def test_it_never_says_safe() -> None:
    verdict = search(SAFE, "torn8", 0, Limits(states=1000))
    assert (verdict.outcome, verdict.moves) == (Outcome.UNDECIDED, 1000)
    assert verdict.why == "the limit of 1,000 events was reached"


def test_a_limit_of_time(clock: Clock) -> None:
    verdict = search(SAFE, "torn8", 0, Limits(states=None, seconds=200))
    assert (verdict.outcome, verdict.why) == (Outcome.UNDECIDED, "the limit of 200 s was reached")


def test_an_interrupt_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(random_search, "Tables", interrupted)
    assert search(SAFE, "torn8").why == INTERRUPTED


def test_a_protocol_that_does_not_end() -> None:
    parked = "scenario parked\nprotocol\n park\n park\nfetch torn8\n"
    verdict = search(parse(parked), "torn8")
    assert (verdict.wrong, verdict.why) == (Wrong.STUCK, STUCK)
    assert [event.what for event in verdict.schedule if event.agent < 0] == ["park", "park"] and verdict.schedule[-1].agent < 0
    never = search(parse(parked + "never torn\n"), "torn8", 0, Limits(states=1000))
    assert never.outcome is Outcome.UNDECIDED


def test_something_else_wrong_behind_the_end_of_such_a_protocol_comes_first() -> None:
    scenario = parse("scenario both\nprotocol\n write head breakpoint\n release\nhandler die\nfetch torn8\n")
    assert {search(scenario, "torn8", seed).wrong for seed in range(10)} == {Wrong.BREAKPOINT}
