# SPDX-License-Identifier: GPL-2.0-only
"""Stops and travel in time: nothing changes by them, and an instant is the same whichever way the machine came to it."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator

import pytest

from emu.cpu.timing import TIMING_MODELS
from emu.gdb import arch as gdb_arch
from emu.gdb.memory import Memory
from emu.history.stops import Breakpoint, Instant, Reason, Stop, TakenTrap, Watchpoint
from emu.history.travel import Travel
from emu.machine import Machine

COMMAND = "ls /bin | wc -l"
LAST_PAGES = 64 << 20  # bytes of RAM that are in use


class Run:
    """A machine that has run COMMAND once.

    Attributes:
        output: what the caller got of its console.
        end: the state when the command has ended.
    """

    def __init__(self, arch: str) -> None:
        self.output = b""
        self.machine = Machine(arch=arch, cpus=2, seed=0, memory=LAST_PAGES, console=self._console)
        self.output = b""
        self.travel = Travel(self.machine)
        self.travel.begin(COMMAND)
        assert self.travel.go().reason == Reason.ENDED
        self.end = self.state()

    def _console(self, data: bytes) -> None:
        self.output += data

    def state(self) -> str:
        board = self.machine.board
        hashed = hashlib.sha256(board.ram)
        for cpu in board.cpus:
            hashed.update(repr((cpu.cycles, cpu.instructions, dict(cpu.registers()))).encode())
        return hashed.hexdigest()

    def symbol(self, name: str) -> int:
        return self.machine.kernel.image.symbol(name)

    def is_at_its_end(self) -> bool:
        return self.travel.go().reason == Reason.ENDED and self.state() == self.end

    def stops(self) -> list[Instant]:
        """Of the whole run, going forward."""
        self.travel.goto(self.travel.first)
        found = []
        while (stop := self.travel.go()).reason in (Reason.BREAKPOINT, Reason.WATCHPOINT):
            found.append(stop.instant)
        assert stop.reason == Reason.ENDED
        assert self.state() == self.end
        return found


@pytest.fixture(scope="module", params=["x86_64", "sparc64", "riscv64"])
def shared(request: pytest.FixtureRequest) -> Iterator[Run]:
    made = Run(request.param)
    with made.machine:
        yield made


@pytest.fixture
def run(shared: Run) -> Iterator[Run]:
    yield shared
    for stop in shared.travel.stops:
        shared.travel.remove(stop)


def test_traps_are_where_breakpoints_at_their_handlers_stop(run: Run) -> None:
    travel, cpu = run.travel, run.machine.board.cpus[1]
    travel.goto(travel.first)
    later = travel.nanoseconds + 300_000
    arch = gdb_arch.load(run.machine.board.arch.name)
    memory = Memory(run.machine.board, arch)

    def read(address: int, size: int) -> bytes:
        return memory.read(cpu, address, size)

    def is_trap() -> bool:
        """A handler may take the room of several."""
        return arch.trap(cpu, read) is not None

    entries = set(arch.trap_entries(cpu, read)) - set(arch.jumped_to(cpu))
    kinds: list[list[Stop]] = [[Breakpoint(entry, 1) for entry in entries], [TakenTrap(1)]]
    found: list[list[Instant]] = []
    for stops in kinds:
        travel.goto(later)
        travel.add(*stops)
        forward: list[Instant] = []
        while len(forward) < 3:
            stopped = travel.go()
            forward += [stopped.instant] if is_trap() else []
        for before in reversed(forward[:-1]):
            travel.back()
            while not is_trap():
                travel.back()
            assert travel.now == before
        found.append(forward)
        travel.remove(*stops)
    assert found[0] == found[1]
    assert run.is_at_its_end()


def test_breakpoints_do_not_change_the_run_and_come_again_backward(run: Run) -> None:
    names = ["vfs_read", "vfs_write", "schedule", "do_exit", "kmem_cache_alloc", "__schedule"]
    for name in names:
        if name in run.machine.kernel.image.symbols:
            run.travel.add(Breakpoint(run.symbol(name)))
    forward = run.stops()
    assert len(forward) > 2
    backward = []
    while (stop := run.travel.back()).reason == Reason.BREAKPOINT and len(backward) < 5:
        assert run.machine.cpus[stop.cpu].pc == stop.stops[0].address
        backward.append(stop.instant)
    assert backward == forward[::-1][: len(backward)]
    assert run.output == b"87\n"


def test_a_breakpoint_of_one_cpu(run: Run) -> None:
    run.travel.add(Breakpoint(run.symbol("schedule"), cpu=1))
    run.travel.goto(run.travel.first)
    assert run.travel.go().cpu == 1


@pytest.mark.parametrize("arch", ["x86_64", "sparc64", "riscv64"])
def test_writes_of_a_variable_are_seen_forward_and_backward(arch: str) -> None:
    own = Run(arch)
    with own.machine:
        own.travel.add(Watchpoint(own.symbol("jiffies"), 8))
        forward = own.stops()
        assert forward
        assert own.travel.back().instant < forward[-1]
        assert own.travel.back().instant < forward[-2]


def test_a_machine_goes_back_by_its_own_methods() -> None:
    with Machine(memory=LAST_PAGES) as m:
        m.travel.begin("true")
        m.watch(m.kernel.image.symbol("jiffies"))
        found = m.travel.go().instant
        m.travel.go()
        assert m.back().instant < m.travel.last
        m.at(found)
        m.back(3, cpu=m.travel.cpu)
        assert m.travel.now < found


@pytest.mark.parametrize("timing", TIMING_MODELS)
def test_a_stop_soon_after_the_beginning(timing: str) -> None:
    """The machine needs no checkpoint there: it goes on from the beginning, also to find out what the block costs."""
    with Machine(cpus=2, memory=LAST_PAGES, timing=timing) as machine:
        there = Breakpoint(machine.kernel.image.symbol("vfs_read"))
        machine.travel.begin("taskset 1 cat /proc/version")
        machine.travel.add(there)
        for _ in range(2):
            stop = machine.travel.go()
            assert (stop.reason, machine.board.cpus[stop.cpu].pc) == (Reason.BREAKPOINT, there.address)
        assert machine.travel.back().instant < stop.instant
        assert machine.board.cpus[machine.travel.cpu].pc == there.address
        assert machine.travel.go().instant == stop.instant


def test_steps_go_the_same_way_back(run: Run) -> None:
    travel = run.travel
    travel.goto(travel.first)
    travel.add(Breakpoint(run.symbol("vfs_read")))
    cpu = travel.go().cpu
    travel.remove(Breakpoint(run.symbol("vfs_read")))
    states = [(travel.now, run.state())]
    for _ in range(12):
        travel.step(cpu)
        states.append((travel.now, run.state()))
    assert len(set(states)) == 13
    for expected in states[-2::-1]:
        travel.back_step(cpu)
        assert (travel.now, run.state()) == expected
    travel.step(cpu, 12)
    assert (travel.now, run.state()) == states[-1]


@pytest.mark.parametrize("arch", ["x86_64", "sparc64", "riscv64"])
def test_from_anywhere_forward_to_the_same_end(arch: str) -> None:
    own = Run(arch)
    with own.machine:
        r, travel, board = random.Random(7), own.travel, own.machine.board
        last = board.nanoseconds(board.now)
        for _ in range(5):
            travel.goto(r.randrange(last - 3_000_000, last))
            if travel.step(r.randrange(2), r.randrange(1, 2000)).reason == Reason.ENDED:
                assert own.state() == own.end
            else:
                assert own.is_at_its_end()


def test_a_change_of_the_past_begins_a_branch() -> None:
    run = Run("x86_64")
    with run.machine:
        travel = run.travel
        travel.goto(travel.first)
        with travel.changing() as branched:
            run.machine.board.ram[LAST_PAGES - 4096] = 1
        assert branched
        assert travel.branch == 1
        assert travel.go().reason == Reason.ENDED
        assert run.state() != run.end


def test_the_writes_of_the_patcher_stop() -> None:
    run = Run("x86_64")
    with run.machine:
        travel, site = run.travel, run.symbol("vfs_read")
        travel.begin("echo vfs_read > /sys/kernel/tracing/set_ftrace_filter; echo function > /sys/kernel/tracing/current_tracer")
        travel.add(Watchpoint(site, 5))
        place = run.machine.board.place(site)
        assert place is not None
        seen = []
        while (stop := travel.go()).reason == Reason.WATCHPOINT:
            assert stop.host
            seen.append(bytes(run.machine.board.ram[place : place + 5])[0])
        assert seen == [0xCC, 0xCC, 0xE8]
        assert travel.back().host
        assert travel.back().host
        assert bytes(run.machine.board.ram[place : place + 1]) == b"\xcc"
