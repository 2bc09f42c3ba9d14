# SPDX-License-Identifier: GPL-2.0-only
"""The branch tracer records whether each likely() and unlikely() was right. There is no golden: the text follows `format`."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from emu.ftrace.buffers import entries
from emu.machine import Machine
from tests.lib.booted_machine import booted_machine
from tests.lib.ring_events import of_type

HEADER = """\
# tracer: branch
#
#           TASK-PID    CPU#    TIMESTAMP  CORRECT  FUNC:FILE:LINE
#              | |       |          |         |       |
"""
STATISTICS = """\
 correct incorrect  %        Function                  File              Line
 ------- ---------  -        --------                  ----              ----
"""
LINE = re.compile(r" +\S+-\d+ +\[\d+\] \S{5} +\d+\.\d+: \[(  ok  | MISS )\] (\w+):([\w.-]+):(\d+)")
COUNTS = re.compile(r" *(\d+)(?:/(\d+))? +(\d+) +(\d+|X) (.{30}) (.{20}) (\d+)")

Places = Counter[tuple[str, str, int, bool]]  # function, file, line, and whether the annotation was right


def recorded(machine: Machine) -> Places:
    """How often each was recorded."""
    found: Places = Counter()
    for ring in machine.trace_array.recorder.rings:
        assert ring.overrun == 0
        for entry in of_type(ring.unread(), entries.EventType.BRANCH).entries(entries.BRANCH):
            function, file = (entry[name].partition(b"\0")[0].decode() for name in ("func", "file"))
            found[function, file, int(entry["line"]), bool(entry["correct"])] += 1
    return found


def counted(machine: Machine) -> Places:
    """The counts of trace_stat/branch_annotated, which leaves out branches of modules."""
    text = machine.tracefs.read("trace_stat/branch_annotated")
    assert text.startswith(STATISTICS)
    rows = [COUNTS.fullmatch(line) for line in text.removeprefix(STATISTICS).splitlines()]
    assert all(rows)
    found: Places = Counter()
    percents = []
    for row in rows:
        assert row is not None
        correct, _, incorrect, percent, function, file, line = row.groups()
        percents.append(-1 if percent == "X" else int(percent))
        found[function.rstrip(), file.rstrip(), int(line), True] += int(correct)
        found[function.rstrip(), file.rstrip(), int(line), False] += int(incorrect)
    assert percents == sorted(percents, reverse=True)
    return +found


@pytest.mark.static_timing("what began before a witness looks is not seen")
def test_every_branch_is_recorded_and_counted(arch: str) -> None:
    with booted_machine(arch) as machine:
        assert not counted(machine)
        machine.tracefs.write("buffer_size_kb", "20000")
        machine.tracefs.write("current_tracer", "branch")
        machine.run("ls /bin | wc -l; (exit 3); nosuchcommand 2> /dev/null")
        machine.tracefs.write("tracing_on", "0")
        text = machine.tracefs.read("trace")
        assert text.startswith(HEADER)
        lines = [LINE.fullmatch(line) for line in text.removeprefix(HEADER).splitlines()]
        assert all(lines)
        found = recorded(machine)
        assert Counter((line[2], line[3], int(line[4]), line[1] == "  ok  ") for line in lines if line) == found
        assert {right for *_, right in found} == {True, False}
        assert len({function for function, *_ in found}) > 20
        counts = counted(machine)
        assert {(function[:30], *rest) for function, *rest in found} == set(counts)
        assert sum(counts.values()) >= sum(found.values())
        assert not re.search(r"/.* IS_ERR ", machine.tracefs.read("trace_stat/branch_annotated"))  # gcc knew none of them before
        machine.tracefs.write("current_tracer", "nop")
        machine.run("true")  # a CPU may just have decided to count a branch
        before = counted(machine)
        machine.run("ls")
        assert counted(machine) == before
        assert machine.warnings == []


def test_the_option_is_for_the_next_tracer(arch: str) -> None:
    """As in Linux, it takes effect when a tracer is set."""
    with booted_machine(arch) as machine:
        machine.tracefs.write("buffer_size_kb", "20000")
        machine.tracefs.write("set_ftrace_filter", "vfs_write")
        machine.tracefs.write("options/branch", "1")
        machine.run("echo none")
        assert not recorded(machine)
        machine.tracefs.write("current_tracer", "function")
        machine.run("echo some")
        assert recorded(machine)
        text = machine.tracefs.read("trace")
        assert text.startswith("# tracer: function\n")
        assert ": vfs_write <-ksys_write" in text
        assert ": [  ok  ] " in text
        machine.tracefs.write("options/branch", "0")
        machine.tracefs.write("current_tracer", "nop")
        machine.run("echo none")
        assert not recorded(machine)
