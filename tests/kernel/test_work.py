# SPDX-License-Identifier: GPL-2.0-only
"""Work for the guest's thread ktraced: requests are done once, in order, and before the requester continues."""

from __future__ import annotations

import errno
import re

import pytest

from emu.ftrace.linux_events import LINUX_EVENTS
from emu.kernel.kernel_log import Level
from emu.kernel.work import WorkKind
from emu.machine import GuestPanic, Machine, PoweredOff
from tests.lib.booted_machine import booted_machine
from tests.lib.commands import run, shell

ABSENT = "Linux 6.1 has this file, this machine does not"


def log(machine: Machine) -> list[str]:
    """The texts in the log."""
    return [line.partition("] ")[2] for line in run(machine, "dmesg").splitlines()]


@pytest.fixture
def absent(machine: Machine) -> list[str]:
    """Directories of Linux's events that this machine lacks."""
    names = sorted({*LINUX_EVENTS, "ftrace"} - set(machine.tracefs.listdir("events")))
    assert len(names) > 10
    return names


def test_many_lines_come_in_order_and_whole(machine: Machine) -> None:
    lines = [f"line {number} {'x' * number}" for number in range(300)]
    for line in lines:
        machine.kernel.log.write(line)
    assert machine.kernel.work.busy
    assert log(machine)[-300:] == lines
    assert not machine.kernel.work.busy


def test_a_line_has_a_level(machine: Machine) -> None:
    machine.kernel.log.write("to be seen", Level.WARNING)
    machine.kernel.log.write("to be found", Level.NOTICE)
    assert re.fullmatch(r"\[ *\d+\.\d{6}\] to be seen\n", machine.run("true").output.decode())
    assert re.findall(r"kern +:(\w+) *: .* to be (\w+)$", run(machine, "dmesg -x"), re.MULTILINE) == [
        ("warn", "seen"),
        ("notice", "found"),
    ]


def test_any_text_is_a_line(machine: Machine) -> None:
    for text in ("", "%s %n %d", "a\0b", "ü" * 10, "y" * 10_000):
        machine.kernel.log.write(text)
    empty, percent, before_nul, umlauts, long = log(machine)[-5:]
    assert (empty, percent, before_nul, umlauts) == ("", "%s %n %d", "a", "ü" * 10)
    assert set(long) == {"y"} and len(long) == 1024


def test_the_result_is_reported_and_may_ask_for_more(machine: Machine) -> None:
    work, results = machine.kernel.work, []

    def again(result: int) -> None:
        results.append(result)
        if len(results) < 3:
            work.ask(WorkKind.LOG, Level.INFO, b"again", again)

    work.ask(WorkKind.LOG, Level.INFO, b"once", again)
    machine.settle()
    assert results == [0, 0, 0] and not work.busy
    assert log(machine)[-3:] == ["once", "again", "again"]


def test_a_kind_that_the_guest_does_not_know_is_refused(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in (0, 1000, 1 << 63):
        results: list[int] = []
        monkeypatch.setitem(machine.kernel.work._numbers, WorkKind.DUMP, number)
        machine.kernel.work.ask(WorkKind.DUMP, on_done=results.append)
        machine.settle()
        assert results == [-errno.ENOSYS]


def test_the_line_of_a_refused_request_is_in_the_log_when_the_request_is_over(arch: str, absent: list[str]) -> None:
    """Even if the requester occupies the only CPU until it waits."""
    with booted_machine(arch, cpus=1) as machine:
        for name in absent[:5]:
            said = shell(machine, f"chrt -f 50 sh -c 'cat events/{name} 2> /dev/null; dmesg | tail -n 1'")
            assert said.endswith(f"] tracefs: events/{name}: {ABSENT}\n")
            assert shell(machine, f"cat events/{name} 2> /dev/null; dmesg").count(f"events/{name}:") == 1


@pytest.mark.parametrize("cpus", [1, 2])
def test_each_of_several_tasks_finds_its_line(arch: str, cpus: int, absent: list[str]) -> None:
    """Two tasks request each name at the same time: the second one waits for the line of the first."""
    names = absent[5:9]
    jobs = " ".join(f"(echo {name}: > set_event; dmesg | grep -c .{name}.,) 2> /dev/null &" for name in names for _ in "ab")
    with booted_machine(arch, cpus=cpus) as machine:
        assert shell(machine, f"chrt -f 50 sh -c '{jobs} wait'") == "1\n" * 2 * len(names)
        assert sum(f"'{name}'," in line for line in log(machine) for name in names) == len(names)


@pytest.mark.parametrize("how", [GuestPanic, PoweredOff])
def test_nobody_waits_for_a_kernel_that_has_ended(arch: str, how: type[Exception]) -> None:
    with booted_machine(arch, cpus=1) as machine:
        done: list[int] = []
        machine.kernel.work.ask(WorkKind.LOG, on_done=done.append)
        if how is GuestPanic:
            machine.kernel.panicked(machine.board.cpus[0], "by the test", 0)
        else:
            machine.kernel.power_off(machine.board.cpus[0], 0)
        machine.kernel.log.write("later")
        assert not machine.kernel.work.busy
        machine.settle()
        machine.tracefs.write("tracing_on", "0")
        with pytest.raises(how):
            machine.run("true")
        assert not done


def test_the_thread_is_the_last_one_of_the_kernel_and_sleeps(machine: Machine) -> None:
    assert re.search(r"(\d+) .* khvcd\n +(\d+) .* ktraced\n", run(machine, "ps"))
    pid = run(machine, "ps | grep ktraced").split()[0]
    assert "State:\tI (idle)" in run(machine, f"cat /proc/{pid}/status")
    switches = f"grep ctxt /proc/{pid}/status"
    before = run(machine, switches)
    run(machine, "ls / > /dev/null; cat /sys/kernel/tracing/trace > /dev/null")
    assert run(machine, switches) == before  # without work it is not even woken
