# SPDX-License-Identifier: GPL-2.0-only
"""emu record and emu reproduce: the content of the file, and what happens to it after an error."""

from __future__ import annotations

import errno
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from emu.cpu.arch import load
from emu.trace import Trace
from emu.trace.dat.options import OptionNumber
from emu.trace.disk_recording import _ArrayPages
from tests.cli.conftest import Emu

COMMAND = ("-b", "20000", "-e", "sched", "--", "ls /bin | wc -l")


@pytest.mark.parametrize("tracer", ["function", "function_graph", "nop"])
def test_a_recording_has_the_trace_that_a_run_shows(arch: str, tracer: str, tmp_path: Path, emu: Emu) -> None:
    shown = emu("run", "--arch", arch, "-p", tracer, *COMMAND).out
    file = tmp_path / "trace.dat"
    assert emu("record", "--arch", arch, "-p", tracer, "-o", str(file), *COMMAND).status == 0
    assert emu("report", "--format", "trace", str(file)).out == shown


def test_buffers_may_be_smaller_than_the_trace(arch: str, tmp_path: Path, emu: Emu) -> None:
    small, large = tmp_path / "small.dat", tmp_path / "large.dat"
    for file, size in ((small, "8"), (large, "20000")):
        emu("record", "--arch", arch, "-p", "function", "-b", size, "-o", str(file), "--", "ls /bin")
    traces = [Trace.open(file) for file in (small, large)]
    for name in ("time", "cpu", "pid", "ip", "parent_ip"):
        one, other = (trace["ftrace:function"][name] for trace in traces)
        assert len(one) > 4000
        assert one.tolist() == other.tolist()


@pytest.mark.parametrize("options", [[], ["--compress"], ["--v6"]], ids=["plain", "zstd", "version 6"])
def test_instances_are_buffers_of_their_own(arch: str, options: list[str], tmp_path: Path, emu: Emu) -> None:
    file = tmp_path / "trace.dat"
    words = ["-e", "sched:sched_switch", "-B", "calls", "-e", "raw_syscalls:sys_enter", "-f", "id > 2", "-B", "empty"]
    emu("record", "--arch", arch, "--cpus", "3", *words, *options, "-o", str(file), "--", "ls /bin | wc -l")
    trace = Trace.open(file)
    assert [buffer.name for buffer in trace.recording.buffers] == ["", "calls", "empty"]
    assert set(trace.buffer("").events) == {"sched:sched_switch"}
    calls = trace.buffer("calls")
    assert set(calls.events) == {"raw_syscalls:sys_enter"}
    assert calls["sys_enter"]["id"].min() > 2
    assert trace.recording.byte_order == {"little": "<", "big": ">"}[load(arch).byte_order]
    assert re.fullmatch(rf"Linux emu 6\.1\.\S+ {arch}", trace.recording.uname)
    assert (trace.recording.cpu_count, len(trace.recording.cpu_stats)) == (3, 3)


def test_trace_cmd_reads_it_the_same(arch: str, tmp_path: Path, emu: Emu) -> None:
    if shutil.which("trace-cmd") is None:
        pytest.skip("needs the package trace-cmd")
    for options in ([], ["--compress"], ["--v6"]):
        file = tmp_path / "trace.dat"
        command = ["-p", "function", "-e", "sched", "-e", "irq", *options, "-o", str(file), "--", "ls /bin | wc -l"]
        emu("record", "--arch", arch, *command)
        done = subprocess.run(["trace-cmd", "report", file], capture_output=True, check=True)
        assert len(done.stdout.splitlines()) > 5000
        assert emu("report", str(file)).out == done.stdout


def test_trace_cmd_reads_function_graph_on_two_cpus_the_same(arch: str, tmp_path: Path, emu: Emu) -> None:
    """The idle tasks of both CPUs have pid 0: while they are in the same function, trace-cmd 3.1.6 confuses them."""
    if shutil.which("trace-cmd") is None:
        pytest.skip("needs the package trace-cmd")
    file = tmp_path / "trace.dat"
    emu("record", "--arch", arch, "--cpus", "2", "-p", "function_graph", "-o", str(file), "--", "ls /bin")
    done = subprocess.run(["trace-cmd", "report", file], capture_output=True, check=True)
    assert b"[000]" in done.stdout and b"[001]" in done.stdout
    assert emu("report", str(file)).out == done.stdout


@pytest.mark.parametrize("tracer", ["function", "function_graph"])
def test_it_begins_in_the_process_that_executes_the_command(arch: str, tracer: str, tmp_path: Path, emu: Emu) -> None:
    file = tmp_path / "trace.dat"
    emu("record", "--arch", arch, "-p", tracer, "-l", "sys_*", "-B", "calls", "-e", "raw_syscalls", "-o", str(file), "--", "true")
    trace = Trace.open(file)
    functions = trace.calls["function"] if tracer == "function_graph" else map(trace.symbols.name_of, trace["function"]["ip"])
    assert next(iter(functions)) == "sys_execve"
    calls = trace.buffer("calls")["sys_enter"]
    assert set(calls["pid"][:5]) == {trace.first.pid[0]}


def test_who_writes_tracing_on_decides(tmp_path: Path, emu: Emu) -> None:
    file, words = tmp_path / "trace.dat", ["-p", "function", "-l", "sys_*"]
    assert emu("record", *words, "--set", "tracing_on=0", "-o", str(file), "--", "true").status == 0
    assert len(Trace.open(file)) == 0
    emu("record", *words, "--set", "tracing_on=0", "-l", "sys_execve:traceon", "-o", str(file), "--", "true")
    trace = Trace.open(file)
    assert "sys_exit_group" in map(trace.symbols.name_of, trace["function"]["ip"])
    emu("record", *words, "-B", "off", "-e", "raw_syscalls", "--set", "tracing_on=0", "-o", str(file), "--", "true")
    trace = Trace.open(file)
    assert (len(trace.buffer("off")), len(trace.buffer("")) > 0) == (0, True)


def test_what_boot_options_have_recorded_is_kept(emu: Emu) -> None:
    boot = ["--append", "ftrace=function ftrace_filter=sys_*,start_secondary,rest_init"]
    alone = emu("run", *boot, "--", "true").out
    assert b": rest_init <-" in alone and b": sys_fork <-" in alone and b": sys_exit_group <-" in alone
    more = emu("run", *boot, "-e", "sched:sched_process_exit", "--", "true").out
    assert b": rest_init <-" in more and b": sys_fork <-" not in more and b": sched_process_exit: comm=sh " in more


def test_it_can_be_made_again(arch: str, tmp_path: Path, emu: Emu) -> None:
    file = tmp_path / "trace.dat"
    command = ["--arch", arch, "--seed", "5", "-F", "-p", "function_graph", "-o", str(file), "--compress", "--", "ls", "/bin"]
    emu("record", *command)
    [origin] = [json.loads(o.data) for o in Trace.open(file).recording.options if o.number == OptionNumber.ORIGIN]
    assert (origin["arch"], origin["seed"], origin["words"]) == (arch, 5, [w for w in command if w not in ("-o", str(file))])
    again = emu("reproduce", str(file))
    assert (again.status, again.out.decode()) == (0, f"{file}: the same, {file.stat().st_size} bytes\n")


def test_what_is_not_the_same_is_named(tmp_path: Path, emu: Emu) -> None:
    file, new = tmp_path / "trace.dat", tmp_path / "new.dat"
    assert emu("run", "-p", "function", "--seed", "5", "-o", str(file), "--", "true").status == 0
    content = file.read_bytes()
    file.write_bytes(content.replace(b'"seed": 5', b'"seed": 6'))
    again = emu("reproduce", "-o", str(new), str(file))
    place = content.index(b'"seed": 5') + len(b'"seed": ')
    assert (again.status, again.out.decode()) == (1, f"{file}: differs from byte {place} on: other seed (6, now 5)\n")
    assert new.read_bytes() == content
    file.write_bytes(content.replace(b'"seed": 5', b'"seed": x'))
    assert (again := emu("reproduce", str(file))).status == 2
    assert again.err == f"emu: {file}: its record of its origin is damaged\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["-f", "id > 2", "-e", "sched"], "-f 'id > 2' must come after the -e that it is about"),
        (["-B", "", "-e", "sched"], "-B '': an instance needs a name of its own, without '/'"),
        (["-B", "a", "-B", "a"], "-B 'a': an instance needs a name of its own, without '/'"),
        (["-B", "a", "--sample", "traps:7"], "--sample: only the top trace array has hardware events, not the instance a"),
        (["-B", "a", "-p", "bogus"], "-p: there is no tracer 'bogus'"),
        (["-p", "irqsoff"], "-p irqsoff keeps the trace of the longest time only: `emu run -p irqsoff` shows it"),
        (["--v6", "--compress"], "--v6 --compress: version 6 of trace.dat has no compression"),
    ],
)
def test_what_cannot_be_recorded(words: list[str], said: str, tmp_path: Path, emu: Emu) -> None:
    file = tmp_path / "trace.dat"
    done = emu("record", "-o", str(file), *words, "--", "true")
    assert done.status == 2
    assert said in done.err
    assert done.err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_cannot_be_written_is_named_before_anything_runs(tmp_path: Path, emu: Emu) -> None:
    for path, why in ((tmp_path / "no" / "trace.dat", "No such file or directory"), (tmp_path, "it is no regular file")):
        done = emu("record", "-p", "function", "-o", str(path), "--", "echo hi")
        assert (done.status, done.err) == (2, f"emu: cannot write {path}: {why}\n")


def test_a_full_disk_ends_the_run(tmp_path: Path, emu: Emu, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "trace.dat"
    file.write_bytes(b"what was there")

    def full(pages: _ArrayPages, *_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(_ArrayPages, "_append", full)
    done = emu("record", "-p", "function", "-b", "8", "-o", str(file), "--", "ls /bin")
    assert (done.status, done.err.splitlines()[-1]) == (2, f"emu: cannot write {file}: No space left on device")
    assert [entry.name for entry in tmp_path.iterdir()] == ["trace.dat"]
    assert file.read_bytes() == b"what was there"


def test_what_was_recorded_until_a_limit_is_written(tmp_path: Path, emu: Emu) -> None:
    file = tmp_path / "trace.dat"
    done = emu("record", "-p", "function", "-o", str(file), "--limit", "2ms", "--", "while :; do :; done")
    assert done.status == 124
    assert len(Trace.open(file)["ftrace:function"]["time"]) > 100
