# SPDX-License-Identifier: GPL-2.0-only
"""Host time per guest instruction by quantum and number of CPUs, all busy, on each architecture. The peer is a
quantum of 100,000 cycles.

    ./venv python benchmarks/turns.py
"""

from __future__ import annotations

import time

from arches import ARCHES

from emu.machine import Machine

QUANTA = (500, 1000, 5000, 20_000, 100_000)
CPUS = (1, 2, 4, 8)
ROUNDS = 3


def nanoseconds_per_instruction(arch: str, cpus: int, quantum: int) -> float:
    with Machine(arch=arch, cpus=cpus, timing="static", quantum=quantum) as machine:
        machine.run("spin 1000000 & " * cpus)
        machine.advance(5_000_000)  # so that the code is translated and the tasks are spread over the CPUs
        best = float("inf")
        for _ in range(ROUNDS):
            before = sum(cpu.instructions for cpu in machine.board.cpus)
            start = time.process_time()
            machine.advance(20_000_000 // cpus)
            taken = time.process_time() - start
            best = min(best, taken / (sum(cpu.instructions for cpu in machine.board.cpus) - before) * 1e9)
        return best


def main() -> None:
    print("ns of processor time per guest instruction")
    print(f"{'':8} CPUs " + "".join(f"{quantum:>10}" for quantum in QUANTA) + "   quantum 1000 / 100000")
    for cpus in CPUS:
        for arch in ARCHES:
            costs = {quantum: nanoseconds_per_instruction(arch, cpus, quantum) for quantum in QUANTA}
            row = "".join(f"{cost:10.2f}" for cost in costs.values())
            print(f"{arch:>8} {cpus:>4} {row}   {costs[1000] / costs[100_000]:.2f}")


if __name__ == "__main__":
    main()
