# SPDX-License-Identifier: GPL-2.0-only
"""A part of the replays of `make soak`: errors of protocols without a stage, or with two swapped."""

from __future__ import annotations

import pytest

from tests.soak import SUITE
from tests.soak.mutants import replay

pytestmark = pytest.mark.long("the suite has one architecture's", but="sparc64")

# stop_machine itself; on SPARC V9 one of its mutants is safe; on RISC-V, by the manual alone, each protocol itself, too
_UNSAFE_PROTOCOLS = {"x86_64": 18 + 6 + 1, "sparc64": 3 + 5, "riscv64": 4 + 7 + 15}


def test_what_goes_wrong_on_the_model_goes_wrong_on_the_guest(arch: str) -> None:
    outcome = replay(arch, SUITE, seed=0)
    assert outcome.protocols == _UNSAFE_PROTOCOLS[arch]
    assert outcome.schedules > outcome.protocols
