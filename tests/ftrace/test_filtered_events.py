# SPDX-License-Identifier: GPL-2.0-only
"""Events recorded with filters, compared with all events of the same run."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from emu.ftrace.arrays.trace_array import TraceArray
from emu.machine import Machine
from tests.lib.booted_machine import booted_machine
from tests.lib.commands import run, shell
from tests.lib.event_entries import Entry, entries
from tests.lib.filter_expressions import Expression, as_number, expressions, is_string
from tests.lib.golden import read_golden

WORK = "busy 2 2; ls /bin > /dev/null"
BUFFER_KB = "8000"


@pytest.fixture
def machine(arch: str) -> Iterator[Machine]:
    with booted_machine(arch, cpus=2) as made:
        made.tracefs.write("buffer_size_kb", BUFFER_KB)
        yield made
        assert made.warnings == []


def record(machine: Machine, directory: str, event: str, wanted: str) -> None:
    """Makes an array record an event with a filter."""
    path = f"{directory}events/{event.replace(':', '/')}"
    machine.tracefs.write(f"{path}/filter", wanted)
    machine.tracefs.write(f"{path}/enable", "1")


def recorded(array: TraceArray, event: str) -> list[Entry]:
    return [entry for ring in entries(array) for entry in ring if entry.call.path == event]


def key(entry: Entry) -> tuple[int, int, bytes]:
    return entry.time, entry.cpu, entry.data


def values(entry: Entry) -> dict[str, Any]:
    """The fields as filters see them: a string ends at its NUL."""
    common = {"common_pid": entry.pid, "common_flags": entry.flags, "common_preempt_count": entry.preempt_count}
    common |= {"common_type": entry.call.number, "cpu": entry.cpu}
    for field in entry.call.fields:
        value = entry.fields[field.name]
        if isinstance(value, bytes) and is_string(field):
            value = value.partition(b"\0")[0]
        elif isinstance(value, int):
            value = as_number(value, field.size, field.signed)
        common[field.name] = value
    return common


FILTERS: list[tuple[str, str, Callable[[dict[str, Any]], bool]]] = [
    ("sched:sched_switch", 'prev_comm ~ "b*" && !(next_pid == 0 || next_comm == "busy") || prev_prio > 120',
     lambda of: (of["prev_comm"][:1] == b"b" and of["next_pid"] != 0 and of["next_comm"] != b"busy") or of["prev_prio"] > 120),
    ("sched:sched_switch", "comm == 'busy' && cpu == 1", lambda of: of["prev_comm"] == b"busy" and of["cpu"] == 1),
    ("sched:sched_switch", "COMM != 'busy' && CPU < 1 && prev_state & 3",
     lambda of: of["prev_comm"] != b"busy" and of["cpu"] == 0 and of["prev_state"] & 3),
    ("kmem:kmem_cache_alloc", "bytes_req > 64 && bytes_alloc <= 0x200 && node < 0",
     lambda of: of["bytes_req"] > 64 and of["bytes_alloc"] <= 512 and of["node"] < 0),
    ("raw_syscalls:sys_enter", "id != 1 && id <= 100 && common_pid > 10",
     lambda of: of["id"] != 1 and of["id"] <= 100 and of["common_pid"] > 10),
    ("sched:sched_process_exec", "filename ~ '*/l?' && pid > 1", lambda of: of["filename"] == b"/bin/ls"),
]  # fmt: skip


def test_what_is_recorded_is_what_the_filter_keeps(machine: Machine) -> None:
    """The top array records all events of a run, and each instance those that its filter keeps."""
    for number, (event, text, _) in enumerate(FILTERS):
        machine.tracefs.mkdir(f"instances/{number}")
        machine.tracefs.write(f"instances/{number}/buffer_size_kb", BUFFER_KB)
        record(machine, f"instances/{number}/", event, text)
        record(machine, "", event, "0")
    run(machine, WORK)
    machine.tracefs.write("tracing_on", "0")
    for number, (event, text, holds) in enumerate(FILTERS):
        everything = recorded(machine.trace_array, event)
        expected = [key(entry) for entry in everything if holds(values(entry))]
        found = recorded(machine.trace_array.instances[str(number)], event)
        assert [key(entry) for entry in found] == expected, text
        assert 0 < len(found) < len(everything), text
        stats = machine.tracefs.read(f"instances/{number}/per_cpu/cpu0/stats")
        assert f"entries: {sum(entry.cpu == 0 for entry in found)}\n" in stats


def test_filters_at_random(machine: Machine) -> None:
    call = machine.trace_array.recorder.globals.events.find("sched", "sched_switch")
    assert call is not None
    arrays = [f"instances/{number}/" for number in range(6)]
    for path in arrays:
        machine.tracefs.mkdir(path)
        machine.tracefs.write(f"{path}buffer_size_kb", BUFFER_KB)
    record(machine, "", call.path, "0")

    @settings(max_examples=8, deadline=None)
    @given(st.lists(expressions(call), min_size=len(arrays), max_size=len(arrays)))
    def check(wanted: list[Expression]) -> None:
        for path, expression in zip(arrays, wanted, strict=True):
            record(machine, path, call.path, expression.text)
            machine.tracefs.write(f"{path}trace", "")
        machine.tracefs.write("trace", "")
        run(machine, "busy 2 1")
        everything = [(key(entry), values(entry)) for entry in recorded(machine.trace_array, call.path)]
        for array, expression in zip(machine.trace_array.instances.values(), wanted, strict=True):
            expected = [key for key, of in everything if expression.holds(of | {"comm": of["prev_comm"]})]
            assert [key(entry) for entry in recorded(array, call.path)] == expected, expression

    check()


def test_strings_to_which_an_entry_points(machine: Machine) -> None:
    """In the kernel, and in a program, as the program sees its memory."""
    string_at = machine.trace_array.recorder.globals.kernel_values.string_at
    record(machine, "", "rcu:rcu_utilization", "s ~ 'Start*'")
    record(machine, "", "syscalls:sys_enter_openat", "filename.ustring ~ '/etc/*' && comm == 'cat'")
    run(machine, "cat /etc/passwd /etc/group /proc/mounts > /dev/null; cat /etc/nosuch", status=1)
    texts = {string_at(values(entry)["s"]) for entry in recorded(machine.trace_array, "rcu:rcu_utilization")}
    assert texts == {"Start RCU core", "Start context switch", "Start scheduler-tick"}
    assert len(recorded(machine.trace_array, "syscalls:sys_enter_openat")) == 3


def test_function_graph_records_the_entries_and_returns_that_filters_keep(arch: str) -> None:
    """Two runs of one guest, which recording does not affect."""
    runs = []
    for filters in ({}, {"funcgraph_entry": "graph_ent.depth == 1", "funcgraph_exit": "ret.depth == 1 && overrun == 0"}):
        with booted_machine(arch, cpus=2) as machine:
            machine.tracefs.write("buffer_size_kb", BUFFER_KB)
            for name, text in filters.items():
                machine.tracefs.write(f"events/ftrace/{name}/filter", text)
            machine.tracefs.write("current_tracer", "function_graph")
            run(machine, "ls /bin > /dev/null")
            machine.tracefs.write("tracing_on", "0")
            runs.append([entry for ring in entries(machine.trace_array) for entry in ring])
            for name in filters:
                machine.tracefs.write(f"events/ftrace/{name}/filter", "0")
            machine.tracefs.write("trace", "")
            machine.tracefs.write("tracing_on", "1")
            run(machine, "true")
            assert {entry.fields["depth"] for ring in entries(machine.trace_array) for entry in ring} > {0, 1, 2}
    everything, filtered = runs
    expected = [key(entry) for entry in everything if entry.fields["depth"] == 1]
    assert 100 < len(expected) < len(everything) / 2
    assert [key(entry) for entry in filtered] == expected


def test_the_trace_is_as_a_real_kernel_has_it(machine: Machine) -> None:
    golden = read_golden("nop-filtered.txt")
    record(machine, "", "sched:sched_switch", 'prev_prio < 100 || next_comm ~ "sl*"')
    run(machine, "sleep 0.2")
    machine.tracefs.write("tracing_on", "0")
    trace = machine.tracefs.read("trace").splitlines()
    assert trace[4:12] == golden.splitlines()[4:12]
    assert trace[12:]
    assert all(" ==> next_comm=sleep " in line for line in trace[12:])


def test_the_guest_gets_an_error_and_the_log_its_time(machine: Machine) -> None:
    path = "events/sched/sched_switch/filter"
    said = shell(machine, f"echo 'nosuch == 1' > {path}; cat error_log; echo > error_log; cat error_log; date +%s > /dev/null")
    heading, command, caret = said.splitlines()[-3:]
    time, _, text = heading.removeprefix("[").partition("] ")
    now = machine.board.nanoseconds(max(cpu.cycles for cpu in machine.board.cpus)) / 1e9
    assert 0 < now - float(time) < 1
    assert (text, command) == ("event filter parse error: error: Field not found", "  Command: nosuch == 1")
    assert caret == " " * 18 + "^"


def test_what_is_injected_is_filtered_too(machine: Machine) -> None:
    record(machine, "", "sched:sched_wakeup_new", "pid == 7")
    for pid in (6, 7):
        machine.tracefs.write("events/sched/sched_wakeup_new/inject", f"pid={pid}")
    assert re.findall(r" pid=(\d+) ", machine.tracefs.read("trace")) == ["7"]
