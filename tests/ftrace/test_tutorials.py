# SPDX-License-Identifier: GPL-2.0-only
"""Sessions of the ftrace documents, typed into the guest's shell: each has the effect that its document describes."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from emu.kernel.files.share import Share
from emu.machine import Machine
from tests.lib.arches import FACTS
from tests.lib.host_compiler import compile_static
from tests.lib.sessions import session

ENTRY = re.compile(r"^\s*(?P<comm>.{1,16})-(?P<pid>\d+)\s+\[\d+\] \S+\s+[\d.]+: (?P<function>[\w.]+)", re.M)

# A line of a graph with funcgraph-abstime and funcgraph-proc.
GRAPH_LINE = re.compile(
    r" *(?P<time>\d+\.\d+) \| +\d+\) +(?P<comm>\S+)-(?P<pid>\d+) +\|(?: [ +!#*@$] *(?P<duration>[\d.]+) us| +) +\|"
    r"(?P<depth> +)(?:(?P<name>\w+)\(\)(?: \{|;)|\}.*)$"
)
SWITCH = re.compile(r" +\d+\) +\S+-(\d+) +=> +\S+-(\d+)")

# Function graph tracing, "Tutorial/Samples"; tracing_enabled has been called tracing_on since.
FIRST_TRACE = r"""
mkdir /debug
mount -t debugfs debugfs /debug
cd /debug/tracing
echo function_graph > current_tracer
echo funcgraph-abstime > trace_options
echo funcgraph-proc > trace_options
echo 10000 > buffer_size_kb
echo 1 > tracing_on ; ls /bin | sed s/[aeiou]/z/g ; \
	echo "marker test!" > trace_marker ; echo 0 >tracing_on
cat trace > /tmp/trace1.txt
ls -l /tmp/trace1.txt
"""

# The document's program with the same purpose: it finds debugfs, has itself traced, and becomes the command.
TRACER_IN_C = r"""
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int control(const char *debugfs, const char *name)
{
	char path[400];

	snprintf(path, sizeof(path), "%s/tracing/%s", debugfs, name);
	return open(path, O_WRONLY);
}

int main(int argc, char **argv)
{
	char debugfs[257], type[100] = "", line[64];
	FILE *mounts = fopen("/proc/mounts", "r");
	int tracer, pid;

	while (mounts && fscanf(mounts, "%*s %256s %99s%*[^\n]", debugfs, type) == 2 && strcmp(type, "debugfs"))
		;
	if (strcmp(type, "debugfs"))
		return 1;
	tracer = control(debugfs, "current_tracer");
	pid = control(debugfs, "set_ftrace_pid");
	if (write(tracer, "nop", 3) != 3 || write(pid, line, sprintf(line, "%d\n", getpid())) < 1)
		return 2;
	if (write(tracer, "function", 8) != 8)
		return 3;
	close(pid);
	close(tracer);
	execvp(argv[1], argv + 1);
	return 4;
}
"""


# What a machine's tracing is like when it has booted.
BEGINNING = {"current_tracer": "nop", "set_ftrace_filter": "", "tracing_thresh": "0", "trace": "", "tracing_on": "1"}


@pytest.fixture
def machine(booted: Machine) -> Machine:
    for name, text in BEGINNING.items():
        booted.tracefs.write(name, text)
    return booted


def entries(machine: Machine) -> list[re.Match[str]]:
    return list(ENTRY.finditer(machine.tracefs.read("trace")))


def outermost(line: re.Match[str], function: str) -> bool:
    """Whether a program's call of the function begins here."""
    return line["depth"] == "  " and line["name"] == function


def functions(machine: Machine) -> set[str]:
    return {entry["function"] for entry in entries(machine)}


def graph(machine: Machine) -> str:
    return "".join(line for line in machine.tracefs.read("trace").splitlines(True) if not line.startswith("#"))


def test_the_first_trace(arch: str) -> None:
    """What the tutorial says to look for can be found. On one CPU, so that the programs must take turns."""
    done = subprocess.run(
        [sys.executable, "-m", "emu", "shell", "--arch", arch, "--cpus", "1"],
        input=f"{FIRST_TRACE}cat /tmp/trace1.txt\nexit 7\n".encode(),
        capture_output=True,
        check=False,
    )
    assert done.returncode == 7, done.stderr
    output, head, rest = done.stdout.decode().partition("# tracer: function_graph\n")
    text = head + rest
    assert "\ntzskszt\n" in output
    assert f" {len(text)} " in output.splitlines()[-1]
    lines = [found for found in map(GRAPH_LINE.match, text.splitlines()) if found]
    tasks = {name: {line["pid"] for line in lines if line["comm"] == name} for name in ("sh", "ls", "sed")}
    (ls,), (sed,) = tasks["ls"], tasks["sed"]
    (shell,) = {line["pid"] for line in lines if outermost(line, "sys_pipe2")} & tasks["sh"]

    # "the shell forks and execs ls and sed"
    assert sum(outermost(line, "sys_fork") for line in lines if line["pid"] == shell) == 2
    assert {ls, sed} <= {line["pid"] for line in lines if outermost(line, "sys_execve")}
    # "timer interrupts which cause context switches between the three processes": on the way back to the program.
    latest = ["", ""]
    switched = set()
    for row in text.splitlines():
        if change := SWITCH.match(row):
            switched |= {change.groups()} if latest == [FACTS[arch].timer_interrupt, "exit_to_user_mode_prepare"] else set()
        elif (line := GRAPH_LINE.match(row)) and line["name"] and line["depth"] == "  ":
            latest = [latest[1], line["name"]]
    assert switched & {(ls, sed), (sed, ls), (shell, ls), (shell, sed)}
    # "page faults during ls and sed startup"
    faults = [line["pid"] for line in lines if outermost(line, FACTS[arch].page_fault)]
    assert min(faults.count(ls), faults.count(sed)) > 10
    # "routines starting with sys_ which are at the top level", "the duration value" "at the same indentation level"
    under_way: dict[str, str] = {}
    durations: dict[str, list[float]] = {}
    for line in lines:
        if line["name"] and line["depth"] == "  ":
            under_way[line["pid"]] = line["name"]
        if line["duration"] and line["depth"] == "  " and line["pid"] in under_way:
            durations.setdefault(under_way.pop(line["pid"]), []).append(float(line["duration"]))
    assert {"sys_pipe2", "sys_fork", "sys_execve", "sys_getdents64", "sys_read", "sys_write", "sys_wait4"} <= set(durations)
    assert not [line["name"] for line in lines if (line["name"] or "").startswith("sys_") and line["depth"] != "  "]
    assert max(durations["sys_wait4"]) > sum(durations["sys_execve"])  # it waited while others ran
    # "the comment "marker test!" near the end of the trace"
    assert text.index("/* marker test! */") > 0.9 * len(text)
    times = [float(line["time"]) for line in lines]
    assert len(times) > 1000
    assert times == sorted(times)


def test_a_program_with_the_hosts_libc_traces_one_command(arch: str, tmp_path: Path) -> None:
    compile_static(arch, TRACER_IN_C, tmp_path / "tracer")
    with Machine(arch=arch, shares=[Share(tmp_path, "/p")]) as machine:
        session(machine, "/p/tracer ls /bin\necho 0 > tracing_on\n")
        assert {entry["comm"].strip() for entry in entries(machine)} == {"ls"}
        assert {"sys_execve", "sys_getdents64"} <= functions(machine)


def test_functions_by_number(machine: Machine) -> None:
    first, fiftieth, *chosen = session(
        machine,
        "head -1 available_filter_functions\nhead -50 available_filter_functions | tail -1\necho 1 50 > set_ftrace_filter\n"
        "cat set_ftrace_filter\n",
    ).splitlines()
    assert chosen == [first, fiftieth]


def test_only_long_calls_of_the_graph(machine: Machine) -> None:
    """With tracing_thresh there are returns only, of calls that took so long."""
    output = session(
        machine,
        "echo 500 > tracing_thresh\ncat tracing_thresh\necho function_graph > current_tracer\nls /bin > /dev/null\nusleep 2000\n"
        "echo 0 > tracing_on\necho abc > tracing_thresh\necho 0 > tracing_thresh\n",
    )
    assert output == "500\nsh: 8: echo: write error: Invalid argument\n"
    lines = re.findall(r"^ \d\) (.*)us +\| +(.*)$", graph(machine), re.M)
    assert {"} /* sys_nanosleep */", "} /* do_nanosleep */"} <= {line for _, line in lines}
    assert all(float(duration.lstrip("+!#*@$ ")) >= 500 for duration, _ in lines)
    assert not re.search(r"\w\(\)", graph(machine))
