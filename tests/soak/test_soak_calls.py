# SPDX-License-Identifier: GPL-2.0-only
"""A part of the random system calls of `make soak`."""

from __future__ import annotations

import pytest

from tests.lib.disks import needs_e2fsprogs
from tests.soak import FUZZED, FUZZERS

pytestmark = pytest.mark.long("the suite has one architecture's", but="sparc64")


@needs_e2fsprogs
@pytest.mark.parametrize("numbers", FUZZERS["syscalls"].pieces(FUZZED), ids=str)
def test_random_system_calls(arch: str, numbers: range) -> None:
    FUZZERS["syscalls"].check(arch, numbers)
