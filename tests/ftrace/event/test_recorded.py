# SPDX-License-Identifier: GPL-2.0-only
"""Recorded events of the guest: exactly their fields, and nothing if the guest's arguments are impossible."""

from __future__ import annotations

import ctypes
import random
import re
import struct
from collections.abc import Iterator

import pytest

from emu.cpu.arch.riscv64.state import REGISTERS as RISCV_REGISTERS
from emu.cpu.arch.sparc64.state import Env
from emu.cpu.native.arch.x86_64_env import Registers
from emu.ftrace.event.call import EventCall
from emu.machine import Machine
from emu.native.records import HOST
from tests.lib.booted_machine import booted_machine
from tests.lib.event_entries import Entry, entries

MODULE = "/lib/modules/event_cost.ko"
CALLS = "/sys/module/event_cost/parameters/calls"
LARGEST = 4016  # the most bytes in an entry: all that fits a page of the ring buffer


@pytest.fixture(scope="module")
def loaded(arch: str) -> Iterator[Machine]:
    """A machine with one CPU and the module event_cost."""
    with booted_machine(arch, cpus=1) as machine:
        assert machine.run(f"insmod {MODULE}").status == 0
        yield machine
        assert machine.run("echo alive").output == b"alive\n"
        assert machine.warnings == []


@pytest.fixture
def machine(loaded: Machine) -> Iterator[Machine]:
    """That machine, recording both events of the module."""
    loaded.tracefs.write("events/event_cost/enable", "1")
    loaded.tracefs.write("trace", "")
    yield loaded
    loaded.tracefs.write("events/event_cost/enable", "0")


def event(machine: Machine, name: str) -> EventCall:
    found = machine.trace_array.recorder.globals.events.find("event_cost", f"event_cost_{name}")
    assert found is not None
    return found


def recorded(machine: Machine, instance: str = "") -> list[Entry]:
    (found,) = entries(machine.trace_array.instances[instance] if instance else machine.trace_array)
    return found


def test_entries_are_what_the_guest_filled_in(machine: Machine) -> None:
    task = machine.run(["sh", "-c", f"echo $$; echo 3 > {CALLS}"])
    pid = int(task.output)
    found = recorded(machine)
    fixed, string = event(machine, "fixed"), event(machine, "string")
    assert [entry.call for entry in found] == [fixed, string] * 3
    where = {entry.fields["ip"] for entry in found[::2]}
    assert [machine.kernel.symbols.describe(int(ip)).split("+")[0] for ip in where] == ["calls_set"]
    for value, entry in enumerate(found[::2]):
        assert entry.data[:20] == struct.pack("=HBBiQi", fixed.number, 0, 0, pid, *where, value)
        assert entry.fields == {"ip": where.copy().pop(), "value": value} and len(entry.data) == 24
    for value, entry in enumerate(found[1::2]):
        assert entry.data == struct.pack("=HBBiIi4s", string.number, 0, 0, pid, 3 << 16 | 16, value, b"sh\0")
        assert entry.fields == {"name": b"sh\0", "value": value}
    assert [entry.time for entry in found] == sorted(entry.time for entry in found)


def test_each_instance_has_the_events_that_it_wants(machine: Machine) -> None:
    for name in ("strings", "both", "none"):
        machine.tracefs.mkdir(f"instances/{name}")
    machine.tracefs.write("events/event_cost/event_cost_string/enable", "0")
    machine.tracefs.write("instances/strings/events/event_cost/event_cost_string/enable", "1")
    machine.tracefs.write("instances/both/events/event_cost/enable", "1")
    machine.run(f"echo 5 > {CALLS}")
    top, strings, both, none = (recorded(machine, name) for name in ("", "strings", "both", "none"))
    assert [entry.name for entry in both] == ["event_cost_fixed", "event_cost_string"] * 5
    assert (top, strings, none) == (both[::2], both[1::2], [])
    for name in ("strings", "both", "none"):
        machine.tracefs.rmdir(f"instances/{name}")


# Arbitrary arguments of the guest


class Guest:
    """Calls trace_event_buffer_commit() as the CPU does, with any arguments, between two instructions of the guest."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.memory = machine.kernel.memory
        self._cpu = machine.board.cpus[0]
        callback = machine.ftrace.arch.event_callbacks(machine.trace_array.recorder.globals.guest).buffer_commit
        self._commit = ctypes.CFUNCTYPE(None, ctypes.c_uint64, ctypes.c_uint64)(callback.function.address)
        env = self._cpu.env
        registers = {
            "x86_64": lambda: [env + HOST.fields(Registers)[name].offset for name in ("di", "si", "dx", "cx")],
            "sparc64": lambda: [Env.from_address(env).regwptr + 8 * n for n in range(4)],
            "riscv64": lambda: [env + 8 * RISCV_REGISTERS.index(f"a{n}") for n in range(4)],
        }[machine.board.arch.name]()
        self._arguments = [ctypes.c_uint64.from_address(address) for address in registers]

    def commit(self, *arguments: int) -> list[Entry]:
        """The entries recorded by a call."""
        before = [register.value for register in self._arguments]
        for register, argument in zip(self._arguments, arguments, strict=True):
            register.value = argument
        self._commit(self._cpu.record.address, 0)
        for register, value in zip(self._arguments, before, strict=True):
            register.value = value
        found = recorded(self.machine)
        self.machine.trace_array.recorder.clear()
        return found

    def address_of(self, call: EventCall) -> int:
        """The address of an event's struct trace_event_call."""
        (module,) = self.machine.kernel.modules
        (found,) = (at for at in module.trace_events if self.memory.member(at, "trace_event_call.id") == call.number)
        return found

    def put(self, offset: int, data: bytes) -> int:
        """Stores data in memory that the guest has not used. Returns its address."""
        address = self.machine.board.arch.direct_map + self.machine.board.memory // 2 + offset
        self.memory.write(address, data)
        return address

    def put_dynamic(self, data: int, size: int) -> int:
        """Stores a struct trace_dynamic. Returns its address."""
        address = self.put(0x100, bytes(self.memory.image.size("trace_dynamic")))
        self.memory.set_member(address, "trace_dynamic.data", data)
        self.memory.set_member(address, "trace_dynamic.size", size)
        return address


@pytest.fixture
def guest(machine: Machine) -> Iterator[Guest]:
    start = machine.board.memory // 2
    before = bytes(machine.board.ram[start : start + 0x10000])
    assert not any(before)
    yield Guest(machine)
    machine.board.ram[start : start + 0x10000] = before


STRING = 1 << 63  # in trace_dynamic.size: a string up to its NUL; the rest is the maximum size, including the NUL


@pytest.mark.parametrize(
    ("text", "size", "name"),
    [
        (b"name\0and more", STRING, b"name\0"),
        (b"\0name", STRING, b"\0"),
        (b"name\0", STRING | 3, b"na\0"),
        (b"name\0", STRING | 5, b"name\0"),
        (b"name\0", STRING | 50, b"name\0"),
        (b"x" * 5000, STRING, b"x" * (LARGEST - 17) + b"\0"),
        (b"x" * 5000, STRING | 4500, b"x" * (LARGEST - 17) + b"\0"),
        (None, STRING, b"(null)\0"),
    ],
    ids=["ended", "empty", "shortened", "full", "not shortened", "endless", "too long", "null"],
)
def test_a_string_ends_with_nul_and_with_the_entry(guest: Guest, text: bytes | None, size: int, name: bytes) -> None:
    call = event(guest.machine, "string")
    dynamic = guest.put_dynamic(guest.put(0x1000, text) if text is not None else 0, size)
    (entry,) = guest.commit(guest.address_of(call), guest.put(0, bytes(64)), dynamic, 1)
    assert entry.fields["name"] == name
    assert len(entry.data) == -(-(16 + len(name)) // 4) * 4


def test_a_number_that_is_no_event_records_nothing(guest: Guest) -> None:
    call = event(guest.machine, "fixed")
    address, entry = guest.address_of(call), guest.put(0, bytes(64))
    assert len(guest.commit(address, entry, 0, 0)) == 1
    for number in (0, 1, 5, 60_000, 1 << 16, 1 << 16 | call.number, 1 << 40, (1 << 64) - 1):
        guest.memory.set_member(address, "trace_event_call.id", number)
        assert guest.commit(address, entry, 0, 0) == []
    guest.memory.set_member(address, "trace_event_call.id", call.number)


def test_an_entry_that_a_tracer_in_the_guest_fills_is_for_the_array_that_has_the_tracer(guest: Guest) -> None:
    machine, order = guest.machine, guest.memory.image.byte_order
    machine.tracefs.mkdir("instances/other")
    machine.tracefs.write("current_tracer", "hwlat")
    numbers = {"duration": 12, "outer_duration": 1 << 40, "nmi_total_ts": 3, "tv_sec": -5, "tv_nsec": 999, "nmi_count": 7}
    numbers |= {"seqnum": 1 << 31, "count": 0x01020304}
    filled = guest.put(0x40, bytes(8) + struct.pack(f"{order}QQQqqIII", *numbers.values()))
    call = guest.put(0, bytes(64))
    guest.memory.set_member(call, "trace_event_call.id", 15)
    (entry,) = guest.commit(call, filled, 0, 0)
    assert (entry.call.path, entry.fields) == ("ftrace:hwlat", numbers)
    assert recorded(machine, "other") == []
    assert guest.commit(call, filled, 0, 1) == []
    machine.tracefs.write("current_tracer", "nop")
    assert guest.commit(call, filled, 0, 0) == []
    machine.tracefs.rmdir("instances/other")


def test_wild_pointers_record_nothing_and_harm_nobody(guest: Guest) -> None:
    machine = guest.machine
    arch, size = machine.board.arch, machine.board.memory
    wild = [0, 1, 8, 1 << 40, size, arch.direct_map - 8, arch.direct_map + size, arch.kernel_map + size, 1 << 63, (1 << 64) - 1]
    dynamic = guest.put_dynamic(guest.put(0x200, b"a\0"), STRING)
    good = [guest.address_of(event(machine, "string")), guest.put(0, bytes(64)), dynamic, 1]
    (expected,) = guest.commit(*good)
    before = bytes(machine.board.ram)
    for place in (0, 1):
        for address in wild:
            assert guest.commit(*good[:place], address, *good[place + 1 :]) == []
    for count in (0, 2, 64, 1 << 32, 1 << 63):
        assert guest.commit(*good[:3], count) == []
    assert machine.board.ram == before
    for address in wild:
        for dynamic in (address, guest.put_dynamic(address, STRING), guest.put_dynamic(address, 1 << 40)):
            (entry,) = guest.commit(*good[:2], dynamic, 1)
            assert set(entry.data[16:]) <= {0} or entry.fields["name"] == b"(null)\0"
    guest.put_dynamic(guest.put(0x200, b"a\0"), STRING)
    choose = random.Random(0).choice
    at_the_end = [base + size - near for base in (arch.direct_map, arch.kernel_map) for near in (1, 4096, 4097)]
    addresses = [*good, *wild, *at_the_end]
    for _ in range(1000):
        guest.commit(good[0], *(choose(addresses) for _ in range(2)), choose([0, 1, 2, 64, 1 << 63]))
    guest.put(0, bytes(64))
    assert guest.commit(*good)[0].fields == expected.fields


def test_an_event_without_a_number_is_not_there_and_dmesg_says_so(arch: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with booted_machine(arch, cpus=1) as machine:
        catalogue = machine.trace_array.recorder.globals.events
        monkeypatch.setattr("emu.ftrace.event.catalogue.EVENT_LIMIT", max(catalogue) + 2)
        assert machine.run(f"insmod {MODULE}").status == 0
        here = machine.tracefs.listdir("events/event_cost")
        assert len([name for name in here if name.startswith("event_cost_")]) == 1
        said = machine.run("dmesg | tail -1").output.decode()
        assert re.search(r"tracing: no number is left for the event event_cost:event_cost_\w+$", said.strip())
        machine.tracefs.write("events/event_cost/enable", "1")
        assert machine.run(f"echo 3 > {CALLS}").status == 0
        assert machine.tracefs.read("trace").count("event_cost_") == 3
        assert machine.run("rmmod event_cost; insmod " + MODULE).status == 0  # its event numbers can be reused
        assert len(machine.tracefs.listdir("events/event_cost")) == len(here)
