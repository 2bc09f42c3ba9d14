# SPDX-License-Identifier: GPL-2.0-only
"""A part of the replaced functions of `make soak`."""

from __future__ import annotations

from tests.soak import PATCHES, SUITE
from tests.soak.patches import replace


def test_functions_are_replaced_under_load(arch: str) -> None:
    outcome = replace(arch, int(PATCHES * SUITE), seed=0)
    assert outcome.replaced > 40
    assert outcome.waits > 3
