# SPDX-License-Identifier: GPL-2.0-only
"""Commands of set_ftrace_filter: their effects when functions are called."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from emu import Machine
from emu.ftrace.errors import TraceError
from tests.lib.golden import read_golden

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
    """As in Linux's list of struct ftrace_ops: a call that ends the trace is in it only if the tracer's callback runs first."""
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
    first = traced.index("sys_getpid")  # the shell gets its pid at its start, too
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
    tracefs.write(FILE, "vfs_mkdir:traceoff:5")
    tracefs.write(FILE, "vfs_write:traceon")
    tracefs.write(FILE, "vfs_rmdir:traceoff:0x10")
    assert tracefs.read(FILE) == (ALL + "vfs_write:traceon:unlimited\nvfs_rmdir:traceoff:count=16\nvfs_mkdir:traceoff:count=5\n")
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
    assert set(functions(machine)) == {"sys_read"}  # the command causes no recording


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
    """Linux 6.1 leaves them at addresses without a function: they have no effect there, and only `!*:traceoff` removes them."""
    machine.run("modprobe sample_timer")
    machine.tracefs.write(FILE, "sample_beat:traceoff:3")
    machine.run("sleep 1")
    assert machine.tracefs.read(FILE) == ALL + "sample_beat:traceoff:count=2\n"
    machine.run("rmmod sample_timer")
    assert machine.tracefs.read(FILE) == ALL


# For Linux's golden: functions with other names here, and a glob that matches few functions here
HERE = {"do_sys_openat2:": "do_sys_openat2:", "*_open:": "vfs_*:", "vfs_fsync_range:": "vfs_open:", "vfs_fsync:": "vfs_llseek:"}


def here(text: str) -> str:
    for linux, ours in HERE.items():
        text = re.sub(rf"^{re.escape(linux)}", ours, text, flags=re.MULTILINE)
    return text


def uncounted(lines: list[str]) -> list[str]:
    return [re.sub(r"count=\d+", "count=N", line) for line in lines]


def test_all_commands_are_shown_as_linux_shows_them(machine: Machine) -> None:
    """Of `*_open:stacktrace:2` Linux shows a line for each function; here these are different functions."""
    tracefs = machine.tracefs
    machine.advance(1_000_000)  # until activity of earlier tests has ended: it would use up counts
    steps = re.split(r"^# echo '(.*)' > set_ftrace_filter\n", read_golden("set_ftrace_filter.commands.txt"), flags=re.M)
    written = [here(word) for word in steps[1::2]]
    for word, shown in zip(written, steps[2::2], strict=True):
        tracefs.write(FILE, word)
        ours = [line for line in tracefs.read(FILE).splitlines() if ":stacktrace:" not in line]
        linux = [line for line in here(shown).splitlines() if ":stacktrace:" not in line]
        assert uncounted(ours)[: len(linux)] == uncounted(linux)
    assert re.search(r"^vfs_open:stacktrace:count=\d$", tracefs.read(FILE), re.MULTILINE)
    assert set(tracefs.read(FILE).splitlines()[-2:]) == {"vfs_read:traceoff:count=5", "vfs_llseek:traceoff:count=3"}
    users = dict(line.split()[:2] for line in tracefs.read("enabled_functions").splitlines())
    assert [users[name] for name in ("schedule", "vfs_llseek", "vfs_read")] == ["(2)", "(3)", "(2)"]
    assert tracefs.read("events/sched/sched_wakeup/enable") == "0*\n"
    for word in written:
        counted = re.sub(r":\d+$", ":0", word)
        tracefs.append(FILE, f"!{counted}")
    assert tracefs.read(FILE) == read_golden("set_ftrace_filter.after-remove.txt")
    assert tracefs.read("events/sched/sched_wakeup/enable") == "0\n"
    tracefs.write("snapshot", "0")


def test_a_stack_of_each_call(machine: Machine) -> None:
    """The same frames as Linux's, except for the trampoline's."""
    machine.tracefs.write(FILE, "do_sys_openat2:stacktrace:3")
    machine.run("cat /proc/version /proc/version /proc/version /proc/version > /dev/null")
    text = machine.tracefs.read("trace")
    stacks = [part.splitlines()[1:] for part in text.split("<stack trace>")[1:]]
    assert len(stacks) == 3
    golden = read_golden("function-probe-stacktrace.txt").split("<stack trace>\n")[1].splitlines()
    assert all(stack[0] == golden[1] == " => do_sys_openat2" and " => sys_openat" in stack for stack in stacks)
    assert machine.tracefs.read(FILE) == ALL + "do_sys_openat2:stacktrace:count=0\n"


@pytest.mark.parametrize("tracer", ["nop", "function", "function_graph"])
def test_a_stack_beside_any_tracer(machine: Machine, tracer: str) -> None:
    tracefs = machine.tracefs
    tracefs.write("trace", "")
    tracefs.write("set_ftrace_filter", "do_sys_openat2")
    for first, second in ("current_tracer", FILE), (FILE, "current_tracer"):
        for path in first, second:
            tracefs.append(path, tracer if path == "current_tracer" else "do_sys_openat2:stacktrace:1")
        machine.run("cat /proc/version > /dev/null")
        lines = [line.removeprefix(" => ") for line in tracefs.read("trace").splitlines() if line.startswith(" => ")]
        assert lines[:2] == ["do_sys_openat2", "sys_openat"] and lines[2].startswith("do_syscall")
        tracefs.append(FILE, "!do_sys_openat2:stacktrace:0")
        tracefs.write("current_tracer", "nop")
        tracefs.write("trace", "")


def test_a_function_enables_an_event(machine: Machine) -> None:
    tracefs = machine.tracefs
    tracefs.write(FILE, "sys_getpid:enable_event:sched:sched_process_fork:1")
    assert tracefs.read("events/sched/sched_process_fork/enable") == "0*\n"
    tracefs.write("trace", "")
    machine.run("sh -c true; getpid; ls > /dev/null")
    assert tracefs.read("events/sched/sched_process_fork/enable") == "1*\n"
    assert tracefs.read(FILE) == ALL + "sys_getpid:enable_event:sched:sched_process_fork:count=0\n"
    tracefs.append(FILE, "!sys_getpid:enable_event:sched:sched_process_fork:1")
    assert tracefs.read("events/sched/sched_process_fork/enable") == "1\n"
    tracefs.write("events/enable", "0")


def test_a_snapshot_when_a_function_is_called(machine: Machine) -> None:
    tracefs = machine.tracefs
    tracefs.write(FILE, "sys_sync:snapshot:1")
    tracefs.write("trace_marker", "before")
    machine.run("sync; sync")
    tracefs.write("trace_marker", "after")
    assert "before" in tracefs.read("snapshot") and "before" not in tracefs.read("trace")
    tracefs.write("snapshot", "0")


@pytest.mark.parametrize(("command", "shown"), [("dump", "dump:count=1"), ("cpudump", "cpudump:unlimited")])
def test_dumps_end_recording_and_go_to_the_console(machine: Machine, command: str, shown: str) -> None:
    """A dump takes what it prints out of the buffer: of all CPUs, or of the one that calls the function."""
    tracefs = machine.tracefs
    tracefs.write("trace", "")
    tracefs.write("events/raw_syscalls/sys_enter/enable", "1")
    tracefs.write(FILE, f"sys_sync:{command}")
    assert tracefs.read(FILE) == f"{ALL}sys_sync:{shown}\n"
    output = machine.run("ls / > /dev/null & sync; sleep 1; dmesg > /dev/null").output.decode()
    tracefs.write("events/enable", "0")
    assert tracefs.read("tracing_on") == "0\n"
    assert "Dumping ftrace buffer:" in output
    dumped = re.findall(r"-\d+ +(\d)\S+ +\d+us : sys_enter: NR", output)
    left = re.findall(r"-\d+ +\[00(\d)\]", tracefs.read("trace"))
    assert dumped and not set(dumped) & set(left)
    assert len(set(dumped)) == 1 if command == "cpudump" else left == []


def test_a_count_that_is_too_large(machine: Machine) -> None:
    with pytest.raises(TraceError, match="ERANGE"):
        machine.tracefs.write(FILE, "schedule:traceoff:99999999999999999999")
