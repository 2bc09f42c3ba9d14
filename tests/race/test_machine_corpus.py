# SPDX-License-Identifier: GPL-2.0-only
"""The historical bugs of code patching, and their fixes, on the guest. Each uses one of its fetch models, in rotation."""

from __future__ import annotations

from pathlib import Path

import pytest

import emu.race
from emu.race import machine
from emu.race.scenario import scenario_file
from emu.race.scenario.scenario import Scenario

_FILES = sorted((Path(emu.race.__file__).parent / "corpus").glob("*.race"))
_SCENARIOS = [scenario for scenario in map(scenario_file.read, _FILES) if machine.unsupported(scenario) is None]


@pytest.mark.parametrize("scenario", _SCENARIOS, ids=lambda scenario: scenario.name)
def test_history_repeats_itself(scenario: Scenario) -> None:
    fetch = scenario.models[_SCENARIOS.index(scenario) % len(scenario.models)]
    found = machine.explore(scenario, fetch)
    assert found.ok, (fetch, found.why)


def test_there_is_much_to_repeat() -> None:
    assert len(_SCENARIOS) >= 18
    assert len({scenario.name.removesuffix("-fixed") for scenario in _SCENARIOS}) >= 9
