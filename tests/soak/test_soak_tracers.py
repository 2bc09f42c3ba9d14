# SPDX-License-Identifier: GPL-2.0-only
"""A tenth of what `make soak` does with tracers."""

from __future__ import annotations

from tests.soak import SUITE, TRACERS
from tests.soak.tracers import switch


def test_tracers_are_switched_under_load(arch: str) -> None:
    outcome = switch(arch, int(TRACERS * SUITE), seed=1)
    assert outcome.tracers >= 14
    assert outcome.lines > 1_000
    assert outcome.latencies > 5
