# SPDX-License-Identifier: GPL-2.0-only
"""The `emu` command as users run it, on the real machine; in a process of its own where signals or streams matter."""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from emu.trace import Trace
from tests.cli.conftest import Emu
from tests.lib.arches import FACTS
from tests.lib.golden import read_golden

EMU = [sys.executable, "-m", "emu"]
PIPELINE = "ls /bin | sed s/[aeiou]/z/g"


def header(text: str) -> list[str]:
    """The comment lines at the top."""
    return [line for line in text.splitlines() if line.startswith("#")]


@pytest.fixture(scope="module")
def graph(arch: str) -> subprocess.CompletedProcess[bytes]:
    options = ["--arch", arch, "-p", "function_graph", "-b", "8000", "-O", "funcgraph-proc"]
    return subprocess.run([*EMU, "run", *options, "--", PIPELINE], capture_output=True)


def test_the_pipeline_in_function_graph(arch: str, graph: subprocess.CompletedProcess[bytes]) -> None:
    """The shell forks and executes ls and sed; system calls, faults, interrupts and switches are nested correctly."""
    assert graph.returncode == 0
    text = graph.stdout.decode()
    assert header(text) == header(read_golden("function_graph-proc.txt"))
    top_level = set(re.findall(r"\|  (\w+)\(\) \{$", text, re.MULTILINE))
    assert {"sys_execve", FACTS[arch].page_fault} <= top_level
    for call in (FACTS[arch].fork, "sys_execve", "sys_pipe2", "sys_wait4", "sys_read", "sys_write", "do_exit"):
        assert f" {call}()" in text
    assert re.search(rf"==========> \|\n .*\|  +{FACTS[arch].timer_interrupt}\(\) \{{", text)
    for name in ("sh", "ls", "sed"):
        assert re.search(rf"^ \d\)  .* => +{name}-\d+ +$", text, re.MULTILINE), name
    entries = len(re.findall(r"\{$", text, re.MULTILINE))
    exits = len(re.findall(r"\|  +\}", text))
    assert abs(entries - exits) < 80  # calls active at the beginning and at the end, and do_exit of four tasks


def test_the_guests_output_is_on_standard_error(arch: str, graph: subprocess.CompletedProcess[bytes], emu: Emu) -> None:
    names = emu("run", "--arch", arch, "-p", "nop", "--", "ls /bin").err
    assert "sed\n" in names
    assert graph.stderr.decode() == re.sub("[aeiou]", "z", names)


def test_function_has_the_goldens_header_and_columns(arch: str, emu: Emu) -> None:
    done = emu("run", "--arch", arch, "-p", "function", "-l", "vfs_*", "--", "cat /init > /dev/null")
    text = done.out.decode()
    golden = read_golden("function.txt")
    assert header(text)[4:] == header(golden)[4:]
    line = re.compile(r" *\S+-\d+ +\[\d{3}\] [.dDbB][.NnpLB][.hHsZz][.\d][.\d] +\d+\.\d{6}: \S+ <-\S+")
    rows = [row for row in text.splitlines() if not row.startswith("#")]
    assert len(rows) > 5
    assert all(line.fullmatch(row) for row in rows)
    assert all(line.fullmatch(row) for row in golden.splitlines() if not row.startswith("#"))
    assert all(row.split(": ")[1].startswith("vfs_") for row in rows)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["-p", "bogus"], "no tracer 'bogus'"),
        (["-l", "nosuch"], "no traceable function matches 'nosuch'"),
        (["-l", "vfs_raed"], "did you mean vfs_read?"),
        (["-O", "bogus"], "no option 'bogus'"),
        (["--arch", "mips"], "unknown architecture 'mips'"),
        (["--set", "nosuch=1"], "nosuch"),
        (["--cpus", "0"], "0 CPUs"),
        (["--cpus", "9"], "9 CPUs"),
        (["--arch", "sparc64", "--cpus", "129"], "129 CPUs"),
        (["--cpus", "x"], "'x' is not a valid integer"),
        (["-o", "/nosuch/file"], "cannot write /nosuch/file"),
        (["--image", "/etc/passwd"], "not an ELF image"),
        (["--memory", "1"], "MiB"),
        (["--quantum", "1" * 30], "a quantum of"),
        (["-P", "one"], "-P: 'one' is not a process number"),
        (["-P", "-3"], "-P: '-3' is not a process number"),
        (["-P", "9" * 20], "-P: '99999999999999999999' is not a process number"),
        (["-b", str((1 << 64) - 1)], "no memory for 2 ring buffers"),
        (["--share", ":rw"], "names no folder"),
    ],
)
def test_bad_input_is_one_line_and_status_2(arguments: list[str], complaint: str, emu: Emu) -> None:
    status, out, err = emu("run", *arguments, "--", "true")
    assert (status, out) == (2, b"")
    lines = err.splitlines()
    assert len(lines) == 1
    assert lines[0].startswith("emu: ") and complaint in lines[0]


def test_a_command_that_does_not_fit_is_not_cut(emu: Emu) -> None:
    assert emu("run", "--", "echo " + "x" * 5000) == (2, b"", "emu: a command of 5012 bytes: at most 4096 fit\n")


def tasks_traced(emu: Emu, *arguments: str) -> set[str]:
    """The tasks in the trace of a pipeline of ls and cat."""
    status, out, _ = emu("run", *arguments, "-p", "function", "-b", "8000", "--", "ls / | cat")
    assert status == 0
    return set(re.findall(r"^ *(\S+-\d+) +\[", out.decode(), re.MULTILINE))


def names(tasks: set[str]) -> set[str]:
    return {task.rpartition("-")[0] for task in tasks}


def test_only_the_command_or_some_tasks(emu: Emu) -> None:
    assert names(tasks_traced(emu)) >= {"<idle>", "init", "sh", "ls", "cat"}
    followed = tasks_traced(emu, "-F")
    assert names(followed) == {"sh", "ls", "cat"}
    assert tasks_traced(emu, "-F", "-P", "1") == followed | {"init-1"}


def test_events_are_of_the_same_tasks(arch: str, emu: Emu, tmp_path: Path) -> None:
    file = str(tmp_path / "trace.dat")
    words = ["-F", "-P", "1", "-e", "sched:sched_switch", "-e", "raw_syscalls", "-B", "foo", "-e", "raw_syscalls", "-o", file]
    emu("record", "--arch", arch, *words, "--", "ls / | cat")
    top, foo = (Trace.open(file).buffer(name) for name in ("", "foo"))
    assert called(foo) == {"sh", "ls", "cat"}
    assert called(top) == called(foo) | {"init"}  # -P applies to the array before it
    switches = top["sched_switch"]
    sides = zip(switches["prev_comm"], switches["next_comm"], strict=True)
    assert all({before, after} & called(top) for before, after in sides)


def called(trace: Trace) -> set[str]:
    """The names of tasks with recorded system calls."""
    return {trace.tasks.name_of(pid) for pid in trace["sys_enter"]["common_pid"].tolist()}


@pytest.mark.parametrize(
    ("command", "status"),
    [(["exit 7"], 7), (["nosuch"], 127), (["kill -9 $$"], 137), (["sh", "-c", "exit 7"], 7), (["nosuch", "-x"], 127)],
)
def test_the_exit_status_is_the_commands(arch: str, command: list[str], status: int, emu: Emu) -> None:
    assert emu("run", "--arch", arch, "--", *command).status == status


def test_several_words_are_a_program_and_its_arguments(emu: Emu) -> None:
    done = emu("run", "-p", "nop", "--", "printf", "[%s]", "two words", "$HOME | cat", "")
    assert done.err == "[two words][$HOME | cat][]"


def test_the_patching_method_and_the_kernels_parameters_are_chosen(arch: str, emu: Emu) -> None:
    arguments = ("--arch", arch, "--patching", "stop_machine", "--append", "nmi_watchdog=1 watchdog_thresh=1")
    status, out, err = emu("run", *arguments, "-p", "function", "-l", "nmi_handle", "--", "sleep 3")
    assert (status, err) == (0, "")
    assert b"nmi_handle <-" in out
    status, out, err = emu("run", "--arch", arch, "--patching", "magic", "--", "true")
    assert (status, out) == (2, b"")
    assert "has no patching protocol 'magic' (it has: " in err


def test_the_shell_runs_a_script_and_returns_its_status(arch: str, emu: Emu) -> None:
    script = b"x=5\necho $x | cat\nls /bin | sed -n /busy/p\nexit 3\n"
    assert emu("shell", "--arch", arch, "--cpus", "1", stdin=script) == (3, b"5\nbusy\n", "")


@pytest.mark.parametrize(("arch", "number"), [("x86_64", signal.SIGINT), ("sparc64", signal.SIGTERM)])
def test_interrupting_stops_at_once_and_writes_what_was_traced(arch: str, tmp_path: Path, number: signal.Signals) -> None:
    file = tmp_path / "trace.txt"
    options = ["--arch", arch, "-p", "function", "-l", "sys_write", "-o", str(file)]
    command = [*EMU, "run", *options, "--", "echo go; while :; do ls > /dev/null; done"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, env=os.environ) as process:
        assert process.stderr is not None
        assert process.stderr.readline() == b"go\n"
        time.sleep(0.3)
        process.send_signal(number)
        assert process.wait(timeout=30) == 128 + number
        assert b"Traceback" not in process.stderr.read()
    assert "sys_write" in file.read_text()
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize(("command", "redirections", "status", "message"), [
    ("run -p nop -- echo hi", "> /dev/full", 2, "emu: cannot write standard output: No space left on device\n"),
    ("shell", ">&-", 2, "emu: cannot write standard output: Bad file descriptor\n"),
    ("shell", "<&- 2>&1 >/dev/null", 0, ""),
    ("run -p nop -- echo hi", "2>&- >/dev/null", 0, ""),
])
def test_standard_streams_that_are_closed_or_full(command: str, redirections: str, status: int, message: str) -> None:
    """One line and an exit status; what cannot be printed is dropped."""
    line = f"echo 'echo hi' | {shlex.join(EMU)} {command} {redirections}"
    done = subprocess.run(["sh", "-c", line], capture_output=True, check=False)
    output = done.stderr.decode().replace("hi\n", "")
    assert (done.returncode, output) == (status, message)
