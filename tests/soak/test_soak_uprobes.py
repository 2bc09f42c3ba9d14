# SPDX-License-Identifier: GPL-2.0-only
"""A part of the probed programs of `make soak`."""

from __future__ import annotations

from tests.soak import PROBED_PROGRAMS, SUITE
from tests.soak.uprobes import probe


def test_programs_are_probed_as_they_run(arch: str) -> None:
    outcome = probe(arch, int(PROBED_PROGRAMS * SUITE), seed=0)
    assert outcome.probes == 100 * PROBED_PROGRAMS * SUITE
    assert outcome.hits > 1_000
