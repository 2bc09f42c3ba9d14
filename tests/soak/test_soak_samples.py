# SPDX-License-Identifier: GPL-2.0-only
"""A part of the changes of Linux's sample modules of `make soak`."""

from __future__ import annotations

import pytest

from tests.soak import SAMPLES, SUITE
from tests.soak.samples import load

pytestmark = pytest.mark.long("the suite has one architecture's", but="sparc64")


def test_samples_come_and_go_under_load(arch: str) -> None:
    outcome = load(arch, int(SAMPLES * SUITE), seed=3)
    assert outcome.modules >= 5 and outcome.wrote >= 4
