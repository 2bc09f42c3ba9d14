# SPDX-License-Identifier: GPL-2.0-only
"""A part of the damaged file systems of `make soak`."""

from __future__ import annotations

import pytest

from tests.lib.disks import needs_e2fsprogs
from tests.soak import FUZZED, FUZZERS

pytestmark = pytest.mark.long("the suite has one architecture's", but="x86_64")


@needs_e2fsprogs
@pytest.mark.parametrize("numbers", FUZZERS["ext2"].pieces(FUZZED), ids=str)
def test_damaged_file_systems(arch: str, numbers: range) -> None:
    FUZZERS["ext2"].check(arch, numbers)
