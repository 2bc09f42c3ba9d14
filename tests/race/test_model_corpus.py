# SPDX-License-Identifier: GPL-2.0-only
"""The corpus: each historical bug is found on the model, and its fix is safe."""

from __future__ import annotations

import functools
from pathlib import Path

import pytest

import emu.race
from emu.race.limits import Limits
from emu.race.model import automaton_of, explore
from emu.race.model.native_search import native_search
from emu.race.model.replay import replay
from emu.race.model.search import search
from emu.race.model.tables import Tables
from emu.race.scenario import scenario_file
from emu.race.scenario.scenario import Scenario
from emu.race.schedule.verdict import Outcome, Verdict

CORPUS = sorted((Path(emu.race.__file__).parent / "corpus").glob("*.race"))
LIMITS = Limits(states=10_000)


def scenarios() -> list[Scenario]:
    return [scenario_file.read(path) for path in CORPUS]


@functools.cache
def verdicts(path: Path) -> list[Verdict]:
    scenario = scenario_file.read(path)
    return [explore(scenario, fetch) for fetch in scenario.models]


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.stem)
def test_each_scenario_is_as_it_expects(path: Path) -> None:
    scenario = scenario_file.read(path)
    assert scenario.name == path.stem and scenario.about
    assert set(scenario.expect) == set(scenario.models)
    assert [(v.fetch, v.outcome, v.wrong, v.why) for v in verdicts(path) if not v.ok] == []


def test_what_mended_it_is_safe_under_each_fetch_model() -> None:
    fixed = [path for path in CORPUS if path.stem.endswith("-fixed")]
    assert len(fixed) >= 13
    for path in fixed:
        assert all(verdict.outcome is Outcome.SAFE for verdict in verdicts(path)), path.stem
        broken = path.with_stem(path.stem.removesuffix("-fixed"))
        assert any(verdict.outcome is Outcome.UNSAFE for verdict in verdicts(broken)), path.stem


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.stem)
def test_a_schedule_can_be_followed_and_ends_as_it_says(path: Path) -> None:
    for verdict in verdicts(path):
        if verdict.outcome is Outcome.UNSAFE:
            again = replay(verdict.schedule, verdict.scenario, verdict.fetch)
            assert (again.wrong, again.why, again.schedule) == (verdict.wrong, verdict.why, verdict.schedule)
            before = replay(verdict.schedule[:-1], verdict.scenario, verdict.fetch)
            assert before.outcome is Outcome.UNDECIDED and before.wrong is None


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.stem)
def test_native_code_finds_the_same_as_python(path: Path) -> None:
    scenario = scenario_file.read(path)
    for fetch in scenario.models:
        tables = Tables(automaton_of(scenario, fetch))
        for cpus in (1, 2, 3):
            assert native_search(tables, cpus, LIMITS) == search(tables, cpus, LIMITS)
