# SPDX-License-Identifier: GPL-2.0-only
"""`inject`: entries that are recorded as if an event had happened, in a running machine."""

from __future__ import annotations

import errno
from collections.abc import Iterator

import pytest

from emu.ftrace.buffers.entries import ENTRY
from emu.ftrace.errors import TraceError
from emu.machine import Machine
from tests.lib.commands import shell

SWITCH = "events/sched/sched_switch"


@pytest.fixture
def fresh(machine: Machine) -> Iterator[Machine]:
    """The machine, with empty buffers before and after."""
    machine.tracefs.write("trace", "")
    yield machine
    for path, text in (("current_tracer", "nop"), ("tracing_on", "1"), ("set_event", ""), ("trace", "")):
        machine.tracefs.write(path, text)


def entries(machine: Machine) -> list[tuple[int, int]]:
    """The types and pids of all entries."""
    parts = [ring.unread() for ring in machine.trace_array.recorder.rings if ring.entries]
    return [entry for part in parts for entry in part.entries(ENTRY)[["type", "pid"]].tolist()]


def lines(machine: Machine) -> list[str]:
    return [line for line in machine.tracefs.read("trace").splitlines() if not line.startswith("#")]


def test_what_is_injected_is_an_entry(fresh: Machine) -> None:
    number = int(fresh.tracefs.read(f"{SWITCH}/id"))
    fresh.tracefs.write(f"{SWITCH}/inject", "prev_pid=1 next_pid=0x10 common_pid=9")
    assert entries(fresh) == [(number, 9)]


def test_it_is_of_the_task_that_writes_it(fresh: Machine) -> None:
    shell(fresh, f"echo 'prev_comm=\"one\" prev_pid=-1 prev_state=2 next_prio=0x10' > {SWITCH}/inject")
    (line,) = lines(fresh)
    assert line.lstrip().startswith("sh-")
    assert line.endswith(
        "sched_switch: prev_comm=one prev_pid=-1 prev_prio=0 prev_state=D ==> next_comm= next_pid=0 next_prio=16"
    )


def test_a_write_in_two_pieces_is_two_entries(fresh: Machine) -> None:
    shell(fresh, f"(echo prev_pid=1; echo prev_pid=2) > {SWITCH}/inject")
    assert len(entries(fresh)) == 2


def test_while_tracing_is_off_nothing_is_recorded(fresh: Machine) -> None:
    fresh.tracefs.write("tracing_on", "0")
    fresh.tracefs.write(f"{SWITCH}/inject", "prev_pid=1")
    assert entries(fresh) == []


@pytest.mark.parametrize(("text", "code"), [("bogus=1", errno.ENOENT), ("prev_pid=x", errno.EINVAL), ("x" * 4096, errno.EINVAL)])
def test_what_is_wrong_leaves_no_entry(fresh: Machine, text: str, code: int) -> None:
    with pytest.raises(TraceError) as error:
        fresh.tracefs.write(f"{SWITCH}/inject", text)
    assert error.value.errno == code
    assert entries(fresh) == []


def test_it_cannot_be_read(fresh: Machine) -> None:
    with pytest.raises(TraceError) as error:
        fresh.tracefs.read(f"{SWITCH}/inject")
    assert error.value.errno == errno.EPERM


def test_every_event_of_the_host_can_be_injected_and_printed(fresh: Machine) -> None:
    names = fresh.tracefs.listdir("events/ftrace")
    assert len(names) == 18
    for tracer in ("nop", "function", "function_graph"):
        fresh.tracefs.write("tracing_on", "0")
        fresh.tracefs.write("current_tracer", tracer)
        fresh.tracefs.write("tracing_on", "1")
        for name in names:
            fresh.tracefs.write(f"events/ftrace/{name}/inject", "")
        assert sorted({kind for kind, _ in entries(fresh)}) == sorted(
            int(fresh.tracefs.read(f"events/ftrace/{name}/id")) for name in names
        )
        assert lines(fresh)
