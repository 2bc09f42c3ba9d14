# SPDX-License-Identifier: GPL-2.0-only
"""What programs must not do ends them as on Linux, and nothing else."""

from __future__ import annotations

import signal

import pytest

from emu.machine import Machine
from tests.lib.arches import FACTS


@pytest.mark.parametrize(
    ("command", "number"),
    [
        ("fault segv", signal.SIGSEGV),
        ("fault kernel", signal.SIGSEGV),
        ("fault stack 10000", signal.SIGSEGV),
        ("fault stack fffffffffffff000", signal.SIGSEGV),
        ("fault ud", signal.SIGILL),
        ("fault div0", signal.SIGFPE),
    ],
)
def test_a_fault_is_a_signal(machine: Machine, command: str, number: int) -> None:
    assert machine.run(command).status == 128 + number
    assert machine.run("echo alive").output == b"alive\n"


@pytest.mark.parametrize("what", ["priv", "hostcall"])
def test_what_only_the_kernel_may_do_kills_a_program(arch: str, machine: Machine, what: str) -> None:
    assert machine.run(f"fault {what}").status == FACTS[arch].forbidden
    assert machine.run("echo alive").output == b"alive\n"


def test_a_stack_pointer_that_points_nowhere_is_the_programs_own_business(machine: Machine) -> None:
    done = machine.run("nostack 10001; nostack fffffffffffff000")
    assert (done.status, done.output) == (0, b"")
