# SPDX-License-Identifier: GPL-2.0-only
"""A part of the random writes to tracefs of `make soak`."""

from __future__ import annotations

import pytest

from tests.soak import FUZZED, FUZZERS

pytestmark = pytest.mark.long("the suite has one architecture's", but="sparc64")


@pytest.mark.parametrize("numbers", FUZZERS["tracefs"].pieces(FUZZED), ids=str)
def test_random_writes_to_tracefs(arch: str, numbers: range) -> None:
    FUZZERS["tracefs"].check(arch, numbers)
