# SPDX-License-Identifier: GPL-2.0-only
"""A machine that tests share: one test leaves nothing behind for the next one."""

from __future__ import annotations

import pytest

from emu.machine import GuestPanic, Machine
from tests.lib.booted_machine import booted_machine
from tests.lib.busy_machine import digest
from tests.lib.witness import Witness

_MEMORY = 32 << 20


def test_it_is_used_again_and_is_as_after_its_boot(arch: str) -> None:
    with booted_machine(arch, cpus=1, memory=_MEMORY) as first:
        booted = digest(first)
        watching = Witness(first)
        watching.on = True
        first.tracefs.write("current_tracer", "function")
        first.run("echo it was here > /file")
        seen = len(watching.entries(0))
        assert seen > 100 and digest(first) != booted
    with booted_machine(arch, cpus=1, memory=_MEMORY) as second:
        assert second is first and digest(second) == booted
        assert second.run("cat /file").status == 1
        assert len(watching.entries(0)) == seen
    with Machine(arch=arch, cpus=1, memory=_MEMORY) as machine:
        assert digest(machine) == booted


def test_one_that_has_panicked_is_put_back_too(arch: str) -> None:
    with booted_machine(arch, cpus=1) as first, pytest.raises(GuestPanic):
        first.run("echo c > /proc/sysrq-trigger")
    with booted_machine(arch, cpus=1) as second:
        assert second is first
        assert second.run("echo alive").output == b"alive\n" and second.warnings == []


def test_nobody_gets_one_that_is_in_use_or_other(arch: str) -> None:
    with booted_machine(arch, cpus=1) as one, booted_machine(arch, cpus=1) as another, booted_machine(arch, cpus=2) as larger:
        assert one is not another and [len(machine.cpus) for machine in (one, another, larger)] == [1, 1, 2]


def test_nobody_gets_that_of_a_test_that_has_failed(arch: str) -> None:
    with pytest.raises(AssertionError), booted_machine(arch, cpus=1) as first:
        raise AssertionError
    with pytest.raises(ValueError, match="closed"):
        first.run("true")
    with booted_machine(arch, cpus=1) as second:
        assert second is not first
