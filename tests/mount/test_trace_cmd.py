# SPDX-License-Identifier: GPL-2.0-only
"""The host's trace-cmd, unmodified, on a mounted machine: each of its commands, compared with output from a real Linux.

Inherent differences from a real Linux are: buffer sizes, the called functions and their times, and the tracer
`branch`, which that kernel did not have.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from emu.mount.host import CannotMount
from emu.mount.namespace import inside
from emu.trace import Trace
from tests.lib.golden import read_golden
from tests.lib.mounted import EMU, Mount, needs_fuse, run_host, started


def missing() -> str:
    try:
        inside(Path("/"), ["trace-cmd"])
    except CannotMount as error:
        return str(error)
    return ""


pytestmark = [needs_fuse, pytest.mark.skipif(bool(missing()), reason=f"needs trace-cmd in a mount namespace: {missing()}")]


class TraceCmd(Mount):
    """trace-cmd on a mounted machine. Its working directory is a folder of its own."""

    def run(self, *words: str, status: int = 0) -> str:
        return run_host([*EMU, "tracecmd", "--on", str(self.path), "--", *words], status, self.work)

    @property
    def work(self) -> Path:
        folder = self.path.parent / "work"
        folder.mkdir(exist_ok=True)
        return folder


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TraceCmd]:
    with TraceCmd(tmp_path_factory.mktemp("trace-cmd") / "t") as mount:
        yield mount
        assert mount.end(signal.SIGINT) == 0


@pytest.fixture
def trace_cmd(machine: TraceCmd) -> Iterator[TraceCmd]:
    yield machine
    machine.run("reset")
    assert machine.read("current_tracer") == "nop\n"
    machine.write("tracing_on", "1")


def without_numbers(text: str) -> str:
    return re.sub(r"\d+", "N", text)


def test_list(trace_cmd: TraceCmd) -> None:
    tracers = trace_cmd.run("list", "-t")
    assert tracers.replace("branch ", "") == read_golden("tracecmd-list-t.txt")
    assert trace_cmd.run("list", "-e", "^sched:sched_switch").split() == ["sched:sched_switch"]
    assert "vfs_read" in trace_cmd.run("list", "-f", "^vfs_read").split()
    assert trace_cmd.run("list", "-C") == trace_cmd.read("trace_clock")


def test_stat_and_show_are_those_of_a_real_linux(trace_cmd: TraceCmd) -> None:
    trace_cmd.run("start", "-p", "function_graph", "guest", "ls")
    expected = read_golden("tracecmd-stat.txt")
    assert without_numbers(trace_cmd.run("stat")) == without_numbers(expected)
    real, shown = (text.splitlines() for text in (read_golden("tracecmd-show.txt"), trace_cmd.run("show")))
    assert shown[:4] == real[:4]
    kinds = [{re.sub(r"[\d.]+|\w+(?=\()", "N", line.strip()) for line in lines[4:]} for lines in (real, shown)]
    assert len(kinds[0] & kinds[1]) > 3  # leaves, braces, marks: the same kinds of lines


def test_record_is_read_by_both(trace_cmd: TraceCmd) -> None:
    # No idle tasks: trace-cmd 3.1.6 confuses exits of different ones (docs/traces-as-data.md).
    trace_cmd.run("record", "-p", "function_graph", "-g", "sys_*", "-e", "sched", "guest", "ls /bin | wc -l")
    file = trace_cmd.work / "trace.dat"
    report = run_host(["trace-cmd", "report", str(file)])
    assert report == run_host([*EMU, "report", str(file)])
    assert "sched_switch" in report and "sys_execve" in report
    assert trace_cmd.run("hist", "-i", str(file)) == run_host(["trace-cmd", "hist", "-i", str(file)])


def test_nothing_is_recorded_twice_or_lost(trace_cmd: TraceCmd) -> None:
    trace_cmd.run("record", "-o", "all.dat", "-e", "raw_syscalls:sys_enter", "guest", "busy 4 4")
    calls = Trace.open(trace_cmd.work / "all.dat")["raw_syscalls:sys_enter"]
    assert len(calls["time"]) == len({*zip(calls["time"], calls["cpu"], calls["pid"], strict=True)}) > 100
    assert "overrun: 0\n" in trace_cmd.read("per_cpu/cpu0/stats")


def test_start_stop_restart_clear_reset(trace_cmd: TraceCmd) -> None:
    trace_cmd.run("start", "-e", "sched:sched_switch", "-f", "next_pid != 0", "-p", "function", "-l", "vfs_*")
    assert trace_cmd.read("current_tracer") == "function\n"
    assert trace_cmd.read("events/sched/sched_switch/filter") == "(next_pid != 0)\n"
    trace_cmd.run("stop")
    assert trace_cmd.read("tracing_on") == "0\n"
    trace_cmd.run("restart")
    assert trace_cmd.read("tracing_on") == "1\n"
    trace_cmd.guest("ls")
    assert "vfs_write" in trace_cmd.read("trace")
    trace_cmd.run("clear")
    assert "vfs_write" not in trace_cmd.read("trace")
    trace_cmd.run("reset")
    assert [trace_cmd.read(file) for file in ("current_tracer", "set_event")] == ["nop\n", ""]


def test_extract(trace_cmd: TraceCmd) -> None:
    trace_cmd.run("start", "-e", "sched:sched_switch", "guest", "ls | wc -l")
    trace_cmd.run("stop")
    count = trace_cmd.read("trace").count("sched_switch:")
    trace_cmd.run("extract", "-o", "extracted.dat")
    report = run_host([*EMU, "report", str(trace_cmd.work / "extracted.dat")])
    assert report.count("sched_switch:") == count > 5


def test_stream(trace_cmd: TraceCmd) -> None:
    """buffer_percent says how full the buffer must be before readers wake up; the default is half."""
    trace_cmd.write("buffer_percent", "0")
    said = trace_cmd.run("stream", "-e", "sched:sched_switch", "guest", "busy 4 40")
    assert said.count("sched_switch:") > 100
    trace_cmd.write("buffer_percent", "50")


def test_snapshot_and_stack(trace_cmd: TraceCmd) -> None:
    trace_cmd.run("start", "-e", "sched:sched_switch", "guest", "ls")
    trace_cmd.run("snapshot", "-s")
    assert "sched_switch:" in trace_cmd.run("snapshot")
    trace_cmd.run("snapshot", "-f")
    assert "Snapshot is freed" in trace_cmd.read("snapshot")
    trace_cmd.run("stack", "--start")
    trace_cmd.guest("ls /bin")
    assert re.match(r"\(stack tracer running\)\n +Depth +Size +Location", trace_cmd.run("stack"))
    trace_cmd.run("stack", "--stop")
    assert "stack tracer not running" in trace_cmd.run("stack")


def test_instances(trace_cmd: TraceCmd) -> None:
    trace_cmd.run("start", "-B", "calls", "-e", "raw_syscalls:sys_enter", "guest", "ls")
    assert trace_cmd.run("list", "-B").split() == ["calls"]
    assert "sys_enter: NR" in trace_cmd.run("show", "-B", "calls")
    trace_cmd.run("reset", "-B", "calls", "-d")
    assert os.listdir(trace_cmd.path / "instances") == []


def test_two_at_once(trace_cmd: TraceCmd) -> None:
    """One records while another reads."""
    words = ["record", "-o", "two.dat", "-p", "function", "guest", "busy 4 10"]
    record = [*EMU, "tracecmd", "--on", str(trace_cmd.path), "--", *words]
    with started(record, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=trace_cmd.work) as recording:
        looks = 0
        while recording.poll() is None:
            assert "function" in trace_cmd.run("list", "-t")
            looks += 1
        assert (recording.wait(60), looks > 0) == (0, True)
    assert len(Trace.open(trace_cmd.work / "two.dat")["ftrace:function"]["time"]) > 10_000


def test_its_own_status_and_output_pass(trace_cmd: TraceCmd) -> None:
    own = subprocess.run(["trace-cmd", "bogus"], capture_output=True, text=True, timeout=30, check=False)
    assert own.returncode != 0
    assert trace_cmd.run("bogus", status=own.returncode) == own.stdout


def test_a_machine_of_its_own(tmp_path: Path) -> None:
    words = [*EMU, "tracecmd", "--cpus", "3", "--", "record", "-e", "sched", "guest", "ls /bin"]
    run_host(words, cwd=tmp_path)
    trace = Trace.open(tmp_path / "trace.dat")
    assert trace.recording.cpu_count == 3
    assert len(trace["sched:sched_switch"]["time"]) > 3


def test_a_machine_of_the_other_byte_order(tmp_path: Path) -> None:
    emu = [*EMU, "tracecmd", "--arch", "sparc64"]
    assert "function_graph" in run_host([*emu, "--", "list", "-t"])
    assert run_host([*emu, "--guest", "while :; do ls; done", "--", "start", "-e", "sched", "sleep", "0.1"]) == ""
    done = subprocess.run([*emu, "--", "record", "guest", "ls"], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2 and "byte order" in done.stderr and done.stderr.count("\n") == 1
