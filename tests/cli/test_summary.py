# SPDX-License-Identifier: GPL-2.0-only
"""The summary that `emu run` prints: the trace in numbers, and what could have been traced."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from emu.cli.quantities import time_text
from emu.machine import Machine
from tests.cli.conftest import Emu
from tests.lib.terminal import emu_on_a_terminal

ROW = re.compile(r" *\S+-(\d+) +\[(\d{3})\] .{5} +(\d+\.\d+): ", re.MULTILINE)

WRITTEN = re.compile(r"entries-written: (\d+)/(\d+)")


def last_line_and_trace(tmp_path: Path, *arguments: str) -> tuple[str, str]:
    """Standard output is a file; only standard error is a terminal."""
    with (tmp_path / "trace").open("wb") as file:
        seen = emu_on_a_terminal("run", *arguments, stdout=file)
    assert seen.status == 0
    return seen.text.splitlines()[-1].split("\x1b[K")[-1], (tmp_path / "trace").read_text()


def test_the_numbers_are_those_of_the_trace(arch: str, tmp_path: Path) -> None:
    line, trace = last_line_and_trace(tmp_path, "--arch", arch, "-p", "function", "-b", "20000", "--", "ls | cat > /dev/null")
    rows = ROW.findall(trace)
    assert len(rows) > 1000
    pids, cpus = {int(pid) for pid, _, _ in rows} - {0}, {cpu for _, cpu, _ in rows}
    what = r"([\d,]+) events of (\d) CPUs and (\d) processes, none lost"
    model = "pipeline, zen3" if arch == "x86_64" else "static"
    said = re.fullmatch(rf"emu: {what}; ([\d.]+) ms of virtual time \({model}\)", line)
    assert said is not None
    assert (int(said[1].replace(",", "")), int(said[2]), int(said[3])) == (len(rows), len(cpus), len(pids))
    traced = float(rows[-1][2]) - float(rows[0][2])
    assert -0.01 < float(said[4]) - traced * 1000 < 1


@pytest.mark.default_timing("another process, with the default, traces the same calls")
def test_lost_events_and_the_buffer_that_has_room_for_them(tmp_path: Path, emu: Emu) -> None:
    command = ["-p", "function", "--", "ls | cat > /dev/null"]
    line, trace = last_line_and_trace(tmp_path, "-b", "8", *command)
    header = WRITTEN.search(trace)
    assert header is not None
    said = re.search(r"emu: ([\d,]+) events .*, ([\d,]+) lost \(-b (\d+) has room for them\); ", line)
    assert said is not None
    events, lost = (int(number.replace(",", "")) for number in said.groups()[:2])
    assert (events, events + lost) == (int(header[1]), int(header[2]))
    header = WRITTEN.search(emu("run", "-b", said[3], *command).out.decode())
    assert header is not None
    assert int(header[1]) == int(header[2]) == events + lost


def test_events_that_found_no_room_are_lost() -> None:
    with Machine(cpus=1) as machine:
        for path, text in (("buffer_size_kb", "8"), ("trace_options", "nooverwrite"), ("current_tracer", "function")):
            machine.tracefs.write(path, text)
        machine.run("ls", trace=True)
        dropped = re.search(r"dropped events: (\d+)", machine.tracefs.read("per_cpu/cpu0/stats"))
        assert dropped is not None
        assert machine.trace_array.summary().lost == int(dropped[1]) > 100


@pytest.mark.parametrize(("options", "what"), [
    ([], r"all 3,\d{3} functions"),
    (["--seed", "7", "-l", "vfs_read", "-l", "vfs_write"], r"2 of 3,\d{3} functions"),
    (["-n", "vfs_read"], r"3,\d{3} of 3,\d{3} functions"),
    (["-g", "sys_read"], "sys_read and what is called from there"),
    (["-F"], r"all 3,\d{3} functions"),
])
def test_without_a_tracer(options: list[str], what: str, emu: Emu) -> None:
    """The suggested command does trace."""
    status, out, err = emu("run", *options, "--", "cat < /init > /dev/null")
    assert (status, out) == (0, b"")
    prefix = rf"emu: no tracer is set, so the trace is empty; -p function_graph traces {what}: "
    suggested = re.sub(prefix, "", err)
    assert suggested == shlex.join(["emu", "run", "-p", "function_graph", *options, "--", "cat < /init > /dev/null"]) + "\n"
    if options == ["-g", "sys_read"]:
        assert b"sys_read() {" in emu(*shlex.split(suggested)[1:]).out


def test_what_emu_says_begins_a_line(emu: Emu) -> None:
    assert emu("run", "--", "echo -n hello").err.startswith("hello\nemu: no tracer is set")
    arguments = ["run", "-p", "function", "-l", "vfs_write", "--", "echo -n hello"]
    assert "hello\n# tracer: function\n" in emu_on_a_terminal(*arguments, environment={"PAGER": ""}).text


@pytest.mark.parametrize("arguments", [
    ["-p", "nop", "--", "true"],
    ["--set", "current_tracer=nop", "--", "true"],
    ["-o", "/dev/stdout", "--", "true"],
    ["--", "echo hi > /sys/kernel/tracing/trace_marker"],
    ["--", "echo function > /sys/kernel/tracing/current_tracer"],
    ["--limit", "1ms", "--", "spin 1000"],
])
def test_a_trace_that_was_asked_for_is_printed_even_if_it_is_empty(arguments: list[str], emu: Emu) -> None:
    done = emu("run", *arguments)
    assert done.out.startswith(b"# tracer: ")
    assert "no tracer" not in done.err


@pytest.mark.parametrize(("time", "text"), [(0, "0 ns"), (999, "999 ns"), (1234567, "1.23 ms"), (98_765_000_000, "98.8 s")])
def test_times(time: int, text: str) -> None:
    assert time_text(time) == text


def test_the_version(emu: Emu) -> None:
    status, out, err = emu("--version")
    assert (status, err) == (0, "")
    assert re.fullmatch(rb"emu \d+\.\d+\.\d+\n", out)
    assert f"version = \"{out.decode().split()[1]}\"" in (Path(__file__).parents[2] / "pyproject.toml").read_text()
