# SPDX-License-Identifier: GPL-2.0-only
"""A part of `make soak`: damaged trace.dat files."""

from __future__ import annotations

import pytest

from tests.soak import FUZZERS

pytestmark = pytest.mark.long("the suite has one architecture's", but="x86_64")

SUITE = 0.01  # 100 files of each byte order


@pytest.mark.parametrize("numbers", FUZZERS["trace_dat"].pieces(SUITE), ids=str)
def test_damaged_trace_files(arch: str, numbers: range) -> None:
    FUZZERS["trace_dat"].check(arch, numbers)
