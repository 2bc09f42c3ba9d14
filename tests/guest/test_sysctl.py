# SPDX-License-Identifier: GPL-2.0-only
"""Variables below /proc/sys that change the kernel's behaviour."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from emu.machine import GuestPanic, Machine
from tests.lib.booted_machine import booted_machine

FEW_HERTZ = 10_000_000  # seconds pass quickly
KERNEL = "/proc/sys/kernel"


@pytest.fixture(scope="module")
def machine(arch: str) -> Iterator[Machine]:
    with booted_machine(arch, cpus=2) as machine:
        yield machine


def say(machine: Machine, command: str) -> str:
    return machine.run(command).output.decode()


def events(machine: Machine) -> int:
    return len([line for line in machine.tracefs.read("trace").splitlines() if not line.startswith("#")])


@pytest.mark.parametrize("tracer", ["function", "function_graph"])
def test_without_ftrace_enabled_no_function_is_traced(machine: Machine, tracer: str) -> None:
    tracefs = machine.tracefs
    tracefs.write("current_tracer", tracer)
    assert say(machine, f"echo 0 > {KERNEL}/ftrace_enabled; cat {KERNEL}/ftrace_enabled") == "0\n"
    assert not machine.ftrace_enabled
    say(machine, "sleep 0.1")  # calls that were already entered may return
    tracefs.write("trace", "")
    say(machine, "ls /bin")
    assert events(machine) == 0
    assert tracefs.read("enabled_functions") == ""
    tracefs.write("set_ftrace_filter", "vfs_*")  # the filter may change meanwhile
    assert say(machine, f"sysctl -n kernel.ftrace_enabled=5; cat {KERNEL}/ftrace_enabled") == "5\n1\n"
    say(machine, "ls /bin")
    assert 0 < events(machine) < 500
    machine.ftrace_enabled = False
    say(machine, "sleep 0.1")
    tracefs.write("trace", "")
    assert say(machine, f"cat {KERNEL}/ftrace_enabled") == "0\n"
    assert events(machine) == 0
    tracefs.write("current_tracer", "nop")
    tracefs.write("set_ftrace_filter", "")
    machine.ftrace_enabled = True
    assert say(machine, f"cat {KERNEL}/ftrace_enabled") == "1\n"


def test_what_a_variable_cannot_be_leaves_it_as_it_was(machine: Machine) -> None:
    for name, wrong in (
        ("kernel/watchdog_thresh", "61"),
        ("kernel/watchdog", "2"),
        ("kernel/sched_rt_period_us", "0"),
        ("kernel/sched_rt_runtime_us", "1000001"),
        ("kernel/threads-max", "0"),
        ("kernel/panic_on_warn", "2"),
        ("vm/dirty_ratio", "101"),
        ("vm/dirty_expire_centisecs", "-1"),
        ("vm/dirty_writeback_centisecs", "x"),
    ):
        said = say(machine, f"cd /proc/sys; cat {name}; echo {wrong} > {name}; cat {name}").splitlines()
        assert said[0] == said[2], name
        assert said[1].endswith("write error: Invalid argument"), name


def test_the_watchdogs_say_which_of_them_are_at_work(machine: Machine) -> None:
    read = "cat nmi_watchdog soft_watchdog watchdog"
    said = say(
        machine,
        f"cd {KERNEL}; {read}; echo 1 > nmi_watchdog; {read}; echo 0 > watchdog; {read}; echo 1 > watchdog; {read};"
        f"echo 0 > watchdog_thresh; {read}; echo 10 > watchdog_thresh; echo 0 > nmi_watchdog; {read}",
    )
    assert re.findall("...", said.replace("\n", "")) == ["011", "111", "000", "111", "000", "011"]


def test_there_are_no_more_tasks_than_threads_max(machine: Machine) -> None:
    said = say(machine, f"cd {KERNEL}; n=$(cat threads-max); (echo 1 > threads-max; ls; ls); echo $n > threads-max; echo well")
    assert "Cannot fork" in said or "Resource temporarily unavailable" in said
    assert say(machine, "true; echo well") == "well\n"


def test_a_hard_lockup_is_in_the_log_if_its_watchdog_has_been_switched_on(arch: str) -> None:
    with Machine(arch=arch, cpus=2, frequency=FEW_HERTZ) as machine:
        machine.run(f"echo 1 > {KERNEL}/watchdog_thresh; echo 1 > {KERNEL}/nmi_watchdog; echo HARDLOCKUP > /dev/lkdtm &")
        machine.advance(4 * FEW_HERTZ)
        (warning,) = machine.warnings
        console = bytes(machine._output).decode()
    assert "Watchdog detected hard LOCKUP" in warning
    (cpu,) = re.findall(r"\] NMI watchdog: Watchdog detected hard LOCKUP on cpu (\d)$", console, re.MULTILINE)
    report = console[console.index("NMI watchdog:") :]
    assert re.search(rf"\] CPU: {cpu} PID: \d+ Comm: sh ", report)
    assert re.search(r"\] Call Trace:\n(.*hostcall.*\n)?.*\]   lkdtm_HARDLOCKUP\+0x", report)


def test_a_warning_ends_the_machine_with_panic_on_warn(arch: str) -> None:
    with (
        booted_machine(arch, cpus=1) as machine,
        pytest.raises(GuestPanic, match=r"guest panic on CPU 0: kernel: panic_on_warn set"),
    ):
        machine.run(f"echo WARNING > /dev/lkdtm; echo 1 > {KERNEL}/panic_on_warn; echo WARNING > /dev/lkdtm")


def test_real_time_tasks_have_the_part_of_a_second_that_was_said(arch: str) -> None:
    with Machine(arch=arch, cpus=1, frequency=FEW_HERTZ) as machine:
        rt = f"cd {KERNEL}; chrt -d -T 300000 -P 1000000 -D 1000000 0 sleep 100 & sleep 0.1;"
        rt += "echo 200000 > sched_rt_runtime_us;"
        assert "Device or resource busy" in say(machine, rt)
        assert "sched_rt_runtime_us = 950000" in say(machine, "sysctl kernel.sched_rt_runtime_us")
        say(machine, f"echo -1 > {KERNEL}/sched_rt_runtime_us; chrt -f 50 spin 2000")
        assert "RT throttling" not in say(machine, "dmesg")
        assert say(machine, "chrt -d -T 900000 -P 1000000 -D 1000000 0 echo promised") == "promised\n"
        say(machine, f"echo 500000 > {KERNEL}/sched_rt_runtime_us; chrt -f 50 spin 2000")
        assert "RT throttling activated" in say(machine, "dmesg")
