# SPDX-License-Identifier: GPL-2.0-only
"""A part of the kprobes of `make soak`."""

from __future__ import annotations

import pytest

from tests.soak import PROBED_AT_ONCE, PROBED_FUNCTIONS, SUITE
from tests.soak.probes import every_instruction, many_at_once

pytestmark = pytest.mark.long("the suite has one architecture's", but="x86_64")


def test_every_instruction_of_functions_is_probed(arch: str) -> None:
    done = every_instruction(arch, range(int(PROBED_FUNCTIONS * SUITE)), seed=0)
    assert done.probes > 1_000 and done.hits > 2_000


def test_many_probes_come_and_go(arch: str) -> None:
    done = many_at_once(arch, PROBED_AT_ONCE, 2, seed=0)
    assert done.hits > 500
