# SPDX-License-Identifier: GPL-2.0-only
"""Runs that are ended because they take too long; sizes and times as options accept them."""

from __future__ import annotations

import re

import click
import pytest

from emu.cli import machine_options
from emu.cli.quantities import Duration, Frequency, Size
from emu.machine import Completed, GuestPanic, LimitReached, Machine
from tests.cli.conftest import Emu
from tests.lib.booted_machine import booted_machine


@pytest.mark.parametrize("command", ["spin 100000000", "sleep 1000", "while :; do :; done"])
def test_virtual_time_is_bounded(arch: str, command: str, emu: Emu) -> None:
    options = ("--arch", arch, "--limit", "5ms", "-p", "function", "-l", "schedule", "-l", "scheduler_tick")
    status, out, err = emu("run", *options, "--", command)
    assert status == 124
    head, *cpus = err.splitlines()
    assert head == "emu: 5 ms of virtual time have passed"
    assert cpus and all(re.match(r"CPUs? [01-]+: (idle|\w+-\d+), (asleep|kernel|user mode), \S+", line) for line in cpus)
    assert b"# tracer: function" in out
    assert re.search(rb": schedule(r_tick)? <-", out)


def test_host_time_is_bounded(arch: str, emu: Emu) -> None:
    status, out, err = emu("run", "--arch", arch, "--host-limit", "1s", "--", "spin 100000000")
    assert status == 124 and err.startswith("emu: 1 s of host time have passed\nCPU")
    place = r"(kernel, (\w+\+)?0x|user mode, 0x)"  # SPARC V9's trap table is not a function
    assert re.search(rf"^CPU \d: spin-\d+, {place}", err, re.MULTILINE)
    assert b"# tracer: nop" in out


def test_the_shell_is_bounded_too(arch: str, emu: Emu) -> None:
    script = b"echo one\nspin 100000000\necho two\n"
    status, out, err = emu("shell", "--arch", arch, "--limit", "20ms", stdin=script)
    assert status == 124 and err.startswith("emu: 20 ms of virtual time have passed\nCPU")
    assert out.endswith(b"one\n")


def test_a_limit_that_is_not_reached_changes_nothing(arch: str) -> None:
    with booted_machine(arch) as machine:
        assert machine.run("usleep 1000; echo done", limit=10**9, host_limit=60).output == b"done\n"
        with pytest.raises(LimitReached, match="1 ms of virtual time"):
            machine.run("usleep 5000", limit=10**6)
        assert "# tracer: nop" in machine.tracefs.read("trace")


def test_the_limit_is_exact_to_a_quantum(arch: str) -> None:
    with booted_machine(arch) as machine:
        before = machine.board.now
        with pytest.raises(LimitReached):
            machine.run("spin 100000000", limit=3_000_000)
        passed = machine.board.nanoseconds(machine.board.now - before)
        assert 3_000_000 <= passed < 3_000_000 + machine.board.nanoseconds(machine.board.arch.longest_turn)


def test_booting_is_bounded(arch: str, emu: Emu, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(LimitReached, match="500 us of virtual time have passed, and the guest has not booted\nCPU"):
        Machine(arch=arch, boot_limit=500_000)
    with pytest.raises(LimitReached, match="0 s of host time"):
        Machine(arch=arch, boot_host_limit=0.0)
    monkeypatch.setattr(machine_options, "_BOOT_LIMIT", 1000)
    status, out, err = emu("run", "--arch", arch, "--limit", "500us", "--", "true")
    assert (status, out) == (124, b"")
    assert err.startswith("emu: 500 us of virtual time have passed, and the guest has not booted\nCPU 0: ")


UNENDING = [
    "spin 100000000",
    "trap '' INT TERM HUP; while :; do :; done",
    "spin 100000000 & wait",
    "sleep 1000 & kill -STOP $$",
    "sleep 1000",
]


def test_what_a_limit_left_running_is_killed_by_the_next_run(arch: str) -> None:
    with booted_machine(arch) as machine:
        count = "ls -d /proc/[0-9]* | wc -l"
        before = machine.run(count).output
        for command in UNENDING:
            with pytest.raises(LimitReached):
                machine.run(command, limit=5_000_000)
            assert machine.run(count) == Completed(0, before)
        with pytest.raises(LimitReached):
            machine.run("echo never", limit=1)  # it has not even started
        assert machine.run("echo next").output == b"next\n"
        with pytest.raises(GuestPanic, match="every CPU sleeps"):
            machine.run("cat /sys/kernel/tracing/trace_pipe")
        assert machine.run(count) == Completed(0, before)
        assert machine.warnings == []


def test_sleeping_for_ever_is_told_with_what_each_cpu_executes(arch: str, emu: Emu) -> None:
    command = "cat /sys/kernel/tracing/trace_pipe > /p"
    status, out, err = emu("run", "--arch", arch, "-p", "function", "-l", "vfs_open", "--", command)
    assert status == 125
    assert err.startswith("emu: the command does not end: every CPU sleeps, and nothing will wake one\nCPUs 0-1: idle, asleep, ")
    assert b"# tracer: function" in out


@pytest.mark.parametrize(
    ("text", "value"),
    [("10s", 10**10), ("2", 2 * 10**9), ("1.5ms", 1_500_000), ("7us", 7000), ("3ns", 3)],
)
def test_times(text: str, value: int) -> None:
    assert Duration().convert(text, None, None) == value


@pytest.mark.parametrize(("text", "value"), [("256M", 1 << 28), ("64", 1 << 26), ("1g", 1 << 30), ("65536K", 1 << 26)])
def test_sizes(text: str, value: int) -> None:
    assert Size().convert(text, None, None) == value


@pytest.mark.parametrize(
    ("text", "value"), [("100MHz", 10**8), ("2.5GHz", 2_500_000_000), ("3g", 3 * 10**9), ("5000000", 5_000_000)]
)
def test_frequencies(text: str, value: int) -> None:
    assert Frequency().convert(text, None, None) == value


@pytest.mark.parametrize("text", ["", "MHz", "1THz", "-1", "1e9", "0.5", "1 M 2", "fast"])
def test_what_is_no_frequency_is_refused(text: str) -> None:
    with pytest.raises(click.BadParameter):
        Frequency().convert(text, None, None)


@pytest.mark.parametrize("text", ["1", "999kHz", "101GHz"])
def test_a_frequency_that_no_clock_counts_with_is_one_line(emu: Emu, text: str) -> None:
    status, out, err = emu("run", "--frequency", text, "--", "true")
    assert (status, out) == (2, b"")
    assert "1000000 to 100000000000 are possible" in err
    assert "Traceback" not in err


@pytest.mark.static_timing("durations are then cycles, whatever the frequency")
def test_ten_times_the_frequency_is_a_tenth_of_the_durations(arch: str, emu: Emu) -> None:
    def duration(frequency: str) -> float:
        machine = ("--arch", arch, "--cpus", "1", "--timing", "static", "--frequency", frequency)
        options = ("-p", "function_graph", "-g", "sys_close", "-O", "nofuncgraph-irqs")
        _, out, err = emu("run", *machine, *options, "--", "cat /proc/self/stat")
        durations = re.findall(rb"([0-9.]+) us", out)
        assert durations, err
        return float(durations[0])

    assert duration("10MHz") == pytest.approx(10 * duration("100MHz"), rel=0.01)


@pytest.mark.parametrize("text", ["", "M", "1X", "-1", "1e3", "0.0000001ns", "1 M 2", "٣", "1" * 5000])
def test_nonsense_is_refused(text: str) -> None:
    with pytest.raises(click.BadParameter):
        Duration().convert(text, None, None)
    with pytest.raises(click.BadParameter):
        Size().convert(text if text != "0.0000001ns" else "0.3K", None, None)


def test_memory_is_as_asked(arch: str, emu: Emu) -> None:
    with Machine(arch=arch, memory=256 << 20) as machine:
        assert machine.board.memory == 256 << 20
        assert machine.run("echo fine").output == b"fine\n"
    status, _, err = emu("run", "--arch", arch, "--memory", "1M", "true")
    assert (status, err) == (2, "emu: 1048576 bytes of memory: at least 32 MiB, in whole pages, are needed\n")
    status, _, err = emu("run", "--memory", "lots", "true")
    assert status == 2
    assert "'lots' is no size: a number with K, M or G is needed." in err
    assert err.count("\n") == 1


def test_cpus_of_which_the_same_is_to_be_said_share_a_line(emu: Emu) -> None:
    status, _, err = emu("run", "--arch", "sparc64", "--cpus", "16", "--limit", "5ms", "--", "while :; do :; done")
    lines = err.splitlines()
    assert status == 124 and len(lines) == 3
    assert sum(line.startswith("CPU ") and ": sh-" in line for line in lines) == 1
    (shared,) = (line for line in lines if line.startswith("CPUs "))
    assert re.match(r"CPUs (\d+-\d+|\d+)(,\d+(-\d+)?)*: idle, asleep, ", shared)
