# SPDX-License-Identifier: GPL-2.0-only
"""CPUs that are held: they execute nothing, and the history knows when that was."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

import pytest

from emu.history.holding import held, hold, release
from emu.history.stops import Breakpoint, Instant, Reason
from emu.history.travel import Travel
from emu.machine import Machine
from tests.lib.booted_machine import booted_machine

COMMAND = "for i in 1 2 3 4 5 6; do cat /proc/version > /dev/null & done; wait"


@pytest.fixture
def stopped(arch: str) -> Iterator[tuple[Machine, Travel, int]]:
    """A machine whose CPU 1 is in the midst of a function that CPU 0 executes, too; and that function's address."""
    with booted_machine(arch) as machine:
        travel = Travel(machine)
        travel.begin(COMMAND)
        place = machine.kernel.image.symbols["vfs_read"]
        travel.add(stop := Breakpoint(place, cpu=1))
        assert travel.go().reason == Reason.BREAKPOINT
        travel.remove(stop)
        travel.step(1, 3)
        yield machine, travel, place


def state(machine: Machine) -> tuple[str, list[tuple[int, int, int]]]:
    clocks = [(cpu.cycles, cpu.instructions, cpu.pc) for cpu in machine.board.cpus]
    return hashlib.sha256(machine.board.ram).hexdigest(), clocks


def test_a_held_cpu_executes_nothing_and_the_others_go_on(stopped: tuple[Machine, Travel, int]) -> None:
    machine, travel, place = stopped
    one, other = machine.board.cpus[1], machine.board.cpus[0]
    before = one.pc, one.instructions, one.cycles
    counted = other.instructions
    hold(machine.board, [1], travel.changing())
    stop = Breakpoint(place, cpu=0)
    travel.add(stop)
    assert travel.go().cpu == 0
    assert (one.pc, one.instructions) == before[:2] and one.cycles <= before[2] and other.instructions > counted
    travel.remove(stop)
    release(machine.board, travel.changing())
    assert held(machine.board) == [] and one.cycles == machine.board.now
    assert travel.go().reason == Reason.ENDED and machine.kernel.commands.status == 0


def test_the_history_knows_when_a_cpu_was_held(stopped: tuple[Machine, Travel, int]) -> None:
    machine, travel, place = stopped
    begun, states, instants = travel.now, [], []
    travel.add(Breakpoint(place, cpu=0))
    hold(machine.board, [1], travel.changing())
    for n in range(3):
        travel.go()
        if n == 1:  # from now on, this instant is the one behind the change
            release(machine.board, travel.changing())
        states.append(state(machine))
        instants.append(travel.now)
    assert travel.back().instant == instants[1] and held(machine.board) == []
    assert travel.back().instant == instants[0] and held(machine.board) == [1] and state(machine) == states[0]
    travel.goto(Instant(begun.turn))
    assert held(machine.board) == []
    for instant, known in zip(instants, states, strict=True):
        while travel.now < instant:
            travel.go()
        assert (travel.now, state(machine)) == (instant, known)


def test_what_waits_for_a_held_cpu_can_be_stopped(stopped: tuple[Machine, Travel, int]) -> None:
    """The machine sleeps for ever, or it runs until the caller wants no more."""
    machine, travel, _ = stopped
    hold(machine.board, [1], travel.changing())
    asked = iter(range(5))
    assert travel.go(interrupted=lambda: next(asked, None) is None).reason in (Reason.IDLE, Reason.INTERRUPTED)
    assert machine.kernel.commands.status is None


def test_one_cpu_must_run(stopped: tuple[Machine, Travel, int]) -> None:
    machine, travel, _ = stopped
    for cpus in ([0, 1], [2], [-1]):
        with pytest.raises(ValueError, match="CPU"):
            hold(machine.board, cpus, travel.changing())
    assert held(machine.board) == [] and travel.branch == 0


def test_a_stop_at_which_the_machine_was_changed_is_met_going_back(stopped: tuple[Machine, Travel, int]) -> None:
    """Unless the change has made its CPU go on elsewhere."""
    machine, travel, place = stopped
    travel.add(Breakpoint(place))
    first = travel.go().instant
    with travel.changing():
        pass
    second = travel.go()
    pc, cpu = machine.board.cpus[second.cpu].pc, machine.board.cpus[second.cpu]
    with travel.changing():
        cpu.record.location[0] = machine.kernel.image.symbols["sched_clock"]
    travel.step(second.cpu, 1)
    with travel.changing():
        cpu.record.location[0] = pc
    travel.step(second.cpu, 1)
    assert (travel.back().instant, travel.now) == (first, first)
