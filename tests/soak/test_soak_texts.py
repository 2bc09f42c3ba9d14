# SPDX-License-Identifier: GPL-2.0-only
"""A part of `make soak`: damaged text files of the race lab."""

from __future__ import annotations

import pytest

from tests.soak import FUZZED, FUZZERS


@pytest.mark.parametrize("numbers", FUZZERS["scenarios"].pieces(FUZZED), ids=str)
def test_damaged_scenarios(arch: str, numbers: range) -> None:
    FUZZERS["scenarios"].check(arch, numbers)


@pytest.mark.parametrize("numbers", FUZZERS["schedules"].pieces(FUZZED), ids=str)
def test_damaged_schedules(arch: str, numbers: range) -> None:
    FUZZERS["schedules"].check(arch, numbers)
