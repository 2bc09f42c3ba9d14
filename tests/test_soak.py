# SPDX-License-Identifier: GPL-2.0-only
"""A tenth of the stress run of `make soak`. A tenth of its fuzzing is in test_elf_fuzz, test_ext2 and test_syscall_fuzz."""

from __future__ import annotations

import pytest

from tests.disks import available
from tests.soak import INSTRUCTIONS
from tests.soak.stress import stress


@pytest.mark.skipif(not available(), reason="no mke2fs on this host")
def test_everything_at_once_is_right_and_leaves_nothing(arch: str) -> None:
    outcome = stress(arch, INSTRUCTIONS // 10, seed=0)
    assert outcome.entries > 5_000
    assert outcome.left == {}
