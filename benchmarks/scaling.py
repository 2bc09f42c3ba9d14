# SPDX-License-Identifier: GPL-2.0-only
"""Host time per guest instruction with 1 to 128 busy CPUs, what a turn costs and why, and booting 128 CPUs.
The peer is the same machine with 2 CPUs.

    ./venv python benchmarks/scaling.py [MOST CPUS]
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable

from arches import ARCHES

from emu.cpu import arch as cpu_arch
from emu.cpu.native import turns
from emu.cpu.native.cpu_records import Board, Cpu
from emu.machine import Machine
from emu.native.functions import shared
from emu.native.records import Values, u64

QUANTA = (2000, 50_000)
PEER = 2  # CPUs
ROUNDS = 3
CYCLES = 30_000_000  # of all CPUs together, in one round
WARM_UP = 1_000_000  # cycles of each CPU, so that the code is translated and the tasks are spread over the CPUs
BOOT = (
    "import resource, sys; from emu.machine import Machine; machine = Machine(arch=sys.argv[1], cpus=int(sys.argv[2])); "
    "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
)


def processor_time(work: Callable[[], object]) -> float:
    """Seconds, the best of several times."""
    best = float("inf")
    for _ in range(ROUNDS):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return best


def busy_machine(arch: str, cpus: int) -> Machine:
    machine = Machine(arch=arch, cpus=cpus, timing="static", quantum=QUANTA[-1])
    machine.run("spin 1000000 & " * cpus)
    machine.advance(WARM_UP)
    assert not any(cpu.halted for cpu in machine.board.cpus)
    return machine


def nanoseconds_per_instruction(machine: Machine, quantum: int) -> float:
    board = machine.board
    board.record.quantum = quantum
    cycles = max(CYCLES // len(board.cpus), 4 * quantum)
    machine.advance(4 * quantum)  # until the clocks are as far apart as they get
    best = float("inf")
    for _ in range(ROUNDS):
        before = sum(cpu.instructions for cpu in board.cpus)
        start = time.process_time()
        machine.advance(cycles)
        taken = time.process_time() - start
        best = min(best, taken / (sum(cpu.instructions for cpu in board.cpus) - before) * 1e9)
    return best


@shared
def _shortest_turns(cpus: Values[Cpu], most: u64, count: u64) -> None:
    """Turns that end at their first block, of the first `most` CPUs in rotation."""
    for n in range(count):
        cpu = cpus[n % most]
        now = cpu.cycles
        turns.begin_turn(cpu.board, cpu, now, now)
        turns.enter(cpu)


@shared
def _choices(board: Board, count: u64) -> None:
    """The loop over turns, kept from beginning one; it reads the clock each time, where it otherwise does so every 32 turns."""
    for _ in range(count):
        turns.run(board, 0)


def turn_costs(machine: Machine) -> tuple[float, float, float]:
    """Microseconds to choose the CPU of a turn, and of a turn that executes nothing: of one CPU, and of all in rotation."""
    board = machine.board
    cpus = board.record.cpus
    count = 10 * len(board.cpus)
    board.limit = 0
    choose = processor_time(lambda: _choices(board.record, count))
    board.unlimited()
    board.record.quantum = 1
    one = processor_time(lambda: _shortest_turns(cpus, 1, count))
    each = processor_time(lambda: _shortest_turns(cpus, len(board.cpus), count))
    return choose / count * 1e6, one / count * 1e6, each / count * 1e6


def boot(arch: str, cpus: int) -> None:
    """Boots a machine in a process of its own."""

    def work() -> int:
        done = subprocess.run([sys.executable, "-c", BOOT, arch, str(cpus)], check=True, stdout=subprocess.PIPE)
        return int(done.stdout) >> 10

    work()  # compiles the native code, and fills the file cache
    start = time.perf_counter()
    resident = work()
    print(f"{arch}: {cpus} CPUs boot in {time.perf_counter() - start:.1f} s, with {resident} MiB resident at most")


def scale(arch: str, most: int) -> None:
    print(f"{arch}: ns of processor time per guest instruction")
    print("CPUs " + "".join(f"{quantum:>8} cycles  / {PEER} CPUs" for quantum in QUANTA))
    peer: dict[int, float] = {}
    cpus = 1
    while cpus <= most:
        with busy_machine(arch, cpus) as machine:
            costs = {quantum: nanoseconds_per_instruction(machine, quantum) for quantum in QUANTA}
            if cpus == PEER:
                peer = costs
            ratio = {quantum: f"{cost / peer[quantum]:.2f}" if peer else "" for quantum, cost in costs.items()}
            print(f"{cpus:>4} " + "".join(f"{costs[quantum]:15.2f}{ratio[quantum]:>10}" for quantum in QUANTA))
            if cpus * 2 > most:
                print_turn(machine, costs, peer or costs)
        cpus *= 2


def print_turn(machine: Machine, costs: dict[int, float], peer: dict[int, float]) -> None:
    """Prints what the difference between many CPUs and few consists of, at the smallest quantum."""
    cpus, quantum = len(machine.board.cpus), QUANTA[0]
    before = sum(cpu.instructions for cpu in machine.board.cpus)
    cycles = 20 * quantum
    machine.advance(cycles)
    per_cycle = (sum(cpu.instructions for cpu in machine.board.cpus) - before) / cycles / cpus
    instructions = quantum * 7 / 8 * per_cycle  # begin_turn takes up to a quarter of a quantum away
    more = (costs[quantum] - peer[QUANTA[-1]]) * instructions / 1000
    choose, one, each = turn_costs(machine)
    print(
        f"a turn of {quantum} cycles with {cpus} CPUs costs {more:.1f} us more than its instructions do with {PEER}:\n"
        f"    {choose:6.2f} us  choosing the CPU\n"
        f"    {one:6.2f} us  entering and leaving Unicorn\n"
        f"    {each - one:6.2f} us  the same, with what it needs no longer in the host's caches\n"
        f"    {more - choose - each:6.2f} us  the rest: its translations and TLB, which are no longer there either"
    )


def main() -> None:
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 128
    for arch in ARCHES:
        most = min(wanted, cpu_arch.load(arch).max_cpus)
        boot(arch, most)
    for arch in ARCHES:
        scale(arch, min(wanted, cpu_arch.load(arch).max_cpus))
    print(
        "Every Uc translates for itself. To lower the cost of small quanta: fewer host pages for each CPU's translations\n"
        "(huge pages), then translations that CPUs share, which Unicorn's interface does not allow."
    )


if __name__ == "__main__":
    main()
