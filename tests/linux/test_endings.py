# SPDX-License-Identifier: GPL-2.0-only
"""A Linux ends at one instant, however long the moments are in which the host runs it, and whichever way it comes there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from emu.cpu import board
from emu.history.stops import Reason
from emu.kernel.endings import GuestPanic, PoweredOff
from emu.linux import guest
from emu.linux.machine import LinuxMachine
from tests.history.states import State
from tests.lib.linux_kernel import boot_once

pytestmark = pytest.mark.static_timing("an unmodified Linux has no other timing model")

PANIC = "echo c > /proc/sysrq-trigger"
ENDS = ["poweroff -f", "reboot -f", f"sleep 0.01; {PANIC}"]


@pytest.fixture
def console() -> bytearray:
    return bytearray()


@pytest.fixture
def machine(real_kernel: Path, machines_folder: Path, console: bytearray) -> Iterator[LinuxMachine]:
    with boot_once(real_kernel, machines_folder, console=console.extend) as machine:
        yield machine


def end_of(machine: LinuxMachine, command: str) -> tuple[str, int]:
    """Why a command does not return, and the state there; the next command finds the same."""
    state = State(machine.board, "x86_64")
    with pytest.raises((GuestPanic, PoweredOff)) as end:
        machine.run(command)
    found = str(end.value), state()
    with pytest.raises(end.type) as again:
        machine.run("true")
    assert (str(again.value), state()) == found
    return found


@pytest.mark.parametrize("printed", [True, False])
@pytest.mark.parametrize("command", [PANIC, *(pytest.param(end, marks=pytest.mark.long("the same")) for end in ENDS)])
def test_the_hosts_time_does_not_show(
    machine: LinuxMachine, console: bytearray, monkeypatch: pytest.MonkeyPatch, command: str, printed: bool
) -> None:
    """Also if a panic is not printed to its end, so that virtual time ends it."""
    if not printed:
        monkeypatch.setattr(guest, "_PANIC_END", b"is never printed")
        monkeypatch.setattr(guest, "_PRINTING", 20_000_000)
    begin = machine.checkpoint()
    found = []
    for microseconds in (50_000, 0, 700, 2_000_000):
        monkeypatch.setattr(board, "_TURN_SLICE", microseconds)
        machine.restore(begin)
        console.clear()
        found.append((*end_of(machine, command), bytes(console)))
    assert found == found[:1] * 4


def test_a_panic_that_has_begun_is_in_a_checkpoint(machine: LinuxMachine) -> None:
    panic = machine._guest.panic_address
    assert panic is not None
    machine._guest.channel.run([b"sh", b"-c", PANIC.encode()])
    while machine._guest._panicked is None:
        machine._guest.for_a_moment()
    begun = machine.checkpoint()
    ends = []
    for _ in range(2):
        with pytest.raises(GuestPanic, match="sysrq triggered crash") as end:
            machine.advance(10**9)
        ends.append((str(end.value), machine.board.now))
        machine.restore(begun)
    assert ends[0] == ends[1]


@pytest.mark.parametrize("command", [PANIC, *(pytest.param(end, marks=pytest.mark.long("the same")) for end in ENDS)])
def test_back_from_the_end_and_there_again(machine: LinuxMachine, console: bytearray, command: str) -> None:
    travel, state = machine.travel, State(machine.board, "x86_64")
    console.clear()
    travel.begin(command)
    assert travel.go().reason == Reason.FAILED
    end = travel.now, state(), bytes(console)

    def is_at_the_end() -> bool:
        return (travel.now, state(), bytes(console)) == end

    assert travel.go().reason == Reason.FAILED and is_at_the_end()
    for cpu, count in ((0, 1), (1, 1), (0, 20), (1, 3000), (0, 40_000)):
        index = travel._index(cpu)
        travel.back_step(cpu, count)
        assert travel._index(cpu) == index - count
        assert travel.go().reason == Reason.FAILED and is_at_the_end()
    for place in (end[0], travel.nanoseconds + 10**9):
        travel.goto(travel.first)
        travel.goto(place)
        assert is_at_the_end()
    travel.goto(travel.first)
    assert travel.step(1, 10**12).reason == Reason.FAILED and is_at_the_end()
