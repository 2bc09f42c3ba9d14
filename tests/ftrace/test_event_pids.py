# SPDX-License-Identifier: GPL-2.0-only
"""set_event_pid, set_event_notrace_pid and event-fork: the tasks whose events are recorded."""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterator

import pytest

from emu.ftrace.arrays.trace_array import TraceArray
from emu.ftrace.errors import TraceError
from emu.machine import Machine
from tests.lib.booted_machine import booted_machine
from tests.lib.event_entries import Entry, entries
from tests.lib.golden import read_golden

INIT = 1
WAKEUPS = ("sched_waking", "sched_wakeup", "sched_wakeup_new")
WORK = "busy 2 2; ls /bin > /dev/null"


@pytest.fixture
def machine(arch: str) -> Iterator[Machine]:
    with booted_machine(arch, cpus=2) as made:
        made.tracefs.write("buffer_size_kb", "8000")
        yield made


def recorded(array: TraceArray) -> list[Entry]:
    return [entry for ring in entries(array) for entry in ring]


def key(entry: Entry) -> tuple[int, int, bytes]:
    return entry.time, entry.cpu, entry.data


def concerns(entry: Entry, chosen: Callable[[object], bool]) -> bool:
    """Whether an event is recorded if the events of the chosen tasks are: this includes switches to a task, and its wakeups."""
    if entry.name == "sched_switch":
        return chosen(entry.fields["prev_pid"]) or chosen(entry.fields["next_pid"])
    return chosen(entry.pid) or (entry.name in WAKEUPS and chosen(entry.fields["pid"]))


def test_only_these_and_all_but_these(machine: Machine) -> None:
    """Three arrays observe one run: all events, those of init, those of all other tasks."""
    for name, path in (("chosen", "set_event_pid"), ("others", "set_event_notrace_pid")):
        machine.tracefs.mkdir(f"instances/{name}")
        machine.tracefs.write(f"instances/{name}/buffer_size_kb", "8000")
        machine.tracefs.write(f"instances/{name}/{path}", str(INIT))
        machine.tracefs.write(f"instances/{name}/set_event", "sched:* raw_syscalls:* syscalls:* timer:*")
    machine.tracefs.write("set_event", "sched:* raw_syscalls:* syscalls:* timer:*")
    assert machine.run(WORK).status == 0
    everything = recorded(machine.trace_array)
    of_init = [key(entry) for entry in everything if concerns(entry, lambda pid: pid == INIT)]
    # Linux leaves out a switch only if both tasks are listed; other events depend on their own task, a wakeup also on the woken
    # one.
    of_others = [key(entry) for entry in everything if concerns(entry, lambda pid: pid != INIT)]
    found = {name: list(map(key, recorded(array))) for name, array in machine.trace_array.instances.items()}
    assert found["chosen"] == of_init
    assert found["others"] == of_others
    assert 20 < len(of_init) < len(everything) / 2


def test_functions_do_not_ask_for_it(machine: Machine) -> None:
    machine.tracefs.write("set_event_pid", "12345")
    machine.tracefs.write("set_event", "sched:*")
    machine.tracefs.write("set_ftrace_filter", "schedule")
    machine.tracefs.write("current_tracer", "function")
    machine.run("true")
    found = {line.split(": ")[1].split()[0] for line in machine.tracefs.read("trace").splitlines() if not line.startswith("#")}
    assert found == {"schedule"}


def test_children_are_followed(machine: Machine) -> None:
    machine.tracefs.write("set_event_pid", str(INIT))
    machine.tracefs.write("options/event-fork", "1")
    machine.tracefs.write("set_event", "sched:sched_process_exec")
    listed = machine.run("ls /bin | sed 1q > /dev/null; cat /sys/kernel/tracing/set_event_pid").output.decode().split()
    found = {(entry.pid, entry.fields["filename"]) for entry in recorded(machine.trace_array)}
    assert {name for _, name in found} >= {b"/bin/sh\0", b"/bin/ls\0", b"/bin/sed\0", b"/bin/cat\0"}
    assert {str(pid) for pid, _ in found} <= set(listed)
    machine.run("busy 1 1; busy 1 1")  # this frees the tasks that have ended, and their pids
    assert not {str(pid) for pid, _ in found} & set(machine.tracefs.read("set_event_pid").split())
    assert str(INIT) in machine.tracefs.read("set_event_pid").split()


def test_without_the_option_they_are_not(machine: Machine) -> None:
    machine.tracefs.write("set_event_pid", str(INIT))
    machine.tracefs.write("set_event", "sched:sched_process_exec")
    machine.run("ls /bin > /dev/null")
    assert recorded(machine.trace_array) == []
    assert machine.tracefs.read("set_event_pid") == f"{INIT}\n"


@pytest.mark.parametrize("path", ["set_event_pid", "set_event_notrace_pid"])
def test_the_file(machine: Machine, path: str) -> None:
    tracefs = machine.tracefs
    assert tracefs.read(path) == read_golden("file-set_event_pid.initial.txt")
    tracefs.write(path, "123 244 1")
    tracefs.append(path, "7")
    for wrong in ("abc", "-1", "1 2 x"):
        with pytest.raises(TraceError) as error:
            tracefs.append(path, wrong)
        assert error.value.errno == errno.EINVAL
    assert tracefs.read(path) == "1\n7\n123\n244\n"
    tracefs.write(path, "")
    assert tracefs.read(path) == ""
