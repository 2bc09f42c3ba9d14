# SPDX-License-Identifier: GPL-2.0-only
"""Triggers act at once on all CPUs: a run with a trigger records the same as a run without it up to that point.

The trace clock `counter` counts events in the order in which they happen, on all CPUs.
"""

from __future__ import annotations

import re
from functools import cache

import pytest

from emu.architectures import ARCHITECTURES
from emu.machine import Machine
from tests.lib.booted_machine import booted_machine

CPUS = 4
EVENT = "events/sched/sched_process_exit"
COMMAND = "for i in 1 2 3 4 5 6; do ls / > /dev/null & done; wait; ls / > /dev/null"
LINE = re.compile(r"^ +\S+-(?P<event>\d+ +\[\d+\] \S{5} +(?P<time>\d+): .*)$", re.MULTILINE)

Lines = dict[int, str]  # the texts of events by time, without the task's name, which is the last saved one


def lines(machine: Machine, name: str) -> Lines:
    """All lines of each CPU's trace or snapshot."""
    texts = [machine.tracefs.read(f"per_cpu/cpu{cpu}/{name}") for cpu in range(CPUS)]
    return {int(line["time"]): line["event"] for text in texts for line in LINE.finditer(text)}


@cache
def run(arch: str, trigger: str = "", command: str = "traceoff:0") -> tuple[Lines, Lines, str]:
    """The lines of the trace and of the snapshot of a run, and tracing_on after it.

    Args:
        arch: the architecture.
        trigger: of the event.
        command: of a function; `traceoff:0` does nothing.
    """
    with booted_machine(arch, cpus=CPUS) as machine:
        write = machine.tracefs.write
        write("trace_clock", "counter")
        write("buffer_size_kb", "4096")
        write("set_ftrace_filter", "vfs_* schedule sys_* preempt_count_add")
        write("current_tracer", "function")
        write(f"{EVENT}/enable", "1")
        if trigger:
            write(f"{EVENT}/trigger", trigger)
        machine.tracefs.append("set_ftrace_filter", f"do_exit:{command}")
        machine.run(["sh", "-c", COMMAND])
        return lines(machine, "trace"), lines(machine, "snapshot"), machine.tracefs.read("tracing_on")


def exits(arch: str) -> list[int]:
    """The times of the event in a run without a trigger."""
    found = [time for time, line in run(arch)[0].items() if ": sched_process_exit: " in line]
    assert len(found) > 6
    return sorted(found)


def up_to(arch: str, last: int) -> Lines:
    """The lines of a run without a trigger up to a time. All CPUs have recorded some, and continue afterwards."""
    whole = run(arch)[0]
    found = {time: line for time, line in whole.items() if time <= last}
    assert {line.split("[")[1][:3] for line in found.values()} == {f"{cpu:03}" for cpu in range(CPUS)}
    assert len(whole) > len(found) + 1000
    return found


@pytest.mark.parametrize("arch", ARCHITECTURES)
class TestAtOnce:
    def test_after_traceoff_no_cpu_records_anything(self, arch: str) -> None:
        """Without a condition it acts before the event that fires it is recorded, with a condition afterwards."""
        first = exits(arch)[0]
        assert run(arch, "traceoff") == (up_to(arch, first - 1), {}, "0\n")
        assert run(arch, "traceoff if common_pid > 0") == (up_to(arch, first), {}, "0\n")

    def test_a_snapshot_holds_what_had_been_recorded(self, arch: str) -> None:
        whole = run(arch)[0]
        first = exits(arch)[0]
        for trigger, last in ("snapshot:1", first - 1), ("snapshot:1 if common_pid > 0", first):
            trace, snapshot, on = run(arch, trigger)
            assert (snapshot, on) == (up_to(arch, last), "1\n")
            assert trace == {time: line for time, line in whole.items() if time > last}

    def test_so_do_commands_of_functions(self, arch: str) -> None:
        trace, _, on = run(arch, command="traceoff")
        assert on == "0\n"
        last = max(trace)
        assert trace == up_to(arch, last)
        assert last < exits(arch)[0] < last + 200
