# SPDX-License-Identifier: GPL-2.0-only
"""Every file of the host's tracefs for a Linux guest, in every state; and whatever is written to it."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from pathlib import Path

import pytest

from emu.kernel.files.node import Directory
from emu.linux.machine import LinuxMachine

pytestmark = pytest.mark.static_timing("an unmodified Linux has no other timing model")

BAD = [
    "", "x", "-1", "2", "99999999999999999999999", "0x10", "nosuch", "!nosuch", "*", "a b c", ":", "::", "\0", " 1 ", "1\n2\n3",
    "vfs_read:traceoff:x", "vfs_read:nosuch", "!vfs_read:traceoff", "*:mod:nosuch", "vfs_read:stacktrace:0", "vfs_read:snapshot",
    "vfs_read:enable_event:sched:sched_switch", "1-3,9999", "ffffffff,ffffffff", "//", "p:x vfs_read", "hist:keys=x",
    "grün \udcff", "x" * 70_000,
]  # fmt: skip
STATES = {
    "nothing": [],
    "function": [("current_tracer", "function"), ("options/func_stack_trace", "1"), ("set_ftrace_filter", "vfs_*")],
    "graph": [("current_tracer", "function_graph"), ("set_graph_function", "vfs_read"), ("max_graph_depth", "3")],
    "instance": [("instances/one/current_tracer", "function"), ("instances/one/set_ftrace_pid", "1"), ("snapshot", "1")],
    "commands": [("set_ftrace_filter", "vfs_read:traceoff:3"), ("set_ftrace_filter", "vfs_write:stacktrace")],
}


def files(directory: Directory, path: str = "") -> Iterator[str]:
    for name, _ in directory.entries():
        found = directory.lookup(name)
        where = f"{path}/{name}".lstrip("/")
        if isinstance(found, Directory):
            yield from files(found, where)
        else:
            yield where


LONG = pytest.mark.long("one state shows most")


@pytest.mark.parametrize("state", ["graph", *(pytest.param(state, marks=LONG) for state in STATES if state != "graph")])
def test_every_file_can_be_read_in_every_state(traced: LinuxMachine, state: str) -> None:
    fs = traced.tracefs
    fs.mkdir("instances/one")
    for path, text in STATES[state]:
        fs.append(path, text)
    fs.write("tracing_on", "1")
    traced.run("cat /proc/version | cat")
    names = list(files(fs.root))
    assert len(names) > 100
    for name in names:
        try:
            fs.read(name)
        except OSError as error:
            assert error.errno, name
    traced.run("true")


@pytest.mark.parametrize("share", [1, pytest.param(len(BAD), marks=pytest.mark.long("writes all to all"))])
def test_whatever_is_written_is_taken_or_refused(real_kernel: Path, kept_machines: Path, share: int) -> None:
    """Never with another exception, also not later."""
    with LinuxMachine(kernel=real_kernel) as machine:
        fs = machine.tracefs
        fs.mkdir("instances/one")
        fs.write("current_tracer", "function")
        taken = refused = 0
        for n, name in enumerate(files(fs.root)):
            if name.endswith(("free_buffer", "buffer_size_kb")):  # as large as one likes
                continue
            for text in [BAD[(n + k) % len(BAD)] for k in range(share)]:
                for write in (fs.write, fs.append):
                    try:
                        write(name, text)
                        taken += 1
                    except OSError as error:
                        assert error.errno, (name, text)
                        refused += 1
        assert taken > 5 and refused > 100
        machine.run("cat /proc/version | cat")


OTHERS = ("traceoff:1", "traceon", "snapshot:1")


@pytest.mark.parametrize("command", ["stacktrace:1", *(pytest.param(command, marks=LONG) for command in OTHERS)])
def test_commands_of_functions(traced: LinuxMachine, command: str) -> None:
    fs = traced.tracefs
    fs.write("current_tracer", "function")
    fs.write("tracing_on", "1")
    fs.write("set_ftrace_filter", f"vfs_read:{command}")
    traced.warnings.clear()
    traced.run("cat /proc/version")
    assert fs.read("tracing_on") == ("0\n" if command == "traceoff:1" else "1\n")
    assert ("<stack trace>" in fs.read("trace")) == (command == "stacktrace:1")
    assert ("<-ksys_read" in fs.read("snapshot")) == (command == "snapshot:1")
    assert traced.warnings == []


@pytest.mark.parametrize("command", ["dump", "cpudump"])
def test_commands_that_print_buffers_are_refused(traced: LinuxMachine, command: str) -> None:
    with pytest.raises(OSError) as error:
        traced.tracefs.write("set_ftrace_filter", f"vfs_read:{command}")
    assert error.value.errno == errno.EOPNOTSUPP


def test_directories_that_are_no_instances(traced: LinuxMachine) -> None:
    fs = traced.tracefs
    for make in ("x", "events/x", "instances", "instances/a/b", "instances/../x", "instances/", "per_cpu/cpu9"):
        with pytest.raises(OSError):
            fs.mkdir(make)
    for remove in ("x", "events", "instances", "instances/none", "per_cpu/cpu0", "trace", "options"):
        with pytest.raises(OSError):
            fs.rmdir(remove)


def test_instances_come_and_go_while_all_is_traced(traced: LinuxMachine) -> None:
    fs = traced.tracefs
    fs.write("current_tracer", "function_graph")
    fs.write("tracing_on", "1")
    for n in range(4):
        fs.mkdir(f"instances/n{n}")
        fs.write(f"instances/n{n}/current_tracer", "function")
        fs.write(f"instances/n{n}/set_ftrace_filter", "vfs_*" if n % 2 else "do_*")
        traced.run("cat /proc/version | cat; sleep 0.001")
        assert fs.read(f"instances/n{n}/trace").count("\n") > 20
        if n:
            fs.rmdir(f"instances/n{n - 1}")
            traced.run("cat /proc/version | cat")
    assert fs.listdir("instances") == ["n3"]
