# SPDX-License-Identifier: GPL-2.0-only
"""Causes: what is wrong for the same reason has the same one, and other things have others."""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from pathlib import Path

import pytest

import emu.race
from emu.race import api
from emu.race.cause import cause
from emu.race.generator import numbered
from emu.race.model import explore
from emu.race.model.random_search import random_search
from emu.race.scenario import scenario_file
from emu.race.scenario.scenario import Scenario, Wrong
from emu.race.scenario.scenario_file import parse
from emu.race.schedule.verdict import Outcome, Verdict

CORPUS = Path(emu.race.__file__).parent / "corpus"


def causes(scenario: Scenario) -> set[str]:
    """Those under each fetch model."""
    return {cause(explore(scenario, fetch)) for fetch in scenario.models} - {""}


@pytest.fixture(scope="module")
def mutants() -> dict[str, set[str]]:
    """The causes of each mutant of `breakpoint`, at all places, under some fetch models."""
    found = defaultdict(set)
    for scenario in api.cases("breakpoint", "x86_64", "coherent,torn1,translation", 1, 1, mutants=True)[::2]:  # without NMIs
        found[scenario.protocol_text.removeprefix("breakpoint").strip()] |= causes(scenario)
    return found


def test_what_each_stage_of_breakpoint_is_for(mutants: dict[str, set[str]]) -> None:
    assert {stages: of for stages, of in mutants.items() if "without" in stages} == {
        "without 1": {"torn from old: write tail new; fetch"},
        "without 2": {"torn from old: write head breakpoint; write tail new; fetch"},
        "without 3": {"torn from breakpoint+old: write head new; fetch", "late from old: done; fetch"},  # late: from call to call
        "without 4": {"torn from breakpoint+old: write tail new; write head new; fetch"},
        "without 5": {"unknown-breakpoint from breakpoint+new: fetch; done; handle"},
        "without 6": {"unknown-breakpoint from breakpoint+new: fetch; write head new; done; handle"},
    }


def test_two_mutants_with_the_same_bug_have_the_same_cause(mutants: dict[str, set[str]]) -> None:
    assert mutants["without 2"] == mutants["swap 1 2"] == mutants["swap 2 3"]
    assert mutants["without 4"] == mutants["swap 3 4"] == mutants["swap 4 5"]
    assert mutants["without 6"] == mutants["swap 5 6"]
    assert len(set().union(*mutants.values())) == 14
    assert mutants[""] == set()


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("2005-breakpoint-gone", {"unknown-breakpoint from breakpoint+new: fetch; write head new; done; handle"}),
        ("2008-two-nops", {"torn from old: fetch; park; write all new; release; fetch"}),
        ("2009-nmi-in-stop-machine", {"torn from old: park; nmi; write all new; fetch"}),
        ("2010-third-synchronisation", {"unknown-breakpoint from breakpoint+new: fetch; write head new; done; handle"}),
        ("2012-one-store", {"torn from old: write all new; fetch"}),
        ("2012-tail-first", {"torn from old: write tail new; fetch"}),
        ("2014-trampoline-freed", {
            "freed from old: fetch; write head breakpoint; sync; write tail new; sync; write head new; sync; free"
        }),
        ("2019-breakpoint-as-nop", {"skipped from old: write head breakpoint; fetch; handle"}),
        ("2023-stale-translation", {"unknown-breakpoint from breakpoint+new: write head new; sync; fetch; done; handle"}),
        ("2025-vector-of-sites", {"unknown-breakpoint from old: write head breakpoint; fetch; handle"}),
        ("rule-crossing-store", {"torn from old: write all new; fetch"}),
        ("rule-handler-site", {"nested-breakpoint from old: write head breakpoint 1; fetch 1; write head breakpoint 2; fetch 2"}),
        ("rule-nmi-while-undoing", {"torn from breakpoint+new: park; nmi; write tail old; write head old; fetch"}),
        ("rule-word-store", {"late from old: write all new; done; fetch"}),
    ],
)  # fmt: skip
def test_the_corpus(name: str, expected: set[str]) -> None:
    assert causes(scenario_file.read(CORPUS / f"{name}.race")) == expected


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        ("park; sync", "stuck: sync while CPUs are parked"),
        ("park; park", "stuck: park while CPUs are parked"),
        ("park; wait-tasks", "stuck: wait-tasks while CPUs are parked"),
        ("park; write all new", "stuck: CPUs are parked at the end"),
        ("sync; release", "stuck: release while no CPU is parked"),
    ],
)
def test_what_a_protocol_waits_for_in_vain(steps: str, expected: str) -> None:
    text = "scenario stuck\nprotocol\n  " + steps.replace("; ", "\n  ")
    assert cause(explore(parse(text), "translation")) == expected


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        # What was before the last synchronisation, at other sites, or changes nothing, does not matter.
        ("sync; write tail old; sync; write all new; sync", "torn from old: write all new; fetch"),
        ("write +1..4 new; write +0 new", "torn from old: write tail new; fetch"),
        ("write +2 new", "torn from old: write part new; fetch"),
        ("write +2 77", "torn from old: write part other; fetch"),
        ("write all 90 90 90 90 90; sync", "torn from old: write all other; fetch"),
        ("write head breakpoint; forget; sync", "unknown-breakpoint from old: write head breakpoint; fetch; forget; handle"),
        ("write head breakpoint; sync; forget; sync", "unknown-breakpoint from breakpoint+old: fetch; forget; handle"),
    ],
)
def test_words(lines: str, expected: str) -> None:
    text = "scenario words\nplace 5 13\nfetch torn8\nprotocol\n  "
    assert causes(parse(text + lines.replace("; ", "\n  ") + "\n")) == {expected}


def test_it_does_not_depend_on_the_search_or_the_cpus() -> None:
    compared = 0
    for scenario in (numbered(3, number) for number in range(1, 16)):
        by_chance = random_search(scenario, "torn8", 1, emu.race.Limits(states=2000))
        for one in (by_chance, explore(dataclasses.replace(scenario, cpus=3), "torn8")):
            exhaustive = explore(scenario, "torn8")
            if one.wrong and one.wrong is exhaustive.wrong:
                assert cause(one) == cause(exhaustive)
                compared += 1
    assert compared > 10


def test_what_is_not_unsafe_has_none() -> None:
    scenario = parse("scenario safe\nprotocol breakpoint\n")
    assert cause(explore(scenario, "torn8")) == ""
    only = Verdict(scenario, "torn8", "machine", Outcome.UNSAFE, Wrong.TORN)
    assert cause(only) == "torn: not on the model"
