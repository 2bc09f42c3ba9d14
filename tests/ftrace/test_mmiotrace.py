# SPDX-License-Identifier: GPL-2.0-only
"""mmiotrace: each access to a device that a driver has mapped, with its value, and no others."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import pytest

from emu.ftrace.errors import TraceError
from emu.machine import Machine
from tests.lib.booted_machine import booted_machine
from tests.lib.golden import read_golden

DEVICE = 0xF0_0000_0000
VIRTUAL = 0xFFFF_C900_0000_0000  # the address of the first mapping
ACCESSES, MEMORY = 0x108, 0x400  # registers of the device
INSERT, DO = "insmod /lib/modules/sample_io.ko", "echo {} > /sys/module/sample_io/parameters/do"
TEXT = b"sample_io moves this text\0"

TIME = r"\d+\.\d{6}"


class Access(NamedTuple):
    """A line of the trace, without its time."""

    kind: str
    width: int
    offset: int
    value: int


@pytest.fixture
def machine() -> Iterator[Machine]:
    with booted_machine("x86_64", cpus=3) as m:
        m.tracefs.write("current_tracer", "mmiotrace")
        yield m


def run(m: Machine, *commands: str) -> bytes:
    done = m.run("; ".join(commands))
    assert done.status == 0, done.output
    return done.output


def lines(m: Machine) -> list[str]:
    return [line for line in m.tracefs.read("trace").splitlines() if not line.startswith("#")]


def accesses(shown: list[str], map_id: int = 1) -> list[Access]:
    """The accesses, all in one mapping."""
    found = []
    for line in shown:
        fields = re.fullmatch(rf"([RW]) (\d) {TIME} {map_id} (0x\w+) (0x\w+) 0x0 0", line)
        assert fields, line
        found.append(Access(fields[1], int(fields[2]), int(fields[3], 16) - DEVICE, int(fields[4], 16)))
    return found


def written_by_testmmiotrace() -> Iterator[Access]:
    for n in range(256):
        yield Access("W", 1, n, n)
    for n in range(1024, 5 * 1024, 2):
        yield Access("W", 2, n, (n * 12 + 7) & 0xFFFF)
    for n in range(5 * 1024, 16 * 1024, 4):
        yield Access("W", 4, n, (n * 212371 + 13) & 0xFFFF_FFFF)


def test_every_access_of_testmmiotrace(machine: Machine) -> None:
    machine.tracefs.write("trace_marker", "before")
    run(machine, f"insmod /lib/modules/testmmiotrace.ko mmio_address={DEVICE:#x} read_far=0x100000")
    shown = lines(machine)
    wanted = list(written_by_testmmiotrace())
    marks = [n for n, line in enumerate(shown) if line.startswith("MARK ")]
    assert [shown[n].split(maxsplit=2)[2] for n in marks] == [
        "before", f"mapped at {VIRTUAL:x}.", "write test.", "read test.", "read errors: 0 bytes, 0 words, 0 longs.",
        "read far test.",
    ]  # fmt: skip
    assert re.fullmatch(rf"MAP {TIME} 1 {DEVICE:#x} {VIRTUAL:#x} 0x800000 0x0 0", shown[1])
    assert accesses(shown[marks[2] + 1 : marks[3]]) == wanted
    assert accesses(shown[marks[3] + 1 : marks[4]]) == [access._replace(kind="R") for access in wanted]
    assert accesses([shown[marks[5] + 1]]) == [("R", 4, 0x100000, 0xFFFF_FFFF)]  # there is nothing
    assert re.fullmatch(rf"UNMAP {TIME} 1 0x0 0", shown[marks[5] + 2])
    bulk = [re.sub(rf"MAP {TIME}", "MAP", line) for line in shown[marks[5] + 3 :]]
    assert bulk == [
        line for n in range(2, 12) for line in (f"MAP {n} {DEVICE:#x} {VIRTUAL:#x} 0x1000 0x0 0", f"UNMAP {n} 0x0 0")
    ]
    assert machine.board.io is not None
    assert machine.board.io.read(DEVICE + ACCESSES, 8) == 2 * len(wanted)


def test_it_is_the_device_that_is_accessed(machine: Machine) -> None:
    """In all widths, by string instructions, and by all CPUs at once: no access is missing, and none is mixed up with another."""
    run(machine, INSERT, DO.format("words"))
    _, *shown = lines(machine)
    assert accesses(shown) == [
        ("W", 1, MEMORY, 0xA1),
        ("W", 2, MEMORY + 2, 0xB2B1),
        ("W", 4, MEMORY + 4, 0xC4C3C2C1),
        ("W", 8, MEMORY + 8, 0xD8D7D6D5D4D3D2D1),
        ("R", 8, MEMORY, 0xC4C3C2C1B2B100A1),
    ]
    io = machine.board.io
    assert io is not None
    assert io.read(DEVICE + MEMORY + 8, 8) == 0xD8D7D6D5D4D3D2D1
    machine.tracefs.write("trace", "")
    run(machine, DO.format("strings"))
    bytes_ = [(MEMORY + n, byte) for n, byte in enumerate(TEXT)]
    assert accesses(lines(machine)) == [
        *(("W", 1, *byte) for byte in bytes_),
        *(("R", 1, *byte) for byte in bytes_),
        *(("W", 1, place, 0) for place, _ in bytes_),
    ]
    machine.tracefs.write("trace", "")
    first = io.read(DEVICE + ACCESSES, 4) + 1
    run(machine, DO.format("cpus"))
    reads = accesses(lines(machine))
    assert sorted(reads) == [("R", 4, ACCESSES, first + n) for n in range(3 * 8)]


def test_the_trace_is_the_same_each_time(machine: Machine) -> None:
    """Also from a checkpoint, with a page armed."""
    run(machine, INSERT)
    checkpoint = machine.checkpoint()
    traces = []
    for _ in range(2):
        run(machine, DO.format("cpus"), DO.format("words"), DO.format("add"))
        traces.append(machine.tracefs.read("trace"))
        machine.restore(checkpoint)
    assert traces[0] == traces[1]
    assert machine.board.io is not None
    assert machine.board.io.read(DEVICE + ACCESSES, 4) == 0


def test_what_is_not_understood_happens_as_without_tracing(machine: Machine) -> None:
    run(machine, INSERT)
    log = run(machine, DO.format("add"), "dmesg | grep mmiotrace").decode()
    _, first, second = lines(machine)
    assert accesses([first]) == [("W", 4, MEMORY, 1)]
    assert re.fullmatch(rf"UNKNOWN {TIME} 1 {DEVICE + MEMORY:#x} 83,\w\w,\w\w 0x0 0", second)
    assert "page 0xffffc90000000000 is no longer traced" in log
    assert machine.board.io is not None
    assert machine.board.io.read(DEVICE + MEMORY, 4) == 3


def test_a_mapping_is_no_longer_traced_when_the_tracer_goes(machine: Machine) -> None:
    run(machine, INSERT)
    machine.tracefs.write("current_tracer", "nop")
    log = run(machine, DO.format("words"), "dmesg | grep mmiotrace").decode().splitlines()
    assert [line.split("mmiotrace: ")[1] for line in log] == [
        "enabled.", f"purging non-iounmapped trace @{VIRTUAL:#x}, size 0x1000.", "disabled."
    ]  # fmt: skip
    assert lines(machine) == []
    machine.tracefs.write("current_tracer", "mmiotrace")
    run(machine, DO.format("words"), "rmmod sample_io")
    assert lines(machine) == []  # it was mapped before
    run(machine, INSERT)
    assert re.fullmatch(rf"MAP {TIME} 2 .*", *lines(machine))
    machine.tracefs.write("tracing_on", "1")
    assert len(lines(machine)) == 1  # it was on
    machine.tracefs.write("tracing_on", "0")
    machine.tracefs.write("tracing_on", "1")
    assert lines(machine) == []  # a new trace


def test_trace_and_trace_pipe_begin_as_in_linux(machine: Machine) -> None:
    shown = machine.tracefs.read("trace")
    assert shown.replace("#P:3", "#P:1") == read_golden("mmiotrace.txt")
    run(machine, INSERT)
    machine.tracefs.write("trace_marker", "hello")
    text = run(machine, "cat /sys/kernel/tracing/trace_pipe > /tmp/pipe & sleep 0.1; kill $!; cat /tmp/pipe").decode()
    version, mapped, mark = text.splitlines()
    assert version == read_golden("mmiotrace-trace_pipe.txt").splitlines()[0]
    assert re.fullmatch(rf"MAP {TIME} 1 {DEVICE:#x} {VIRTUAL:#x} 0x1000 0x0 0", mapped)
    assert re.fullmatch(rf"MARK {TIME} hello", mark)


def test_trace_pipe_tells_of_lost_events(machine: Machine) -> None:
    machine.tracefs.write("buffer_size_kb", "4")
    run(machine, INSERT, *[DO.format("strings")] * 4)
    stats = "".join(machine.tracefs.read(f"per_cpu/cpu{cpu}/stats") for cpu in range(3))
    lost = sum(map(int, re.findall(r"^overrun: (\d+)\n", stats, re.MULTILINE)))
    assert lost > 0
    text = run(machine, "cat /sys/kernel/tracing/trace_pipe > /tmp/pipe & sleep 0.1; kill $!; head -3 /tmp/pipe")
    warning, _, told, _ = text.decode().splitlines()
    assert warning.endswith("] mmiotrace has lost events")
    assert told == f"MARK 0.000000 Lost {lost} events."
    run(machine, "echo > /sys/kernel/tracing/trace", "cat /sys/kernel/tracing/trace_pipe > /tmp/pipe & sleep 0.1; kill $!")
    run(machine, *[DO.format("strings")] * 3)  # which loses fewer
    assert b"Lost " in run(machine, "cat /sys/kernel/tracing/trace_pipe > /tmp/pipe & sleep 0.1; kill $!; head -2 /tmp/pipe")


@pytest.mark.parametrize("address", ["0x1000000", "0xeffffff000", "0xf001000000", "0xffffffffffffe000"])
def test_what_is_no_device_cannot_be_mapped(machine: Machine, address: str) -> None:
    done = machine.run(f"insmod /lib/modules/testmmiotrace.ko mmio_address={address}")
    assert done.status == 1
    assert done.output.endswith(b": Invalid parameters\n")
    assert lines(machine) == []


def test_sparc64_has_no_such_tracer() -> None:
    with booted_machine("sparc64") as m:
        assert "mmiotrace" not in m.tracefs.read("available_tracers").split()
        with pytest.raises(TraceError, match="no tracer 'mmiotrace'"):
            m.tracefs.write("current_tracer", "mmiotrace")
        assert m.board.io is None
