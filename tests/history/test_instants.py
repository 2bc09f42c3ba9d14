# SPDX-License-Identifier: GPL-2.0-only
"""Random travel: an instant has the same state whichever way the machine comes to it, and it is the state of a run without
travel. Stops come and go meanwhile."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from emu.history.stops import Breakpoint, Instant, Reason, Stop, Watchpoint
from emu.history.travel import Travel
from emu.linux.machine import LinuxMachine
from emu.machine import Machine
from tests.history.states import NOWHERE, State, states_at
from tests.lib.linux_kernel import boot_once, kernel_for_tests, shared_folder

TRACING = "/sys/kernel/tracing/current_tracer"
IN_BACKGROUND = "cat /proc/uptime; sleep 0.01; ls /bin | wc -l"
COMMAND = "({}) & ls -l / > /tmp/x; wc /tmp/x; sleep 0.003; wait; wc < /tmp/x"
PATCHING = COMMAND.format(f"echo function > {TRACING}; {IN_BACKGROUND}; echo nop > {TRACING}")
FUNCTIONS = (
    "vfs_read", "vfs_write", "schedule", "__schedule", "do_exit", "kmem_cache_alloc", "try_to_wake_up", "handle_mm_fault",
    "kernel_clone", "path_openat", "pipe_read", "pipe_write", "hrtimer_interrupt", "update_process_times",
)  # fmt: skip
VARIABLES = ("jiffies", "tasklist_lock", "init_task", "runqueues", "total_forks", "nr_threads")


class Journey:
    """Random travel in the history of a command. `states`: those that were met. `state`: tells them apart; default: State."""

    def __init__(
        self,
        machine: Machine | LinuxMachine,
        command: str,
        find: Callable[[str], int | None],
        seed: int,
        state: State | None = None,
    ) -> None:
        self.board, self.state = machine.board, state or State(machine.board, machine.board.arch.name)
        self.random, self.states = random.Random(seed), dict[Instant, tuple[int, int]]()
        self.travel = Travel(machine)
        self.travel.begin(command)
        assert self.travel.go().reason == Reason.ENDED
        self.end, self.end_state, self.last = self.travel.now, self.state(), self.travel.nanoseconds
        self.travel.goto(self.travel.first)
        self.first = self.travel.nanoseconds
        self.stops: list[Stop] = [Breakpoint(at) for name in FUNCTIONS if (at := find(name)) is not None]
        known = [at for name in VARIABLES if (at := find(name)) is not None]
        self.stops += [Watchpoint(at, reads=n % 2 == 1) for n, at in enumerate(known)]

    def check(self) -> None:
        """The present state is the one that was met at this instant before."""
        now, found = self.travel.now, (self.state(), self.state(self.travel.now.cpu))
        assert self.states.setdefault(now, found) == found, now

    def somewhere(self) -> Instant:
        travel, choose = self.travel, self.random
        travel.goto(choose.randrange(self.first, self.last))
        travel.step(choose.randrange(len(self.board.cpus)), int(2 ** choose.uniform(0, 13)))
        self.check()
        return travel.now

    def wander(self) -> None:
        travel, choose = self.travel, self.random
        cpu, count = choose.randrange(len(self.board.cpus)), int(2 ** choose.uniform(0, 12))
        ways: list[Callable[[], object]] = [
            lambda: travel.back_step(cpu, count),
            lambda: travel.step(cpu, count),
            lambda: travel.goto(choose.randrange(self.first, self.last)),
            lambda: travel.goto(choose.choice(sorted(self.states))),
        ]
        if travel.stops:
            ways += [travel.back, travel.go]
        choose.choice(ways)()
        self.check()

    def go(self, instants: int) -> None:
        for n in range(instants):
            for stop in self.stops if n % 4 == 1 else ():
                self.travel.add(stop)
            for stop in self.travel.stops if n % 4 == 0 else ():
                self.travel.remove(stop)
            here = self.somewhere()
            for _ in range(self.random.randrange(1, 4)):
                self.wander()
            self.travel.goto(here)
            assert self.travel.now == here
            self.check()
            if n % 8 == 0 and here < self.end:
                assert self.travel.go().reason == Reason.ENDED
                assert (self.travel.now, self.state()) == (self.end, self.end_state)


def forward_only(machine: Machine | LinuxMachine, arch: str, command: str, states: dict[Instant, tuple[int, int]]) -> None:
    """A machine that never stops has the same states at these instants."""
    met = {instant: loosely for instant, (_, loosely) in states.items() if instant.place not in (0, NOWHERE)}
    driver = machine.driver()
    with states_at(machine.board, State(machine.board, arch), met) as found:
        driver.begin(command, b"", None)
        while driver.status is None:
            driver.moment()
    end = max(found)
    assert len(found) > len(met) // 2
    assert {instant: met[instant] for instant in met if instant <= end} == found


@pytest.mark.long("takes minutes")
@pytest.mark.parametrize(("arch", "cpus"), [("x86_64", 2), ("x86_64", 4), ("sparc64", 2), ("riscv64", 2)])
def test_random_travel(arch: str, cpus: int) -> None:
    def make() -> Machine:
        return Machine(arch=arch, cpus=cpus, seed=0, memory=64 << 20)

    with make() as machine:
        journey = Journey(machine, PATCHING, machine.kernel.image.symbols.get, seed=cpus)
        journey.go(200)
    with make() as machine:
        forward_only(machine, arch, PATCHING, journey.states)


@pytest.mark.long("takes minutes")
def test_random_travel_in_linux(tmp_path_factory: pytest.TempPathFactory) -> None:
    def make() -> LinuxMachine:
        return boot_once(kernel_for_tests(), shared_folder(tmp_path_factory, "linux"))

    with make() as machine:
        journey = Journey(machine, COMMAND.format(IN_BACKGROUND), machine._guest.symbols.address, seed=1)
        journey.go(40)
    with make() as machine:
        forward_only(machine, "x86_64", COMMAND.format(IN_BACKGROUND), journey.states)


@pytest.mark.parametrize("arch", ["x86_64", "sparc64", "riscv64"])
def test_a_short_journey(arch: str) -> None:
    with Machine(arch=arch, cpus=2, seed=0, memory=64 << 20) as machine:
        journey = Journey(machine, "echo hi | wc", machine.kernel.image.symbols.get, seed=1)
        journey.go(3)
    with Machine(arch=arch, cpus=2, seed=0, memory=64 << 20) as machine:
        forward_only(machine, arch, "echo hi | wc", journey.states)
