# SPDX-License-Identifier: GPL-2.0-only
"""A tenth of the damaged file systems of `make soak`."""

from __future__ import annotations

import pytest

from tests.lib import disks
from tests.soak import FUZZERS, SUITE


@pytest.mark.skipif(not disks.available(), reason="no e2fsprogs on this host")
@pytest.mark.parametrize("numbers", FUZZERS["ext2"].pieces(SUITE), ids=str)
def test_damaged_file_systems(arch: str, numbers: range) -> None:
    FUZZERS["ext2"].check(arch, numbers)
