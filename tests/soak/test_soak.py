# SPDX-License-Identifier: GPL-2.0-only
"""A part of `make soak`: everything at once, damaged programs, interpreters and modules. Others: test_soak_*.py."""

from __future__ import annotations

import pytest

from tests.lib.disks import needs_e2fsprogs
from tests.soak import FUZZED, FUZZERS, INSTRUCTIONS
from tests.soak.stress import stress

PART = 0.04

pytestmark = pytest.mark.long("the suite has one architecture's", but="x86_64")


@needs_e2fsprogs
def test_everything_at_once_is_right_and_leaves_nothing(arch: str) -> None:
    outcome = stress(arch, int(INSTRUCTIONS * PART), seed=0)
    assert outcome.entries > 5_000
    assert outcome.left == {}


@pytest.mark.parametrize("numbers", FUZZERS["programs"].pieces(FUZZED), ids=str)
def test_damaged_programs(arch: str, numbers: range) -> None:
    FUZZERS["programs"].check(arch, numbers)


@pytest.mark.parametrize("numbers", FUZZERS["interpreters"].pieces(FUZZED), ids=str)
def test_damaged_interpreters(arch: str, numbers: range) -> None:
    FUZZERS["interpreters"].check(arch, numbers)


@pytest.mark.parametrize("numbers", FUZZERS["modules"].pieces(FUZZED), ids=str)
def test_damaged_modules(arch: str, numbers: range) -> None:
    FUZZERS["modules"].check(arch, numbers)


@pytest.mark.parametrize("numbers", FUZZERS["event_modules"].pieces(FUZZED), ids=str)
def test_damaged_modules_with_events(arch: str, numbers: range) -> None:
    FUZZERS["event_modules"].check(arch, numbers)
