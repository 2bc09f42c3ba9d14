# SPDX-License-Identifier: GPL-2.0-only
"""Commands of set_ftrace_filter: functions that turn tracing off and on when they are called."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from emu import Machine
from emu.ftrace.errors import TraceError

FILE = "set_ftrace_filter"
ALL = "#### all functions enabled ####\n"


@pytest.fixture(autouse=True)
def tidy(machine: Machine) -> Iterator[None]:
    yield
    tracefs = machine.tracefs
    for line in tracefs.read(FILE).splitlines():
        if line.endswith(":unlimited"):
            tracefs.append(FILE, "!" + line.removesuffix(":unlimited"))
        elif ":count=" in line:
            tracefs.append(FILE, f"!{line[: line.index(':count=')]}:0")
    tracefs.write(FILE, "")
    tracefs.write("current_tracer", "nop")
    tracefs.write("tracing_on", "1")
    assert tracefs.read(FILE) == ALL
    assert tracefs.read("enabled_functions") == ""


def functions(machine: Machine) -> list[str]:
    return [line.split(": ")[1].split()[0] for line in machine.tracefs.read("trace").splitlines() if not line.startswith("#")]


def last_calls(machine: Machine) -> list[str]:
    """The last line of the trace of each CPU that has called sys_getpid."""
    cpus = [machine.tracefs.read(f"per_cpu/cpu{cpu}/trace") for cpu in range(2)]
    return [text.splitlines()[-1] for text in cpus if "sys_getpid" in text]


@pytest.mark.parametrize("tracer", ["function", "function_graph"])
def test_whichever_was_set_last_is_told_first(machine: Machine, tracer: str) -> None:
    """As in Linux's list of struct ftrace_ops: a call that ends the trace is in it only if the tracer is told first."""
    tracefs = machine.tracefs
    tracefs.write("current_tracer", tracer)
    tracefs.write(FILE, "sys_getpid:traceoff")
    machine.run("getpid; ls > /dev/null")
    assert (last_calls(machine), tracefs.read("tracing_on")) == ([], "0\n")
    tracefs.write("current_tracer", "nop")
    tracefs.write("current_tracer", tracer)
    tracefs.write("tracing_on", "1")
    machine.run("getpid; ls > /dev/null")
    (line,) = last_calls(machine)
    assert ": sys_getpid <-" in line if tracer == "function" else line.endswith("|  sys_getpid() {")
    assert tracefs.read("tracing_on") == "0\n"


def test_a_part_is_traced_from_one_function_to_another(machine: Machine) -> None:
    tracefs = machine.tracefs
    tracefs.write("tracing_on", "0")
    tracefs.write("current_tracer", "function")
    tracefs.write(FILE, "sys_getpid:traceon sys_exit_group:traceoff")
    machine.run("ls > /dev/null; getpid; ls > /dev/null")
    traced = functions(machine)
    assert "sys_exit_group" not in traced
    first = traced.index("sys_getpid")  # the shell asks for its pid, too, when it begins
    second = traced.index("sys_getpid", first + 1)
    assert "iterate_dir" in traced[first:second] and "iterate_dir" not in traced[second:]
    assert "sys_write" in traced[second:]


def test_a_count_counts_what_changed_something(machine: Machine) -> None:
    tracefs = machine.tracefs
    tracefs.write(FILE, "sys_getpid:traceoff:2")
    counts = []
    for on in "1", "0", "1", "1":
        tracefs.write("tracing_on", on)
        machine.run("getpid")
        counts.append((tracefs.read(FILE).splitlines()[-1], tracefs.read("tracing_on").strip()))
    line = "sys_getpid:traceoff:count="
    assert counts == [(line + "1", "0"), (line + "1", "0"), (line + "0", "0"), (line + "0", "1")]


def test_commands_are_listed_latest_first_and_outlive_truncation(machine: Machine) -> None:
    tracefs = machine.tracefs
    tracefs.write(FILE, "schedule vfs_read")
    tracefs.write(FILE, "vfs_read:traceoff:5")
    tracefs.write(FILE, "vfs_write:traceon")
    tracefs.write(FILE, "vfs_open:traceoff:0x10")
    assert tracefs.read(FILE) == (ALL + "vfs_write:traceon:unlimited\nvfs_open:traceoff:count=16\nvfs_read:traceoff:count=5\n")
    tracefs.append(FILE, "!vfs_*:traceoff:0 getname")
    assert tracefs.read(FILE) == "getname\nvfs_write:traceon:unlimited\n"


@pytest.mark.parametrize(
    "word",
    ["nosuch:traceoff", "schedule:traceoff:x", "schedule:traceon:-1", "!schedule:traceoff", "schedule:x", "schedule:traceoff:2",
     "schedule:enable_event", "schedule:enable_event:sched", "schedule:enable_event:no:event", "schedule:enable_event:kmalloc:1",
     "schedule:enable_event:ftrace:print", "schedule:enable_event:sched:sched_switch:",
     "!schedule:enable_event:sched:sched_switch", "!schedule:dump"],
)  # fmt: skip
def test_what_is_no_command_is_refused(machine: Machine, word: str) -> None:
    machine.tracefs.write(FILE, "schedule:traceoff:1")
    before = machine.tracefs.read(FILE)
    with pytest.raises(TraceError, match="EINVAL"):
        machine.tracefs.append(FILE, word)
    assert machine.tracefs.read(FILE) == before
    with pytest.raises(TraceError, match="EINVAL"):
        machine.tracefs.append("set_ftrace_notrace", "schedule:traceoff")


def test_sites_call_for_a_command_without_a_tracer_and_beside_one(machine: Machine) -> None:
    tracefs = machine.tracefs
    tracefs.write(FILE, "sys_getpid:traceoff:1 sys_getpid:traceon")
    assert [line.split()[:2] for line in tracefs.read("enabled_functions").splitlines()] == [["sys_getpid", "(2)"]]
    tracefs.append(FILE, "!sys_getpid:traceon")
    machine.run("getpid")
    assert tracefs.read("tracing_on") == "0\n"
    tracefs.write("tracing_on", "1")
    tracefs.append(FILE, "sys_read")
    tracefs.write("current_tracer", "function")
    machine.run("getpid; cat /proc/version")
    assert set(functions(machine)) == {"sys_read"}  # nothing is recorded for the command's sake


def test_ftrace_enabled_switches_commands_off_too(machine: Machine) -> None:
    machine.tracefs.write(FILE, "sys_getpid:traceoff")
    machine.ftrace_enabled = False
    machine.run("getpid")
    assert machine.tracefs.read("tracing_on") == "1\n"
    machine.ftrace_enabled = True
    machine.run("getpid")
    assert machine.tracefs.read("tracing_on") == "0\n"


def test_an_instance_has_commands_of_its_own(machine: Machine) -> None:
    machine.run("mkdir /sys/kernel/tracing/instances/mine")
    machine.tracefs.write("instances/mine/set_ftrace_filter", "sys_getpid:traceoff")
    machine.run("getpid")
    assert machine.tracefs.read("instances/mine/tracing_on") == "0\n"
    assert (machine.tracefs.read("tracing_on"), machine.tracefs.read(FILE)) == ("1\n", ALL)
    assert machine.run("rmdir /sys/kernel/tracing/instances/mine").status == 0


def test_commands_go_with_their_module(machine: Machine) -> None:
    machine.run("modprobe sample_timer")
    machine.tracefs.write(FILE, "sample_beat:traceoff:3")
    machine.run("sleep 1")
    assert machine.tracefs.read(FILE) == ALL + "sample_beat:traceoff:count=2\n"
    machine.run("rmmod sample_timer")
    assert machine.tracefs.read(FILE) == ALL
