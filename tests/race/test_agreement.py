# SPDX-License-Identifier: GPL-2.0-only
"""The model and the machine agree. benchmarks/race.py compares them for all cases, these tests for every fifth."""

from __future__ import annotations

from collections import Counter

import pytest

from emu.architectures import ARCHITECTURES
from emu.race import model
from emu.race.agreement import Case, cases, disagreement
from emu.race.scenario.change import Change

_CASES = cases()


@pytest.mark.parametrize("case", _CASES[::5], ids=lambda case: f"{case.scenario.name}-{case.fetch}")
def test_the_model_and_the_machine_agree(case: Case) -> None:
    assert disagreement(case) == ""


def test_the_cases_are_many_and_of_all_kinds() -> None:
    assert len(_CASES) >= 60
    assert {case.scenario.arch for case in _CASES} == set(ARCHITECTURES)
    assert len({case.scenario.handler for case in _CASES}) == 4
    assert {case.scenario.change for case in _CASES} == set(Change)
    wrongs = Counter(model.explore(*case).wrong for case in _CASES)
    assert len(wrongs) >= 6, wrongs
    assert min(wrongs[None], sum(wrongs.values()) - wrongs[None]) >= 20, wrongs
