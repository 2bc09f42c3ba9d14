# SPDX-License-Identifier: GPL-2.0-only
"""A part of `make soak`: files trace.dat with wrong texts, which go through all commands that read files."""

from __future__ import annotations

import pytest

from tests.soak import FUZZERS

SUITE = 0.001  # two files of each byte order


@pytest.mark.parametrize("numbers", FUZZERS["trace_dat_texts"].pieces(SUITE), ids=str)
def test_trace_files_with_wrong_texts(arch: str, numbers: range) -> None:
    FUZZERS["trace_dat_texts"].check(arch, numbers)
