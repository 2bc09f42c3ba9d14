# SPDX-License-Identifier: GPL-2.0-only
"""Threads: what they share, how they wait for each other, how their process ends."""

from __future__ import annotations

import signal

import pytest

from emu.machine import Machine
from tests.lib.booted_machine import booted_machine

FUTEX = """\
another value: Resource temporarily unavailable
time: Connection timed out
nobody: 0
bad address: Bad address
unaligned: Invalid argument
not equal: Resource temporarily unavailable
woken and moved: 6 of 6
left: 0
woken there: 5
"""


@pytest.fixture(scope="module")
def machine(arch: str):
    with booted_machine(arch, cpus=4) as made:
        yield made
        assert made.run("echo alive").output == b"alive\n"
        assert made.warnings == []


def test_they_count_together_under_a_lock(machine: Machine) -> None:
    done = machine.run("threads -n 12 count")
    assert done.output == b"12 threads: counter 2400, sum of results 66\n"


def test_they_hand_work_over_by_a_condition(machine: Machine) -> None:
    assert machine.run("threads -n 5 hand").output == b"5 threads took 200 of 200\n"


def test_exit_group_ends_them_all(machine: Machine) -> None:
    assert machine.run("threads -n 6 exit").status == 42


def test_a_thread_that_calls_execve_becomes_the_process(machine: Machine) -> None:
    assert machine.run("threads -n 6 exec").output == b"still 1\n"


def test_they_are_killed_and_waited_for_as_one(machine: Machine) -> None:
    assert machine.run("threads -n 6 kill").output.decode() == f"exit 42\nsignal {int(signal.SIGTERM)}, children left: -1\n"


def test_futexes(machine: Machine) -> None:
    assert machine.run("threads -n 6 futex", limit=10**10).output.decode() == FUTEX


def test_futexes_while_others_keep_the_cpus(machine: Machine) -> None:
    done = machine.run("for i in 1 2 3 4; do spin 40 & done; threads -n 6 futex; wait", limit=10**11)
    assert done.output.decode() == FUTEX


def test_the_same_machine_gives_the_same_order(arch: str) -> None:
    def trace() -> str:
        with Machine(arch=arch, cpus=4, seed=5) as made:
            made.tracefs.write("set_ftrace_filter", "futex_wait futex_wake futex_wake_mark")
            made.tracefs.write("current_tracer", "function")
            made.run("threads -n 6 count", trace=True)
            return str(made.tracefs.read("trace"))

    first = trace()
    assert "futex_wait" in first
    assert trace() == first
