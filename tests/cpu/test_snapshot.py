# SPDX-License-Identifier: GPL-2.0-only
"""Saving and restoring a window of a run, again and again."""

import hashlib
import random

import pytest

from emu import Machine
from emu.cpu.snapshot import Snapshots, Unsaveable


def digest(machine):
    """The state of a machine: its RAM, clocks, registers and output."""
    ram = hashlib.sha256(machine.board.ram).hexdigest()
    cpus = [(cpu.cycles, cpu.instructions, *cpu.registers().items()) for cpu in machine.board.cpus]
    return ram, cpus, bytes(machine._output), list(machine.warnings)


@pytest.fixture
def busy(arch):
    """Three traced CPUs that read and write. No program begins or ends."""
    with Machine(arch=arch, cpus=3, seed=5, memory=32 << 20) as machine:
        machine.tracefs.write("current_tracer", "function")
        dd = "dd if=/dev/zero of=/dev/null bs=16 count=100000000 2> /dev/null"
        machine.run(f"{dd} & {dd} & {dd} &")
        machine.advance(200_000)
        yield machine


def explored(snapshots, machine):
    """Explores branches of one window. Returns the machine's state at the end of each, by its path from the base."""
    chosen, found = random.Random(1), {}
    states = {(): snapshots.base}
    for _ in range(15):
        way = chosen.choice(list(states))
        snapshots.restore(states[way])
        way = (*way, chosen.choice([50, 300, 2_000]))
        machine.advance(way[-1])
        states[way], found[way] = snapshots.save(), digest(machine)
    for way in found:
        snapshots.restore(states[way])
        assert digest(machine) == found[way]
    return found


def test_branches_of_a_window_are_the_same_again(busy):
    """Also branches that begin in the middle of others; and a run without snapshots is one of them."""
    snapshots = Snapshots(busy.board, [busy])
    snapshots.restore(snapshots.base)
    busy.advance(40_000)
    while snapshots.strays():
        busy.advance(40_000)
    found = explored(snapshots, busy)
    assert explored(snapshots, busy) == found
    assert snapshots.strays() == 0


def test_what_is_outside_the_working_set_is_found(busy):
    snapshots = Snapshots(busy.board, [busy])
    before = digest(busy)
    busy.board.ram[20 << 20] ^= 1
    busy.warnings.append("one")
    assert snapshots.strays() == 2
    assert digest(busy) == before
    busy.board.ram[20 << 20] ^= 1
    busy.warnings.append("two")
    assert snapshots.strays() == 0
    snapshots.restore(snapshots.base)
    assert digest(busy) == before


def test_what_cannot_be_put_back_is_refused(busy):
    busy.kernel.an_iterator = iter([1])
    with pytest.raises(Unsaveable, match=r"a list_iterator, which a Kernel holds"):
        Snapshots(busy.board, [busy])


def test_a_checkpoint_may_be_taken_meanwhile(busy):
    """Both can still be restored, but changes outside the working set are then not detected."""
    snapshots, before = Snapshots(busy.board, [busy]), digest(busy)
    busy.advance(2_000)
    checkpoint, then = busy.checkpoint(), digest(busy)
    with pytest.raises(ValueError, match="by others meanwhile"):
        snapshots.strays()
    busy.restore(checkpoint)
    assert digest(busy) == then
    busy.restore(checkpoint)
    snapshots.restore(snapshots.base)
    busy.advance(2_000)
    while snapshots.strays():
        busy.advance(2_000)
    snapshots.restore(snapshots.base)
    assert digest(busy) == before
    busy.restore(checkpoint)
    assert digest(busy) == then
