# SPDX-License-Identifier: GPL-2.0-only
"""Return probes: their events, also next to function_graph, and the fate of active calls."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from emu.machine import Machine
from tests.lib.booted_machine import booted_machine

SLEEPS = "do_nanosleep", "schedule", "hrtimer_nanosleep"  # in a sleeping task, each calls another one


@pytest.fixture
def machine(arch: str) -> Iterator[Machine]:
    with booted_machine(arch, cpus=2) as made:
        yield made


def probe(machine: Machine, *definitions: str) -> None:
    machine.tracefs.write("kprobe_events", "".join(f"{definition}\n" for definition in definitions))
    machine.tracefs.write("events/kprobes/enable", "1")


def unprobe(machine: Machine) -> None:
    machine.tracefs.write("events/kprobes/enable", "0")
    machine.tracefs.write("kprobe_events", "")


def finish(machine: Machine) -> None:
    """Runs until all tasks are idle."""
    while machine.advance(20_000_000):
        pass


def profile(machine: Machine) -> dict[str, tuple[int, int]]:
    """The hits and misses of each probe."""
    lines = [line.split() for line in machine.tracefs.read("kprobe_profile").splitlines()]
    return {name: (int(hits), int(misses)) for name, hits, misses in lines}


def word(text: str) -> int:
    """A register's value."""
    return int(text, 0) % (1 << 64)


def test_a_return_value_is_what_the_system_call_returns(machine: Machine) -> None:
    machine.tracefs.write("set_event", "syscalls:sys_exit_read syscalls:sys_exit_openat")
    probe(machine, "r:read ksys_read got=$retval", "r32:open do_sys_openat2 got=$retval:s64")
    machine.run("ls /bin | sed s/a/b/ | wc; cat /nothing")
    trace = machine.tracefs.read("trace")
    for name, function, caller in (("read", "ksys_read", "sys_read"), ("open", "do_sys_openat2", "sys_openat")):
        told = re.findall(rf"-(\d+) .*: {name}: \({caller}\+0x\S+ <- {function}\) got=(\S+)$", trace, re.MULTILINE)
        returned = re.findall(rf"-(\d+) .*: {caller} -> (0x\w+)$", trace, re.MULTILINE)
        while returned[0][0] == "1":  # of the active calls
            returned.pop(0)
        assert len(told) > 1
        assert [(pid, word(value)) for pid, value in told] == [(pid, word(value)) for pid, value in returned]
    assert "got=-2" in trace


def calls(machine: Machine) -> list[str]:
    """function_graph's events of one command on one CPU, without times and without the events of probes."""
    text = re.findall(r"^ \d\) .*?\|  (.*)$", machine.tracefs.read("trace"), re.MULTILINE)
    return [line for line in text if not line.lstrip().startswith("/*")]


@pytest.mark.parametrize("first", ["probes", "function_graph"])
@pytest.mark.parametrize("last", ["probes", "function_graph"])
def test_a_call_may_be_of_a_return_probe_and_of_function_graph(arch: str, first: str, last: str) -> None:
    """Whichever is added or removed first: function_graph shows the same calls, and the probes miss none."""
    command, probed = "cat /proc/1/comm", ("vfs_read", "ksys_read", "do_sys_openat2", "rw_verify_area")
    with booted_machine(arch, cpus=1) as machine:
        tracefs = machine.tracefs

        def trace_calls() -> None:
            tracefs.write("set_ftrace_filter", " ".join(("vfs_write", "do_nanosleep", *probed)))
            tracefs.write("current_tracer", "function_graph")

        def trace_nothing() -> None:
            tracefs.write("current_tracer", "nop")

        trace_calls()
        machine.run(command)
        tracefs.write("trace", "")
        machine.run(command)
        alone = calls(machine)
        trace_nothing()

        coming = [lambda: probe(machine, *(f"r:{name} {name}" for name in (*probed, *SLEEPS))), trace_calls]
        going = [lambda: unprobe(machine), trace_nothing]
        for turn in coming if first == "probes" else reversed(coming):
            machine.run("sleep 0.02 &")
            machine.advance(1_000_000)
            turn()
        finish(machine)
        machine.run(command)
        before = profile(machine)
        tracefs.write("trace", "")
        machine.run(command)
        assert calls(machine) == alone
        after = profile(machine)
        for name in probed:
            count = sum(line.strip().startswith(f"{name}()") for line in alone)
            assert count
            assert (after[name][0] - before[name][0], after[name][1]) == (count, 0)
        for turn in going if last == "function_graph" else reversed(going):
            machine.run("sleep 0.02 &")
            machine.advance(1_000_000)
            turn()
        finish(machine)
        assert machine.run("echo alive").output == b"alive\n"
        assert machine.warnings == []


def test_calls_that_too_many_others_are_under_way_for_are_missed(machine: Machine) -> None:
    probe(machine, "r1:one do_nanosleep", "r2:two do_nanosleep", "r:all do_nanosleep")
    machine.run("sleep 0.02 & sleep 0.02 & sleep 0.02 & wait")
    assert profile(machine) == {"one": (1, 2), "two": (2, 1), "all": (3, 0)}
    machine.run("usleep 500; usleep 500")
    assert profile(machine) == {"one": (3, 2), "two": (4, 1), "all": (5, 0)}


def test_calls_return_well_whose_probe_has_gone(machine: Machine) -> None:
    for _ in range(3):
        probe(machine, *(f"r1:{name} {name}" for name in SLEEPS))
        machine.run("(sleep 0.02; echo slept) > /slept &")
        machine.advance(1_000_000)
        assert profile(machine)["do_nanosleep"] == (0, 0)
        unprobe(machine)
        probe(machine, "r1:again do_nanosleep")
        finish(machine)
        assert machine.run("cat /slept").output == b"slept\n"
        assert profile(machine)["again"] == (0, 0)  # the call was active
        machine.run("usleep 10")
        assert profile(machine)["again"] == (1, 0)
        unprobe(machine)
    assert machine.warnings == []


def test_calls_that_never_return_end_with_their_task(machine: Machine) -> None:
    probe(machine, "r10:exit do_exit")
    machine.run("/bin/true; " * 20)
    assert profile(machine) == {"exit": (0, 0)}


@pytest.mark.parametrize("graph", [False, True], ids=["alone", "beside-function_graph"])
def test_the_stack_of_a_task_that_waits_has_the_real_addresses(machine: Machine, graph: bool) -> None:
    show = "usleep 30000 & usleep 200; cat /proc/$!/stack; wait"
    expected = machine.run(show).output.decode()
    assert [line.split()[1].split("+")[0] for line in expected.splitlines()][:2] == ["hrtimer_nanosleep", "sys_nanosleep"]
    probe(machine, *(f"r:{name} {name}" for name in (*SLEEPS, "sys_nanosleep")))
    if graph:
        machine.tracefs.write("current_tracer", "function_graph")
    assert machine.run(show).output.decode() == expected


def test_the_stack_of_a_return_begins_with_the_caller(machine: Machine) -> None:
    probe(machine, "r:write vfs_write")
    machine.tracefs.write("events/kprobes/write/trigger", "stacktrace")
    machine.run("echo x > /x")
    stacks = re.findall(r"<stack trace>\n((?: => .*\n)+)", machine.tracefs.read("trace"))
    assert stacks
    for stack in stacks:
        assert stack.split()[1::2][:2] == ["ksys_write", "sys_write"]


def test_a_damaged_list_of_nodes_is_the_guests_misfortune(machine: Machine) -> None:
    """A call whose node is not found cannot return; only its task is lost, no other task, and not the host."""
    probe(machine, "r:nap do_nanosleep")
    machine.run("sleep 0.02 &")
    machine.advance(1_000_000)
    (task,) = [task for task in machine.kernel.tasks if machine.kernel.tasks.comm(task) == "sleep"]
    machine.kernel.memory.set_member(task, "task_struct.rethooks", 12345)
    finish(machine)
    assert "Oops" in machine.run("dmesg").output.decode()
    assert machine.run("usleep 10; echo alive").output == b"alive\n"
    assert profile(machine)["nap"] == (1, 0)
