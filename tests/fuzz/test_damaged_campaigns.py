# SPDX-License-Identifier: GPL-2.0-only
"""A part of `make soak`: damaged tables and journals of campaigns."""

from __future__ import annotations

import pytest

from tests.soak import FUZZED, FUZZERS


@pytest.mark.parametrize("kind", ["tables", "journals"])
def test_damaged_files_of_campaigns(arch: str, kind: str) -> None:
    for numbers in FUZZERS[kind].pieces(FUZZED):
        FUZZERS[kind].check(arch, numbers)
