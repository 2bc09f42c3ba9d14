# SPDX-License-Identifier: GPL-2.0-only
"""Triggers act at once on all CPUs: a run with a trigger records what the same run without it has recorded up to there.

The trace clock `counter` counts events in the order in which they happen, on whatever CPU.
"""

from __future__ import annotations

import re
from functools import cache

import pytest

from emu.cpu.arch import ARCHITECTURES
from emu.machine import Machine

CPUS = 4
EVENT = "events/sched/sched_process_exit"
COMMAND = "for i in 1 2 3 4 5 6; do ls / > /dev/null & done; wait; ls / > /dev/null"
LINE = re.compile(r"^ +\S+-\d+ +\[\d+\] \S{5} +(?P<time>\d+): (?P<what>.*)$", re.MULTILINE)

Lines = dict[int, str]  # the texts of events by their times


def lines(machine: Machine, name: str) -> Lines:
    """All lines of each CPU's trace or snapshot."""
    texts = [machine.tracefs.read(f"per_cpu/cpu{cpu}/{name}") for cpu in range(CPUS)]
    return {int(line["time"]): line[0] for text in texts for line in LINE.finditer(text)}


@cache
def run(arch: str, trigger: str = "", filtered: str = "") -> tuple[Lines, Lines, str]:
    """The lines of the trace and of the snapshot of a run with a trigger, and tracing_on after it."""
    with Machine(arch=arch, cpus=CPUS) as machine:
        write = machine.tracefs.write
        write("trace_clock", "counter")
        write("buffer_size_kb", "4096")
        write("set_ftrace_filter", "vfs_* schedule sys_* preempt_count_add")
        write("current_tracer", "function")
        write(f"{EVENT}/enable", "1")
        if trigger:
            write(f"{EVENT}/trigger", trigger)
        if filtered:
            machine.tracefs.append("set_ftrace_filter", filtered)
        machine.run(["sh", "-c", COMMAND])
        return lines(machine, "trace"), lines(machine, "snapshot"), machine.tracefs.read("tracing_on")


def exits(arch: str) -> list[int]:
    """The times of the event in a run without a trigger."""
    found = [time for time, line in run(arch)[0].items() if ": sched_process_exit: " in line]
    assert len(found) > 6
    return sorted(found)


def up_to(arch: str, last: int) -> Lines:
    """What a run without a trigger has recorded up to a time. All CPUs had a part in it, and went on."""
    whole = run(arch)[0]
    found = {time: line for time, line in whole.items() if time <= last}
    assert {line.split("[")[1][:3] for line in found.values()} == {f"{cpu:03}" for cpu in range(CPUS)}
    assert len(whole) > len(found) + 1000
    return found


@pytest.mark.parametrize("arch", ARCHITECTURES)
class TestAtOnce:
    def test_after_traceoff_no_cpu_records_anything(self, arch: str) -> None:
        """Without a condition it acts before the event that fires it is recorded, with one after that."""
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

    def test_a_command_of_a_function_too(self, arch: str) -> None:
        trace, _, on = run(arch, filtered="do_exit:traceoff")
        assert on == "0\n"
        assert trace == {time: line for time, line in run(arch)[0].items() if time <= max(trace)}
        (exit_after,) = [time for time in exits(arch)[:1] if time > max(trace)]
        assert exit_after < max(trace) + 200
