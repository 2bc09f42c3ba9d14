# SPDX-License-Identifier: GPL-2.0-only
"""A program recurses 10,000 levels deep and returns the right result, whatever happens meanwhile."""

from __future__ import annotations

from tests.lib.booted_machine import booted_machine
from tests.lib.graph_calls import check_calls, start_graph

DEPTH = 10_000
BETWEEN_INTERRUPTS = 2_000  # cycles


def sum_of_levels(depth: int) -> int:
    """The output of `recurse`: each level's values are calculated from those of the level above."""
    a, b, c, total = 5, 7, depth, 0
    for level in range(depth, -1, -1):
        total += a - b + c
        a, b, c = a + level, b ^ a, c * 3 + 1
    return (total + 2**63) % 2**64 - 2**63


def test_recursion_while_everything_interrupts(arch: str) -> None:
    """Three of them on two CPUs, with interrupts, process switches, and the kernel's calls traced."""
    with booted_machine(arch, cpus=2) as machine:
        start_graph(machine)
        vectors = [machine.kernel.image.constant(name) for name in ("RESCHEDULE_VECTOR", "LOCAL_TIMER_VECTOR")]
        machine.run(f"for n in 1 2 3; do recurse {DEPTH} 1 > /sum$n & done")
        interrupts = 0
        while not all(cpu.halted for cpu in machine.board.cpus):
            for cpu in machine.board.cpus:
                cpu.raise_interrupt(vectors[interrupts % 2])
            interrupts += 1
            machine.advance(BETWEEN_INTERRUPTS)
        assert interrupts > 1000
        machine.tracefs.write("tracing_on", "0")
        count, _ = check_calls(machine)
        assert count > 50_000
        machine.tracefs.write("current_tracer", "nop")
        assert machine.run("cat /sum1 /sum2 /sum3").output.decode() == f"{sum_of_levels(DEPTH)}\n" * 3
        assert machine.warnings == []
