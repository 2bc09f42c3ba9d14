# SPDX-License-Identifier: GPL-2.0-only
"""Options that change the text of a trace, on the machine that records it."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator

import pytest

from emu.machine import Machine

MODES = ("raw", "hex", "bin", "verbose", "latency-format")
LINE = re.compile(r" *(\S+)-(\d+) +\[(\d+)\] (\S{5}) +(\d+)\.(\d{6}): (.*)")


@pytest.fixture
def traced(machine: Machine) -> Iterator[Machine]:
    """A machine that has recorded some calls, and records no more."""
    machine.tracefs.write("set_ftrace_filter", "vfs_open")
    machine.tracefs.write("current_tracer", "function")
    machine.run("cat /init > /tmp/x; cat /init > /tmp/x")
    machine.tracefs.write("tracing_on", "0")
    yield machine
    for mode in MODES:
        machine.tracefs.write(f"options/{mode}", "0")
    machine.tracefs.write("current_tracer", "nop")
    machine.tracefs.write("set_ftrace_filter", "")
    machine.tracefs.write("tracing_on", "1")


def lines(machine: Machine, *modes: str) -> list[str]:
    """The lines of the trace without header, with some options."""
    for mode in modes:
        machine.tracefs.write(f"options/{mode}", "1")
    text = machine.tracefs.read("trace")
    for mode in modes:
        machine.tracefs.write(f"options/{mode}", "0")
    return [line for line in text.splitlines() if not line.startswith("#")]


def test_all_modes_show_the_same_events(traced: Machine) -> None:
    plain = [match.groups() for match in map(LINE.fullmatch, lines(traced)) if match]
    raw = [line.split() for line in lines(traced, "raw")]
    assert len(plain) == len(raw) > 3
    assert {traced.kernel.image.function_at(int(function, 16)).name for *_, function, _ in raw} == {"vfs_open"}
    assert [(pid, cpu) for pid, cpu, *_ in raw] == [(pid, str(int(cpu))) for _, pid, cpu, *_ in plain]
    assert [(int(time) + 500) // 1000 for _, _, time, *_ in raw] == [int(s + us) for *_, s, us, _ in plain]
    assert [[str(int(word, 16)) for word in line.split()[:3]] for line in lines(traced, "hex")] == [row[:3] for row in raw]
    latency = lines(traced, "latency-format")
    assert [re.match(r" *(\S+)-(\d+) +\d(\S{5}) ", line).groups() for line in latency] == [
        (comm, pid, flags) for comm, pid, _, flags, *_ in plain
    ]
    starts = [float(re.search(r"\] (\d+\.\d+)ms", line)[1]) for line in lines(traced, "latency-format", "verbose")]
    assert starts == [int(re.search(r"(\d+)us.: ", line)[1]) / 1000 for line in latency]


def test_bytes_are_in_the_order_of_the_guest(traced: Machine) -> None:
    raw = [line.split() for line in lines(traced, "raw")]
    traced.tracefs.write("options/bin", "1")
    data = b"".join(traced.tracefs.read_pieces("trace"))
    order = "<" if traced.kernel.image.byte_order == "<" else ">"
    records = list(struct.iter_unpack(f"{order}iiQQQ", data[len(data) - 32 * len(raw) :]))
    assert [(str(pid), str(cpu), str(time), f"{ip:x}", f"{parent:x}") for pid, cpu, time, ip, parent in records] == [
        tuple(row) for row in raw
    ]
    traced.run("cat /sys/kernel/tracing/trace > /tmp/bin")
    assert traced.run("cat /tmp/bin").output[-32 * len(raw) :] == data[-32 * len(raw) :]


@pytest.mark.parametrize("mode", MODES)
def test_trace_pipe_has_the_lines_of_trace(traced: Machine, mode: str) -> None:
    traced.tracefs.write(f"options/{mode}", "1")
    trace = b"".join(traced.tracefs.read_pieces("trace"))
    piped = b"".join(traced.tracefs.read_pieces("trace_pipe"))
    if mode == "latency-format":  # it does not know the following event
        trace, piped = (re.sub(rb"us[ +!#*@$]: ", b"us: ", text) for text in (trace, piped))
    assert len(piped) > 100 and trace.endswith(piped)
    assert all(line.startswith(b"#") for line in trace[: -len(piped)].splitlines())


def test_the_header_of_latency_format_names_the_machine(traced: Machine) -> None:
    traced.tracefs.write("options/latency-format", "1")
    release = traced.run("uname -r").output.decode().strip()
    traced.tracefs.write("current_tracer", "nop")
    traced.tracefs.write("tracing_on", "1")
    traced.run("taskset 2 sh -c 'echo function > /sys/kernel/tracing/current_tracer; cat /init > /tmp/x'")
    header = traced.tracefs.read("trace").splitlines()[:6]
    assert header[2] == f"# function latency trace v1.1.5 on {release}"
    assert re.fullmatch(r"# latency: 0 us, #(\d+)/\1, CPU#1 \| \(M:preempt VP:0, KP:0, SP:0 HP:0 #P:2\)", header[4])


def test_times_are_since_the_trace_was_emptied(traced: Machine) -> None:
    traced.tracefs.write("options/latency-format", "1")
    traced.tracefs.write("tracing_on", "1")
    traced.run("usleep 20000; cd /sys/kernel/tracing; echo > trace; usleep 5000; cat /init > /tmp/x")
    first = re.search(r" (\d+)us.: vfs_open", traced.tracefs.read("trace"))
    assert first and int(first[1]) < 20000


def test_function_graph_shows_the_state_of_the_cpu(machine: Machine) -> None:
    machine.tracefs.write("set_graph_function", "ksys_read")
    machine.tracefs.write("current_tracer", "function_graph")
    machine.run("cat /init > /tmp/x")
    machine.tracefs.write("options/latency-format", "1")
    text = machine.tracefs.read("trace")
    for path, value in (("options/latency-format", "0"), ("current_tracer", "nop"), ("set_graph_function", "")):
        machine.tracefs.write(path, value)
    assert "# CPU||||     DURATION                  FUNCTION CALLS\n" in text
    entered = "1" if machine.board.arch.name == "x86_64" else "."  # x86-64's tracer disables preemption, the others' do not
    assert re.search(rf"^ \d\)  \.\.\.{entered}\. \|               \|  ksys_read\(\) \{{$", text, re.MULTILINE)
    assert re.search(r"^ \d\)  \.\.\.\.\. \| .* us +\|  \}$", text, re.MULTILINE)


def test_events_of_the_guest_are_their_number(machine: Machine) -> None:
    machine.tracefs.write("trace", "")
    machine.tracefs.write("set_event", "sched:sched_switch")
    machine.run("true | cat")
    machine.tracefs.write("set_event", "")
    number = machine.tracefs.read("events/sched/sched_switch/id").strip()
    plain, raw, numbers = lines(machine), lines(machine, "raw"), lines(machine, "hex")
    assert len(plain) > 3 and all(": sched_switch: " in line for line in plain)
    assert all(re.fullmatch(rf"\d+ \d \d+ type: {number}", line) for line in raw) and len(raw) == len(plain)
    assert [line.endswith(f"type: {number}") for line in numbers] == [True, False] * len(plain)  # each ends in an empty line
    assert all(re.search(r"us[ +!#*@$]: sched_switch: ", line) for line in lines(machine, "latency-format"))
