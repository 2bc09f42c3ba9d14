# SPDX-License-Identifier: GPL-2.0-only
"""Time and deferred work of interrupts: softirqs, tasklets, ticks, sleepers, and contexts that must not sleep."""

from __future__ import annotations

import re

import pytest

from emu.machine import Machine
from tests.lib.arches import FACTS
from tests.lib.booted_machine import booted_machine

LINE = re.compile(r"^\s*(\S+)-(\d+)\s+\[(\d+)\]\s+(\S+)\s+([\d.]+): (\w+) <-(\w+)$", re.MULTILINE)


@pytest.mark.parametrize("size", ["one", "few"])
def test_tasklets(arch: str, size: str) -> None:
    with Machine(arch=arch, cpus=FACTS[arch].cpus[size == "few"]) as machine:
        machine.tracefs.write("set_ftrace_filter", "lkdtm_tasklet")
        machine.tracefs.write("current_tracer", "function")
        assert machine.run("echo TASKLET > /dev/lkdtm").status == 0
        assert machine.warnings == []
        events = LINE.findall(machine.tracefs.read("trace"))
    assert {(flags[2], caller) for _, _, _, flags, _, _, caller in events} == {("s", "tasklet_action_common")}
    assert len(events) == 28
    # Softirqs that raise themselves again and again are left to a thread.
    assert events[0][0] in ("sh", "echo")
    assert all(comm.startswith("ksoftirqd/") for comm, *_ in events[-12:])


def test_who_sleeps_where_it_is_forbidden_is_reported_once_a_second(arch: str) -> None:
    with booted_machine(arch, cpus=1) as machine:
        done = machine.run("echo SLEEP_IN_ATOMIC > /dev/lkdtm; echo SLEEP_IN_ATOMIC > /dev/lkdtm")
        lines = [re.sub(r"^\[[ .\d]+\] ", "", line) for line in done.output.decode().splitlines()]
        assert sum(line.startswith("in_atomic(): ") for line in lines) == 1
        assert re.match(r"BUG: sleeping function called from invalid context at kernel/drivers/lkdtm_\w+\.c:\d+$", lines[0])
        assert re.match(r"in_atomic\(\): 1, irqs_disabled\(\): 0, non_block: 0, pid: \d+, name: \w+$", lines[1])
        assert lines[2:4] == ["preempt_count: 1, expected: 0", "RCU nest depth: 0, expected: 0"]
        (warning,) = machine.warnings
        assert "  lkdtm_SLEEP_IN_ATOMIC+0x" in warning
        machine.advance(110_000_000)
        machine.run("echo SLEEP_IN_ATOMIC > /dev/lkdtm")
        assert len(machine.warnings) == 2


def test_sleeping_until_the_wall_clock_says_so(arch: str) -> None:
    with booted_machine(arch, cpus=1) as machine:
        # A time before the machine was switched on has already passed.
        assert machine.run("usleep -t 1000", limit=10**9).status == 0
        done = machine.run("end=$(($(date +%s) + 2)); usleep -t $end; date +%s; echo $end", limit=10**10)
        now, end = done.output.split()
        assert now == end


def test_alarms_and_clocks_by_the_time_that_a_program_has_used(arch: str) -> None:
    with booted_machine(arch, cpus=2) as machine:
        done = machine.run("timers")
        assert re.fullmatch(rb"timers: \d+ checks, 0 errors\n", done.output), done.output.decode()
        assert done.status == 0
        assert machine.warnings == []
