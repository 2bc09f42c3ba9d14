# SPDX-License-Identifier: GPL-2.0-only
"""Forbidden operations of programs have the same effects as on Linux, and no others."""

from __future__ import annotations

import re
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
        ("fault sleep 10000", signal.SIGSEGV),
        ("fault sleep fffffffffffff000", signal.SIGSEGV),
        ("fault sleep 400200", signal.SIGSEGV),  # its own code, which is read-only
        ("fault ud", signal.SIGILL),
        ("fault div0", signal.SIGFPE),
    ],
)
def test_a_fault_is_a_signal(arch: str, machine: Machine, command: str, number: int) -> None:
    if command == "fault div0" and not FACTS[arch].traps_division:
        pytest.skip("a division by zero has a result")
    assert machine.run(command).status == 128 + number
    assert machine.run("echo alive").output == b"alive\n"


def test_the_console_names_an_instruction_that_there_is_not(arch: str, machine: Machine) -> None:
    what, instruction = {
        "x86_64": ("invalid opcode", "ud2"),
        "sparc64": ("illegal instruction", "unimp 0"),
        "riscv64": ("illegal instruction", "c.unimp"),
    }[arch]
    said = re.fullmatch(
        r"\[ *\d+\.\d{6}\] traps: fault\[\d+\] trap ([a-z ]+) ip:([0-9a-f]+) sp:[0-9a-f]+ error:[0-9a-f]+ "
        r"in fault\[([0-9a-f]+)\+([0-9a-f]+)\]: (.+)\nIllegal instruction\n",
        machine.run("fault ud").output.decode(),
    )
    assert said is not None
    ip, start, size = (int(said[n], 16) for n in (2, 3, 4))
    assert (said[1], said[5], start <= ip < start + size) == (what, instruction, True)


@pytest.mark.parametrize("what", ["priv", "hostcall"])
def test_what_only_the_kernel_may_do_kills_a_program(arch: str, machine: Machine, what: str) -> None:
    assert machine.run(f"fault {what}").status == FACTS[arch].forbidden
    assert machine.run("echo alive").output == b"alive\n"


def test_a_stack_pointer_that_points_nowhere_is_the_programs_own_business(machine: Machine) -> None:
    done = machine.run("nostack 10001; nostack fffffffffffff000")
    assert (done.status, done.output) == (0, b"")
