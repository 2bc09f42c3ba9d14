# SPDX-License-Identifier: GPL-2.0-only
"""gdb's `catch syscall`: calls and returns, forward and backward, by numbers and by names."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator

import pytest

from emu.cpu.cpu import Cpu
from emu.gdb.stub import Stub
from emu.history.travel import Travel
from emu.machine import Machine
from tests.gdb.standing import stub_of
from tests.gdb.test_gdb import gdb
from tests.lib.booted_machine import booted_machine
from tests.lib.needs import needs

NUMBERS = {"x86_64": {"read": 0, "write": 1, "openat": 257}, "sparc64": {"read": 3, "write": 4, "openat": 284}}
GENERIC = {"read": 63, "write": 64, "openat": 56}


@pytest.fixture
def called(arch: str) -> Iterator[tuple[Machine, Stub]]:
    """A machine that is about to read a file, and its stub."""
    with booted_machine(arch) as machine:
        travel = Travel(machine)
        stub, client = stub_of(machine, travel)
        client.setblocking(False)
        travel.begin("read word < /proc/sys/kernel/ostype")
        yield machine, stub
        client.close()


def stops(stub: Stub, packet: bytes, count: int) -> list[bytes]:
    """The reasons why the machine stops, one after the other."""
    return [stub.answer(packet).split(b";")[1] for _ in range(count)]


def test_calls_and_returns_forward_and_backward(called: tuple[Machine, Stub]) -> None:
    machine, stub = called
    arch = machine.board.arch.name
    opened, read = (b"%x" % NUMBERS.get(arch, GENERIC)[name] for name in ("openat", "read"))
    assert b"QCatchSyscalls+" in stub.answer(b"qSupported:")
    assert stub.answer(b"QCatchSyscalls:1;%b;%b" % (opened, read)) == b"OK"
    there = [b"syscall_entry:" + opened, b"syscall_return:" + opened, b"syscall_entry:" + read, b"syscall_return:" + read]
    assert stops(stub, b"vCont;c", 4) == there
    assert cpu_of(machine, stub).in_user_mode
    assert stub.answer(b"QCatchSyscalls:0") == b"OK"
    stub.answer(b"s")
    stub.answer(b"QCatchSyscalls:1;%b;%b" % (opened, read))
    assert stops(stub, b"bc", 5) == [*reversed(there), b"replaylog:begin"]
    assert stops(stub, b"vCont;c", 2) == there[:2]
    assert stub.answer(b"bs").startswith(b"T05")  # from here, the call's number is not known without looking back
    assert stops(stub, b"vCont;c", 2) == there[1:3]


def cpu_of(machine: Machine, stub: Stub) -> Cpu:
    """The CPU that is shown."""
    return machine.board.cpus[int(stub.answer(b"qC")[2:], 16) - 1]


def test_returns_are_found_backward_without_having_been_seen(called: tuple[Machine, Stub]) -> None:
    machine, stub = called
    read = b"%x" % NUMBERS.get(machine.board.arch.name, GENERIC)["read"]
    stub.answer(b"Z0,%x,1" % machine.kernel.image.symbols["do_exit"])
    assert stub.answer(b"vCont;c").startswith(b"T05")
    stub.answer(b"QCatchSyscalls:1;" + read)
    first, second = stops(stub, b"bc", 2)
    assert (first, second) == (b"syscall_return:" + read, b"syscall_entry:" + read)


def test_a_call_is_looked_for_where_the_machine_has_moved_otherwise(called: tuple[Machine, Stub]) -> None:
    """A later call from the same place may have been made meanwhile: what is known of the last one is not believed."""
    machine, stub = called
    opened = b"%x" % NUMBERS.get(machine.board.arch.name, GENERIC)["openat"]
    stub.answer(b"QCatchSyscalls:1;%b;3e7" % opened)
    assert stops(stub, b"vCont;c", 1) == [b"syscall_entry:" + opened]
    known = stub._syscalls._calls
    known.update({place: call._replace(number=999) for place, call in known.items()})
    stub.answer(b"s")
    assert stops(stub, b"vCont;c", 1) == [b"syscall_return:" + opened]


@pytest.mark.parametrize("packet", [b"QCatchSyscalls:", b"QCatchSyscalls:2", b"QCatchSyscalls:1;x", b"QCatchSyscalls:1;"])
def test_damaged_packets(called: tuple[Machine, Stub], packet: bytes) -> None:
    assert called[1].answer(packet) == b"E16"


@needs("gdb-multiarch")
@pytest.mark.parametrize("arch", ["x86_64", "sparc64"])  # gdb 13 has no `catch syscall` for RISC-V
def test_gdb_knows_their_names(arch: str) -> None:
    """And the run is the same."""
    ends = []
    catching = (
        "catch syscall openat read", "continue", "continue", "continue", "reverse-continue", "delete",
    )  # fmt: skip
    for commands in ((), catching):
        with booted_machine(arch) as machine:
            said = gdb(machine, *commands, "continue", command="read word < /proc/sys/kernel/ostype")
            clocks = [(cpu.cycles, cpu.instructions) for cpu in machine.board.cpus]
            ends.append((hashlib.sha256(machine.board.ram).hexdigest(), clocks, machine.kernel.commands.status))
    caught = re.findall(r"hit Catchpoint 1 \((call to syscall|returned from syscall) (\w+)\)", said)
    assert caught == [
        ("call to syscall", "openat"), ("returned from syscall", "openat"), ("call to syscall", "read"),
        ("returned from syscall", "openat"),
    ]  # fmt: skip
    assert ends[0] == ends[1]


def test_gdb_takes_the_abi_for_that_of_linux_only_when_asked(called: tuple[Machine, Stub]) -> None:
    """It would even if a program's file says so; its own `record` then fails."""
    machine, stub = called
    read = b"qXfer:features:read:target.xml:0,4000"
    before = stub.answer(read)
    assert stub.answer(b"qRcmd," + b"monitor abi linux"[8:].hex().encode()) == b"OK"
    changed = machine.board.arch.name == "x86_64"
    assert (stub.answer(read) != before) == changed and (b'"org.gnu.gdb.i386.linux"' in stub.answer(read)) == changed
    assert b'"org.gnu.gdb.i386.linux"' not in before
