# SPDX-License-Identifier: GPL-2.0-only
"""A part of the changes of tracers of `make soak`."""

from __future__ import annotations

import pytest

from tests.soak import SUITE, TRACERS
from tests.soak.tracers import switch

pytestmark = pytest.mark.long("the suite has one architecture's", but="x86_64")


def test_tracers_are_switched_under_load(arch: str) -> None:
    outcome = switch(arch, int(TRACERS * SUITE), seed=1)
    assert outcome.tracers >= 14
    assert outcome.lines > 1_000
    assert outcome.latencies > 5
