# SPDX-License-Identifier: GPL-2.0-only
"""The rows of the corpus: each has a story, a mutant, an exact number of events, and a remedy that is safe."""

from __future__ import annotations

import dataclasses
import re

import pytest

from emu.race.corpus_rows import Row, row_of, rows
from emu.race.model import explore
from emu.race.schedule.verdict import Outcome
from tests.documents.sessions import ROOT
from tests.race import plain_model

ROWS = rows()
OF_PLAIN_STATES = 3_000


def test_there_are_all_that_the_lab_can_say() -> None:
    assert len(ROWS) >= 40 and sum(row.name[:2] == "20" for row in ROWS) >= 24


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_a_row_is_whole(row: Row) -> None:
    assert row.scenario.name == row.name and row.fixed.name == f"{row.name}-fixed"
    assert row.scenario.about and row.fixed.about
    assert any(line.startswith("Mutant") for line in row.story)
    unsafe = [expected for expected in row.scenario.expect.values() if expected.unsafe]
    assert unsafe and all(expected.wrong and expected.events for expected in unsafe)
    assert not any(expected.unsafe for expected in row.fixed.expect.values())


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_the_plain_model_finds_the_same(row: Row) -> None:
    """Of one fetch model for each kind of wrong, and of the remedy."""
    kinds = {(expected.wrong, expected.events): fetch for fetch, expected in row.scenario.expect.items() if expected.unsafe}
    for (wrong, events), fetch in kinds.items():
        try:
            found = plain_model.search(row.scenario, fetch, row.scenario.cpus, OF_PLAIN_STATES)
        except plain_model.TooLarge:
            continue
        assert wrong in found.wrong and found.events in (events, -1)
    assert plain_model.search(row.fixed, row.fixed.models[0], 1).events == 0


def test_a_row_is_found_by_the_beginning_of_its_name() -> None:
    assert row_of("2008-t").name == "2008-two-nops"
    for name, said in (("2008", "several rows: 2008-stale-record, 2008-two-nops"), ("nops", "no row 'nops'")):
        with pytest.raises(ValueError, match=said):
            row_of(name)


def test_an_expected_number_of_events_is_compared() -> None:
    row = row_of("2012-one-store")
    assert explore(row.scenario, "coherent").ok
    longer = row.scenario.expect["coherent"].__class__(True, events=3)
    assert not explore(row.scenario.__class__(**{**vars(row.scenario), "expect": {"coherent": longer}}), "coherent").ok


def course() -> list[str]:
    """The rows of the course in docs/race-lab.md."""
    text = (ROOT / "docs/race-lab.md").read_text(encoding="utf-8")
    section = text[text.index("## A course in ten rows") :].split("\n## ")[0]
    return re.findall(r"^\| `([\w-]+)` \|", section, re.MULTILINE)


def test_the_course_has_ten_rows() -> None:
    assert len(course()) == len(set(course())) == 10


@pytest.mark.parametrize("name", course())
def test_an_exercise_of_the_course_has_an_answer(name: str) -> None:
    """Its protocol alone is the remedy, with the words of the question."""
    row = row_of(name)
    answer = dataclasses.replace(row.scenario, protocol=row.fixed.protocol, protocol_text=row.fixed.protocol_text, expect={})
    assert row.changed(answer) == [] and row.changed(dataclasses.replace(answer, never=frozenset())) == ["never"]
    assert all(explore(answer, fetch).outcome is Outcome.SAFE for fetch in row.fixed.models)
