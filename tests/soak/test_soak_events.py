# SPDX-License-Identifier: GPL-2.0-only
"""A part of the switching of events and static keys of `make soak`."""

from __future__ import annotations

import pytest

from tests.soak import SUITE, TOGGLES
from tests.soak.toggles import toggle, turn

pytestmark = pytest.mark.long("the suite has one architecture's", but="x86_64")


def test_events_are_switched_at_random(arch: str) -> None:
    outcome = toggle(arch, int(TOGGLES * SUITE), seed=0)
    assert outcome.entries > 10_000 and outcome.kinds > 100


def test_the_same_toggles_record_the_same(arch: str) -> None:
    assert toggle(arch, 20, seed=1) == toggle(arch, 20, seed=1)


def test_keys_are_turned(arch: str) -> None:
    hits = turn(arch, int(TOGGLES * SUITE), seed=0)
    assert hits > 20 if arch == "x86_64" else hits == 0
