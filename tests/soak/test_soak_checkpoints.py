# SPDX-License-Identifier: GPL-2.0-only
"""A part of the checkpoints of `make soak`."""

from __future__ import annotations

import pytest

from tests.soak import INSTANTS, SUITE
from tests.soak.checkpoints import go_back

pytestmark = pytest.mark.long("the suite has one architecture's", but="sparc64")


def test_from_each_instant_the_rest_is_the_same(arch: str) -> None:
    outcome = go_back(arch, int(INSTANTS * SUITE), seed=0)
    assert outcome.patching > 0
