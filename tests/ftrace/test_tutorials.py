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

# ftrace.txt, "function": a script that traces one command.
ONE_COMMAND = r"""
cat > /tmp/trace-one <<'EOF'
#!/bin/bash

debugfs=`sed -ne 's/^debugfs \(.*\) debugfs.*/\1/p' /proc/mounts`
echo nop > $debugfs/tracing/current_tracer
echo 0 > $debugfs/tracing/tracing_on
echo $$ > $debugfs/tracing/set_ftrace_pid
echo function > $debugfs/tracing/current_tracer
echo 1 > $debugfs/tracing/tracing_on
exec "$@"
EOF
chmod +x /tmp/trace-one
/tmp/trace-one ls /bin
echo 0 > /sys/kernel/debug/tracing/tracing_on
cat /sys/kernel/debug/tracing/set_ftrace_pid
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
BEGINNING = [
    ("tracing_on", "0"),
    ("current_tracer", "nop"),
    ("set_ftrace_filter", "schedule"),  # so that few sites change when the tracer does
    ("current_tracer", "function_graph"),
    *(("trace_options", option) for option in ("funcgraph-cpu", "funcgraph-overhead", "nofuncgraph-proc", "nofuncgraph-abstime")),
    ("current_tracer", "nop"),
    *(("trace_options", option) for option in ("print-parent", "nosym-offset")),
    *((name, "") for name in ("set_ftrace_filter", "set_ftrace_notrace", "set_graph_function", "set_ftrace_pid")),
    ("max_graph_depth", "0"),
    ("tracing_thresh", "0"),
    ("buffer_size_kb", "1410"),
    ("trace", ""),
    ("tracing_on", "1"),
]


@pytest.fixture
def machine(booted: Machine) -> Machine:
    for name, text in BEGINNING:
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


def test_one_command_traced_by_its_pid(machine: Machine) -> None:
    output = session(machine, ONE_COMMAND).splitlines()
    traced = {entry["pid"] for entry in entries(machine)}
    assert traced == {output[-1]}
    assert "ls" in {entry["comm"].strip() for entry in entries(machine)}
    assert {"sys_execve", "sys_getdents64", "sys_exit_group"} <= functions(machine)


def test_a_program_with_the_hosts_libc_traces_one_command(arch: str, tmp_path: Path) -> None:
    compile_static(arch, TRACER_IN_C, tmp_path / "tracer")
    with Machine(arch=arch, shares=[Share(tmp_path, "/p")]) as machine:
        session(machine, "/p/tracer ls /bin\necho 0 > tracing_on\n")
        assert {entry["comm"].strip() for entry in entries(machine)} == {"ls"}
        assert {"sys_execve", "sys_getdents64"} <= functions(machine)


def test_the_pid_of_the_shell_itself(machine: Machine) -> None:
    output = session(machine, "echo $$ > set_ftrace_pid\necho function > current_tracer\nls /bin | cat > /dev/null\necho $$\n"
                     "echo 0 > tracing_on\n")  # fmt: skip
    assert {entry["pid"] for entry in entries(machine)} == {output.strip()}
    assert session(machine, "echo > set_ftrace_pid\ncat set_ftrace_pid") == "no pid\n"


def test_function(machine: Machine) -> None:
    output = session(
        machine,
        "echo function > current_tracer\necho 1 > tracing_on\nusleep 1\necho 0 > tracing_on\n"
        "cat trace | head -1\ncat current_tracer\n",
    )
    assert output == "# tracer: function\nfunction\n"
    assert {"sys_nanosleep", "hrtimer_nanosleep", "do_nanosleep"} <= functions(machine)


def test_only_two_functions(machine: Machine) -> None:
    output = session(
        machine,
        "echo sys_nanosleep hrtimer_interrupt > set_ftrace_filter\ncat set_ftrace_filter | sort\necho function > current_tracer\n"
        "echo 1 > tracing_on\nusleep 1000\necho 0 > tracing_on\n",
    )
    assert output == "hrtimer_interrupt\nsys_nanosleep\n"
    assert functions(machine) == {"sys_nanosleep", "hrtimer_interrupt"}


def test_filters_by_pattern(machine: Machine) -> None:
    """A pattern replaces, >> adds, an exclamation mark takes away, and nothing means all."""
    output = session(
        machine,
        "echo 'hrtimer_*' > set_ftrace_filter\ngrep -vc '^hrtimer_' set_ftrace_filter\n"
        "echo sys_nanosleep > set_ftrace_filter\necho 'hrtimer_*' >> set_ftrace_filter\n"
        "grep -c '^hrtimer_' set_ftrace_filter\ngrep -c sys_nanosleep set_ftrace_filter\n"
        "echo '!hrtimer_*' >> set_ftrace_filter\ncat set_ftrace_filter\n"
        "echo > set_ftrace_filter\ncat set_ftrace_filter\n",
    ).splitlines()
    assert output[0] == "0"
    assert int(output[1]) > 3
    assert output[2:] == ["1", "sys_nanosleep", "#### all functions enabled ####"]


def test_what_is_not_to_be_traced(machine: Machine) -> None:
    session(
        machine,
        "echo '*preempt*' '*lock*' > set_ftrace_notrace\necho function > current_tracer\necho 1 > tracing_on\nusleep 1\n"
        "echo 0 > tracing_on\n",
    )
    traced = functions(machine)
    assert len(traced) > 20
    assert not [name for name in traced if "preempt" in name or "lock" in name]


def test_functions_by_number(machine: Machine) -> None:
    first, fiftieth, *chosen = session(
        machine,
        "head -1 available_filter_functions\nhead -50 available_filter_functions | tail -1\necho 1 50 > set_ftrace_filter\n"
        "cat set_ftrace_filter\n",
    ).splitlines()
    assert chosen == [first, fiftieth]


def test_the_graph_of_one_function(machine: Machine) -> None:
    session(
        machine,
        "echo sys_nanosleep > set_graph_function\necho function_graph > current_tracer\nusleep 1\necho 0 > tracing_on\n",
    )
    outermost = set(re.findall(r"\|  (\w+)\(\)", graph(machine)))
    assert "sys_nanosleep" in outermost
    assert not {"sys_openat", "sys_execve"} & outermost


def test_several_graph_functions(machine: Machine) -> None:
    output = session(
        machine,
        "echo sys_openat > set_graph_function\necho sys_close >> set_graph_function\ncat set_graph_function | sort\n"
        "echo function_graph > current_tracer\ncat /init > /dev/null\necho 0 > tracing_on\necho > set_graph_function\n"
        "cat set_graph_function\n",
    )
    assert output == "sys_close\nsys_openat\n#### all functions enabled ####\n"
    assert {"sys_openat", "sys_close"} <= set(re.findall(r"\|  (\w+)\(\)", graph(machine)))


def test_depth_of_the_graph(machine: Machine) -> None:
    session(machine, "echo 1 > max_graph_depth\necho function_graph > current_tracer\nls /bin > /dev/null\necho 0 > tracing_on\n")
    lines = graph(machine)
    assert re.search(r"us +\|  \w+\(\);", lines)
    assert not re.search(r"\|    +\w", lines)


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


def test_options_of_the_graph(machine: Machine) -> None:
    session(
        machine,
        "echo function_graph > current_tracer\necho nofuncgraph-cpu > trace_options\necho funcgraph-proc > trace_options\n"
        "echo nofuncgraph-overhead > trace_options\nusleep 1\necho 0 > tracing_on\n",
    )
    text = machine.tracefs.read("trace")
    assert "TASK/PID" in text
    assert "# CPU" not in text


def test_markers(machine: Machine) -> None:
    session(machine, "echo hello world > trace_marker\necho 'it happened' > trace_marker\n")
    text = machine.tracefs.read("trace")
    assert re.search(r"tracing_mark_write: hello world\n.*tracing_mark_write: it happened\n", text)


def test_reading_while_it_is_written(machine: Machine) -> None:
    """trace_pipe takes what it gives, waits for more, and ends when tracing is off."""
    output = session(
        machine,
        "echo function > current_tracer\ncat trace_pipe > /tmp/trace.out &\necho 1 > tracing_on\nusleep 1\necho 0 > tracing_on\n"
        "wait\ngrep -c sys_nanosleep /tmp/trace.out\ngrep -c sys_nanosleep trace || true\n",
    )
    in_pipe, left = (int(line) for line in output.splitlines()[-2:])
    assert in_pipe >= 1
    assert left == 0


def test_sizes_of_the_buffers(machine: Machine) -> None:
    output = session(
        machine,
        "echo 10000 > buffer_size_kb\ncat buffer_size_kb buffer_total_size_kb\n",
    )
    assert output == "10000\n20000\n"


def test_how_functions_are_shown(machine: Machine) -> None:
    session(
        machine,
        "echo noprint-parent > trace_options\necho sym-offset > trace_options\necho function > current_tracer\n"
        "usleep 1\necho 0 > tracing_on\n",
    )
    text = machine.tracefs.read("trace")
    assert " <-" not in text
    assert re.search(r": sys_nanosleep\+0x[0-9a-f]+/0x[0-9a-f]+\n", text)


def test_what_is_refused(machine: Machine) -> None:
    output = session(
        machine,
        "echo no_such_tracer > current_tracer\necho $?\necho no_such_function > set_ftrace_filter\necho $?\n",
    )
    assert output.splitlines() == [
        "sh: 2: echo: write error: Invalid argument",
        "1",
        "sh: 4: echo: write error: Invalid argument",
        "1",
    ]


def test_a_program_stops_its_own_tracing(machine: Machine) -> None:
    """With tracing_on kept open, as the document's program does."""
    session(
        machine,
        "echo 0 > tracing_on\necho function > current_tracer\nexec 3> tracing_on\necho 1 >&3\n/bin/getpid > /dev/null\n"
        "echo 0 >&3\nusleep 1\nexec 3>&-\n",
    )
    assert "sys_getpid" in functions(machine)
    assert "sys_nanosleep" not in functions(machine)
