# SPDX-License-Identifier: GPL-2.0-only
"""The guest does its work, and what is wrong in it is reported as an operating system would."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import unicorn

from emu.machine import BadImage, GuestPanic, Machine
from tests.lib.arches import FACTS

PIPELINE = "ls /bin | sed s/[aeiou]/z/g"


@pytest.fixture(scope="module")
def machine(arch: str):
    with Machine(arch=arch, cpus=2) as made:
        yield made


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
        ("ls /nosuch", 2, None),
        ("fault segv", 139, None),
        ("fault kernel", 139, None),
        ("fault stack 10000", 139, None),
        ("fault stack fffffffffffff000", 139, None),
        ("nostack 10001; nostack fffffffffffff000", 0, ""),
        ("recurse 2000 5", 0, None),
        ("fault ud", 132, None),
        ("fault div0", 136, None),
    ],
)
def test_commands(machine: Machine, command: str, status: int, output: str | None) -> None:
    done = machine.run(command)
    assert done.status == status, done.output
    if output is not None:
        assert done.output.decode() == output
    assert machine.run("echo alive").output == b"alive\n"


@pytest.mark.parametrize("what", ["priv", "hostcall"])
def test_what_only_the_kernel_may_do_kills_a_program(arch: str, machine: Machine, what: str) -> None:
    assert machine.run(f"fault {what}").status == FACTS[arch].forbidden
    assert machine.run("echo alive").output == b"alive\n"


def test_jobs_in_the_background_go_on_while_others_run(machine: Machine) -> None:
    assert machine.run("(usleep 2000; echo late > /late) & echo early").output == b"early\n"
    machine.advance(10_000_000)
    assert machine.run("cat /late").output == b"late\n"


@pytest.mark.parametrize("cpus", [1, 4, 8])
def test_all_cpus_work(arch: str, cpus: int) -> None:
    with Machine(arch=arch, cpus=cpus) as made:
        done = made.run(f"busy {cpus * 2} 3")
        assert done.status == 0, done.output
        assert b"0 errors" in done.output
        assert made.warnings == []


def test_programs_that_share_physical_pages_run_their_own_code(arch: str) -> None:
    with Machine(arch=arch, cpus=4) as made:
        done = made.run("swapexec 4 300")
        assert done.status == 0, done.output
        assert b"0 errors" in done.output


def test_no_switch_is_recorded_before_the_wakeup_that_caused_it(arch: str) -> None:
    """In the order in which the host executed them: who is switched in was activated at an earlier time."""
    second = FACTS[arch].arguments[1]
    with Machine(arch=arch, cpus=4, quantum=5000) as made:
        symbol = made.kernel.image.symbol
        activated: dict[int, int] = {}
        switches = wakeups = 0

        def on_activate(uc, address, size, cpu):
            nonlocal wakeups
            wakeups += 1
            activated[cpu.registers()[second]] = cpu.cycles  # ttwu_do_activate(rq, p, ...)

        def on_switch(uc, address, size, cpu):
            nonlocal switches
            task = cpu.registers()[second]  # ftrace_sched_switch(prev, next)
            if task in activated:
                switches += 1
                assert activated[task] <= cpu.cycles

        for cpu in made.board.cpus:
            for name, function in (("ttwu_do_activate", on_activate), ("ftrace_sched_switch", on_switch)):
                cpu.uc.hook_add(unicorn.UC_HOOK_BLOCK, function, cpu, symbol(name), symbol(name))
            cpu.uc.ctl_flush_tb()
        assert made.run("busy 6 20").status == 0
        assert wakeups > 500 and switches > 500


def test_memory_and_tasks_are_given_back(machine: Machine) -> None:
    machine.run("true")
    machine.advance(5_000_000)
    tasks = sum(1 for _ in machine.kernel.tasks)
    for _ in range(5):
        machine.run(PIPELINE)
    machine.advance(5_000_000)
    assert sum(1 for _ in machine.kernel.tasks) == tasks


def test_a_panic_ends_the_run_with_a_report(arch: str) -> None:
    with Machine(arch=arch, cpus=1) as made:
        function = made.kernel.memory.physical(made.kernel.image.symbol("sys_kill"))
        made.board.write_code(function, FACTS[arch].undefined)
        with pytest.raises(GuestPanic) as caught:
            made.run("echo 1 > /proc/sys/kernel/panic_on_oops; echo before; kill 1")
        report = str(caught.value)
        assert "guest panic on CPU 0" in report
        assert re.search(r"^  ip [0-9a-f]{16}  sys_kill\+0x0/0x", report, re.MULTILINE)
        assert re.search(rf"^  {FACTS[arch].system_call}\+0x", report, re.MULTILINE)
        assert "last console lines:\n" in report and "sys_kill+0x0/0x" in report
        with pytest.raises(GuestPanic):
            made.run("true")


def backtrace(arch: str, tracer: str) -> list[str]:
    """The report's callers when a function deep in a system call cannot be executed."""
    with Machine(arch=arch, cpus=1) as made:
        made.run("echo 1 > /proc/sys/kernel/panic_on_oops")
        made.tracefs.write("current_tracer", tracer)
        function = made.kernel.memory.physical(made.kernel.image.symbol("vfs_statx"))
        made.board.write_code(function, FACTS[arch].undefined)
        made.board.flush_page(function - function % made.board.arch.page_size)
        with pytest.raises(GuestPanic) as caught:
            made.run("ls /bin")
        calls = str(caught.value).split("backtrace:\n")[1].split("last console lines:")[0]
        return [line for line in calls.splitlines() if "+0x" in line]


def test_a_backtrace_shows_the_real_callers_while_function_graph_has_replaced_return_addresses(arch: str) -> None:
    callers = backtrace(arch, "function_graph")
    assert callers == backtrace(arch, "nop")
    assert len(callers) >= 4 and any("sys_newfstatat+" in line for line in callers)


def test_an_image_that_cannot_be_booted_is_refused(arch: str, tmp_path: Path) -> None:
    text = tmp_path / "text"
    text.write_text("no image")
    with pytest.raises(BadImage, match="not an ELF image"):
        Machine(arch=arch, image=text)
