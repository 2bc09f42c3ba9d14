# SPDX-License-Identifier: GPL-2.0-only
"""The schedules of the corpus: each is a shortest one, and has the stated result on the model and on the guest."""

from __future__ import annotations

from pathlib import Path

import pytest

import emu.race
from emu.architectures import ARCHITECTURES
from emu.race import model
from emu.race.api import replay as machine_replay
from emu.race.model.replay import replay as model_replay
from emu.race.schedule import schedule

SCHEDULES = sorted((Path(emu.race.__file__).parent / "corpus").glob("*.schedule"))


def test_there_are_schedules_of_each_architecture_and_of_each_kind() -> None:
    found = [schedule.read(path) for path in SCHEDULES]
    assert {one.scenario.arch for one in found} == set(ARCHITECTURES)
    assert {str(one.wrong) for one in found} == {"torn", "half", "late", "unknown-breakpoint", "stuck"}


@pytest.mark.parametrize("path", SCHEDULES, ids=lambda path: path.stem)
def test_a_schedule_of_the_corpus(path: Path) -> None:
    recorded = schedule.read(path)
    assert path.read_text() == schedule.text_of(recorded)
    assert recorded.scenario.name == path.stem and recorded.scenario.about
    on_model = model_replay(recorded.events, recorded.scenario, recorded.fetch)
    assert (on_model.wrong, on_model.why, on_model.schedule) == (recorded.wrong, recorded.why, recorded.events)
    assert len(model.explore(recorded.scenario, recorded.fetch).schedule) == len(recorded.events)
    assert machine_replay(recorded).wrong is recorded.wrong
