# SPDX-License-Identifier: GPL-2.0-only
"""Random system calls: a small number of them; `python -m tests.fuzz.syscalls` makes more."""

from __future__ import annotations

import pytest

from tests.fuzz.syscalls import run


@pytest.mark.parametrize("seed", [1, 2])
def test_random_system_calls_harm_nobody(arch: str, seed: int) -> None:
    assert run(4000, seed, arch).startswith("4000 calls of ")
