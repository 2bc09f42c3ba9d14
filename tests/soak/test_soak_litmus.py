# SPDX-License-Identifier: GPL-2.0-only
"""A part of the changed litmus tests of `make soak`."""

from __future__ import annotations

import pytest

from tests.soak import FUZZERS

PART = 0.01  # of fewer none is accepted


@pytest.mark.parametrize("numbers", FUZZERS["litmus"].pieces(PART), ids=str)
def test_changed_litmus_tests(arch: str, numbers: range) -> None:
    FUZZERS["litmus"].check(arch, numbers)
