# SPDX-License-Identifier: GPL-2.0-only
"""How the timing model of a test's machines is chosen."""

from __future__ import annotations

import pytest

from emu.machine import Machine
from tests.lib.booted_machine import booted_machine
from tests.lib.timing_models import SAMPLED, sampled, timing_of


def test_machines_have_the_model_of_the_test(request: pytest.FixtureRequest) -> None:
    with Machine(cpus=1) as machine, booted_machine("x86_64", cpus=1) as other:
        assert {made.board.timing_model.timing for made in (machine, other)} == {timing_of(request.node)}


@pytest.mark.static_timing("that is what the mark does")
def test_the_mark_means_static() -> None:
    with booted_machine("x86_64", cpus=1) as machine:
        assert machine.board.timing_model.timing == "static"


@pytest.mark.default_timing("that is what the mark does")
def test_the_other_mark_means_what_users_have() -> None:
    with booted_machine("x86_64", cpus=1) as machine:
        assert machine.board.timing_model.timing == "pipeline"


def test_the_sample_runs_once_more(request: pytest.FixtureRequest) -> None:
    tests = [item for item in request.session.items if isinstance(item, pytest.Function)]
    plain = [item for item in tests if not item.originalname.endswith(tuple(f"@{timing}" for timing in SAMPLED))]
    if request.config.getoption("--timing") is None:
        assert len(tests) == len(plain) + sum(sampled(item) is not None for item in plain)
    else:
        assert tests == plain
