# SPDX-License-Identifier: GPL-2.0-only
"""Steps pass over what happens between two instructions, and not over what an instruction asks for."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from emu.cpu.cpu import Cpu
from emu.gdb import arch as gdb_arch
from emu.gdb.arch import Trap
from emu.gdb.memory import Memory
from emu.gdb.stepping import Stepping
from emu.history.stops import Breakpoint, Reason
from emu.history.travel import Travel
from emu.machine import Machine
from tests.lib.booted_machine import booted_machine

COMMAND = "i=0; while [ $i -lt 3000 ]; do i=$((i+1)); done"
PROGRAMS = 1 << 47  # the end of their addresses
STEPS = 12
TABLE = 0x400  # entries of a table by types of traps


class Stepped:
    """A machine with one CPU that executes a program."""

    def __init__(self, machine: Machine) -> None:
        board, self.travel = machine.board, Travel(machine)
        self.cpu: Cpu = board.cpus[0]
        self.arch = gdb_arch.load(board.arch.name)
        self.memory = Memory(board, self.arch)
        self.stepping = Stepping(self.travel, board, self.arch, self.memory)
        self.travel.begin(COMMAND)

    def to_program(self) -> None:
        """Goes on to where a turn begins in a program."""
        time = self.travel.nanoseconds
        while not self.cpu.in_user_mode:
            time += 100_000
            self.travel.goto(time)

    def read(self, address: int, size: int) -> bytes:
        return self.memory.read(self.cpu, address, size)

    def code(self) -> bytes:
        return self.read(self.cpu.pc, 16)

    def to_trap(self, *, asked: bool) -> Trap:
        """Goes on to the last instruction of a program before an interrupt, or before a trap that is asked for."""
        entries = list(self.arch.trap_entries(self.cpu, self.read))
        if len(entries) == TABLE:  # an interrupt's or a system call's are enough
            entries = entries[0x100:0x180] if asked else entries[0x41:0x50]
        stops = [Breakpoint(entry) for entry in entries]
        for stop in stops:
            self.travel.add(stop)
        while True:
            taken = self.cpu.record.taken
            assert self.travel.go().reason == Reason.BREAKPOINT
            trap = self.arch.trap(self.cpu, self.read)
            comes = asked or self.cpu.record.taken > taken
            if trap is not None and trap.pc < PROGRAMS and trap.asked == asked and comes:
                break
        for stop in stops:
            self.travel.remove(stop)
        self.travel.back_step(0)
        assert self.cpu.in_user_mode
        return trap


@pytest.fixture
def stepped(arch: str) -> Iterator[Stepped]:
    with booted_machine(arch, cpus=1) as machine:
        yield Stepped(machine)


def test_a_step_passes_over_an_interrupt_forward_and_backward(stepped: Stepped) -> None:
    stepped.to_program()
    following = stepped.to_trap(asked=False).pc
    place, taken = stepped.cpu.pc, stepped.cpu.record.taken
    stopped = stepped.stepping.step(0, lambda: False)
    assert (stopped.reason, stepped.cpu.pc, stepped.cpu.in_user_mode) == (Reason.STEP, following, True)
    assert stepped.cpu.record.taken > taken
    stopped = stepped.stepping.back_step(0)
    assert (stopped.reason, stepped.cpu.pc, stepped.cpu.record.taken) == (Reason.STEP, place, taken)


def test_steps_of_a_program_end_in_the_program_and_lead_back(stepped: Stepped) -> None:
    """The steps may meet faults, or traps of register windows, but no system call."""
    stepped.to_program()
    places = []
    for _ in range(STEPS):
        if stepped.arch.asks(stepped.code()):
            break
        places.append(stepped.cpu.pc)
        assert stepped.stepping.step(0, lambda: False).reason == Reason.STEP
        assert stepped.cpu.in_user_mode
    for place in reversed(places):
        stepped.stepping.back_step(0)
        assert stepped.cpu.pc == place


def test_a_step_leads_into_a_system_call(stepped: Stepped) -> None:
    stepped.to_trap(asked=True)
    assert stepped.arch.asks(stepped.code())
    stepped.stepping.step(0, lambda: False)
    assert not stepped.cpu.in_user_mode


def test_a_step_writes_nothing_that_comes_later() -> None:
    """With one CPU, a turn lasts long: a step is found by executing the rest of the turn."""
    written: list[bytes] = []
    with Machine("x86_64", cpus=1, console=written.append) as machine:
        travel = Travel(machine)
        written.clear()
        travel.begin("echo one; echo two")
        travel.add(stop := Breakpoint(machine.kernel.image.symbols["ksys_write"]))
        travel.go()
        travel.remove(stop)
        for _ in range(12):
            travel.step(0)
        assert not written
        travel.go()
        assert b"".join(written) == b"one\ntwo\n"


def test_a_turn_ends_after_a_change_in_its_midst() -> None:
    with booted_machine("x86_64", cpus=1) as machine:
        travel = Travel(machine)
        travel.begin("echo one")
        travel.add(stop := Breakpoint(machine.kernel.image.symbols["ksys_write"]))
        travel.go()
        travel.remove(stop)
        for _ in range(3):
            travel.step(0)
        with travel.changing():
            pass
        record = machine.board.cpus[0].record
        assert record.turn_end - record.cycles < 1 << 40
        assert [travel.step(0).reason for _ in range(5)] == [Reason.STEP] * 5
        assert travel.go().reason == Reason.ENDED
