# SPDX-License-Identifier: GPL-2.0-only
"""hwlat finds the SMIs that come while it samples, on the CPU where it samples, and nothing else."""

from __future__ import annotations

import errno
import re
from collections.abc import Iterator

import pytest

from emu.ftrace.errors import TraceError
from emu.machine import Machine
from tests.lib.booted_machine import booted_machine
from tests.lib.event_entries import Entry, entries
from tests.lib.golden import read_golden

PERIOD, LENGTH = 3_300_000, 60_000  # nanoseconds: SMIs and ticks do not coincide
EDGE = 400_000  # nanoseconds between the switch to the thread and its first reading of the clock, and after its last


@pytest.fixture(scope="module")
def interrupted(arch: str) -> Iterator[Machine]:
    """A machine with SMIs on both CPUs; hwlat samples for 2 ms of each 5 ms."""
    with booted_machine(arch, smi="3.3ms:60us") as machine:
        machine.tracefs.write("hwlat_detector/width", "2000")
        machine.tracefs.write("hwlat_detector/window", "5000")
        yield machine
        assert machine.warnings == []


def look(machine: Machine, mode: str) -> list[list[Entry]]:
    """The events of hwlat in 0.1 s, and the switches to and from its threads, on each CPU."""
    machine.tracefs.write("hwlat_detector/mode", mode)
    machine.tracefs.write("current_tracer", "hwlat")
    machine.tracefs.write("events/sched/sched_switch/enable", "1")
    machine.run("sleep 0.1")
    found = entries(machine.trace_array)
    machine.tracefs.write("events/sched/sched_switch/enable", "0")
    return found


def windows(recorded: list[Entry]) -> list[tuple[int, int, int, str]]:
    """The runs of hwlat's threads on a CPU: from, to, the number of SMIs found, the thread's name."""
    since, found, ran = 0, 0, []
    for entry in recorded:
        if entry.name == "hwlat":
            found += entry.fields["count"]
            assert LENGTH // 1000 <= max(entry.fields["duration"], entry.fields["outer_duration"]) <= LENGTH // 1000 + 9
        elif entry.fields["next_comm"].startswith(b"hwlatd"):
            since, found = entry.time, 0
        elif entry.fields["prev_comm"].startswith(b"hwlatd") and since and entry.time - since > 2 * EDGE:
            ran.append((since, entry.time, found, entry.fields["prev_comm"].decode()))
    return ran


@pytest.mark.parametrize("mode", ["none", "round-robin", "per-cpu"])
def test_each_smi_in_a_window_is_found_and_none_else(interrupted: Machine, mode: str) -> None:
    before = interrupted.checkpoint()
    recorded = look(interrupted, mode)
    ran = [windows(of_cpu) for of_cpu in recorded]
    for since, until, found, _ in [window for of_cpu in ran for window in of_cpu]:
        due = range(-(-since // PERIOD) * PERIOD, until, PERIOD)
        surely = [time for time in due if since + EDGE < time < until - LENGTH - EDGE]
        assert len(surely) <= found <= len(due)
    assert sum(found for of_cpu in ran for _, _, found, _ in of_cpu) >= 5
    names = [{name for *_, name in of_cpu} for of_cpu in ran]
    assert names == [{"hwlatd/0"}, {"hwlatd/1"}] if mode == "per-cpu" else set.union(*names) == {"hwlatd"}
    assert all(ran) or mode == "none"
    text = interrupted.tracefs.read("trace")
    interrupted.restore(before)
    assert look(interrupted, mode) == recorded
    assert interrupted.tracefs.read("trace") == text
    interrupted.restore(before)


def test_its_lines_are_as_those_of_linux(interrupted: Machine) -> None:
    before = interrupted.checkpoint()
    tracefs = interrupted.tracefs
    tracefs.write("current_tracer", "hwlat")
    interrupted.run("sleep 0.05")
    theirs, ours = read_golden("hwlat.txt").splitlines(), tracefs.read("trace").splitlines()
    line = r"[ \S]{16}-\d+ +\[00[01]\] d\.{4} +\d+\.\d{6}: "
    line += r"#[\d ]{5} inner/outer\(us\): [\d ]{4}/[\d ]{5} ts:\d+\.\d{9} count:\d+"
    assert [re.sub(r"\d+/\d+", "N/N", text) for text in ours[:12]] == [text.replace("4/4", "N/N") for text in theirs[:12]]
    assert len(ours) > 15
    for text in (*theirs[12:-1], *ours[12:]):
        assert re.fullmatch(line, text)
    assert re.search(r"#1     inner/outer\(us\): +\d+/\d+ +ts:1735689600\.\d{9} count:1$", tracefs.read("trace"), re.M)
    tracefs.write("trace_options", "raw")
    assert re.search(r"^\d+ \d+ \d+ \d+ \d+ 1735689600 \d{9} 1$", tracefs.read("trace"), re.M)
    assert tracefs.read("tracing_max_latency") == "0\n"  # Linux treats the microseconds as nanoseconds
    interrupted.restore(before)


def test_without_smis_nothing_is_found_whatever_the_guest_does(arch: str) -> None:
    with booted_machine(arch) as machine:
        tracefs = machine.tracefs
        tracefs.write("hwlat_detector/width", "3000")
        tracefs.write("hwlat_detector/window", "4000")
        tracefs.write("hwlat_detector/mode", "per-cpu")
        tracefs.write("current_tracer", "hwlat")
        machine.run("ls -l /bin | sort > /tmp/list; busy 2 & sleep 0.03; wait")
        assert "entries-in-buffer/entries-written: 0/0" in tracefs.read("trace")
        assert machine.run("ps | grep -c hwlatd/").output == b"2\n"
        tracefs.write("options/disable_on_free", "1")
        assert machine.run("cd /sys/kernel/tracing; echo > free_buffer; cat tracing_on; ps | grep -c hwlatd/").output == b"0\n2\n"
        tracefs.write("tracing_on", "1")
        tracefs.write("tracing_on", "0")
        assert machine.run("ps | grep -c hwlatd").output == b"0\n"
        tracefs.write("tracing_on", "1")
        tracefs.write("hwlat_detector/mode", "none")
        assert machine.run("ps | grep -c 'hwlatd$'").output == b"1\n"
        tracefs.write("current_tracer", "nop")
        assert machine.run("ps | grep -c hwlatd").output == b"0\n"
        assert machine.warnings == []


def test_the_threshold_is_its_own_and_the_other_comes_back(arch: str) -> None:
    with booted_machine(arch) as machine:
        tracefs, seen = machine.tracefs, []
        for tracer, threshold in (("hwlat", "50"), ("nop", ""), ("hwlat", ""), ("nop", "7"), ("hwlat", ""), ("nop", "")):
            tracefs.write("current_tracer", tracer)
            seen.append(tracefs.read("tracing_thresh").strip())
            if threshold:
                tracefs.write("tracing_thresh", threshold)
        assert seen == ["10", "0", "50", "0", "7", "7"]


def test_the_files_of_hwlat_detector(arch: str) -> None:
    with booted_machine(arch) as machine:
        tracefs = machine.tracefs
        files = [f"hwlat_detector/{name}" for name in tracefs.listdir("hwlat_detector")]
        assert "".join(map(tracefs.read, files)) == read_golden("hwlat_detector-files.txt")
        for name, text in (
            ("width", "1000001"), ("window", "499999"), ("width", "-1"), ("width", "1ms"), ("window", ""),
            ("mode", "round robin"), ("mode", ""), ("mode", "per-cpu" + " " * 60),
        ):  # fmt: skip
            with pytest.raises(TraceError) as error:
                tracefs.write(f"hwlat_detector/{name}", text)
            assert error.value.code == errno.EINVAL
        assert "".join(map(tracefs.read, files)) == read_golden("hwlat_detector-files.txt")
        tracefs.write("hwlat_detector/width", "0")
        tracefs.write("hwlat_detector/window", "0")
        for mode in ("none", "per-cpu\n", " round-robin "):
            tracefs.write("hwlat_detector/mode", mode)
            assert f"[{mode.strip()}]" in tracefs.read("hwlat_detector/mode").split()
