# SPDX-License-Identifier: GPL-2.0-only
"""Programs start, run on all CPUs, and end with the right status and output."""

from __future__ import annotations

import re

import pytest

from emu.machine import Machine
from tests.lib.booted_machine import booted_machine

PIPELINE = "ls /bin | sed s/[aeiou]/z/g"


def test_the_pipeline_is_right(machine: Machine) -> None:
    names = machine.run("ls /bin").output.decode()
    assert "sh\n" in names and "sed\n" in names
    assert machine.run(PIPELINE).output.decode() == re.sub("[aeiou]", "z", names)


@pytest.mark.parametrize(
    ("command", "status", "output"),
    [
        ("true", 0, ""),
        ("false", 1, ""),
        ("exit 7", 7, ""),
        ("nosuch", 127, "sh: 1: nosuch: not found\n"),
        ("echo a; echo b && false || echo c", 0, "a\nb\nc\n"),
        ("echo one > /f; echo two >> /f; cat < /f; false; echo $?", 0, "one\ntwo\n1\n"),
        ("x='a  b'; echo \"$x\" $x '$x' | cat", 0, "a  b a b $x\n"),
        ("echo hidden > /dev/null", 0, ""),
        ("ls /nosuch", 2, "ls: cannot access '/nosuch': No such file or directory\n"),
    ],
)
def test_commands(machine: Machine, command: str, status: int, output: str) -> None:
    done = machine.run(command)
    assert (done.status, done.output.decode()) == (status, output)


def test_deep_recursion_with_forks(machine: Machine) -> None:
    assert machine.run("recurse 2000 5").status == 0


@pytest.mark.parametrize("cpus", [1, 8])
def test_all_cpus_work(arch: str, cpus: int) -> None:
    with booted_machine(arch, cpus=cpus) as made:
        done = made.run(f"busy {cpus * 2} 1")
        assert done.status == 0, done.output
        assert b"0 errors" in done.output
        assert made.warnings == []


def test_programs_that_share_physical_pages_run_their_own_code(arch: str) -> None:
    with booted_machine(arch, cpus=4) as made:
        done = made.run("swapexec 4 60")
        assert done.status == 0, done.output
        assert b"0 errors" in done.output


def test_tasks_are_given_back(machine: Machine) -> None:
    machine.run("true")
    machine.advance(5_000_000)
    tasks = sum(1 for _ in machine.kernel.tasks)
    for _ in range(5):
        machine.run(PIPELINE)
    machine.advance(5_000_000)
    assert sum(1 for _ in machine.kernel.tasks) == tasks
