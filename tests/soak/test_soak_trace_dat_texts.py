# SPDX-License-Identifier: GPL-2.0-only
"""A part of `make soak`: trace.dat files with wrong texts, which are passed to all commands that read files."""

from __future__ import annotations

import pytest

from tests.soak import FUZZERS

SUITE = 0.001  # two files of each byte order


@pytest.mark.parametrize("numbers", FUZZERS["trace_dat_texts"].pieces(SUITE), ids=str)
def test_trace_files_with_wrong_texts(arch: str, numbers: range) -> None:
    FUZZERS["trace_dat_texts"].check(arch, numbers)
