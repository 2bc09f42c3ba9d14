# SPDX-License-Identifier: GPL-2.0-only
"""Interrupts before every instruction of a graph-traced kernel, and of a recursive program: nothing is affected.

Code with interrupts off gets them when it turns them on. On SPARC V9 both places spill and fill register windows.
"""

from __future__ import annotations

import re

import pytest

from emu.machine import Machine
from tests.lib.booted_machine import booted_machine
from tests.lib.graph_calls import check_calls, start_graph
from tests.lib.stepping import ENDLESS, LONGEST_STEP, context, execute, irqs_off, run_to, step

VECTORS = ("LOCAL_TIMER_VECTOR", "RESCHEDULE_VECTOR")
INTERRUPTS = 1000


def interrupt_every_instruction(machine: Machine, count: int) -> set[int]:
    """Makes the CPU take `count` interrupts, each before a different instruction. Returns where they were raised."""
    (cpu,) = machine.board.cpus
    vectors = [machine.kernel.image.constant(name) for name in VECTORS]
    places = set()
    taken = 0
    while taken < count:
        _, *interrupted = context(machine, cpu)
        places.add(cpu.pc)
        before = cpu.record.taken
        cpu.raise_interrupt(vectors[taken % 2])
        step(machine, cpu, 1)
        if cpu.record.taken == before:
            continue  # interrupts are off here
        taken += 1
        for _ in range(ENDLESS):
            if not irqs_off(machine, cpu) and context(machine, cpu) == (False, *interrupted):
                break
            step(machine, cpu, LONGEST_STEP)
        else:
            raise AssertionError(f"interrupt {taken} does not return")
        execute(machine, cpu)
    return places


@pytest.mark.parametrize(
    ("command", "function", "user_mode"),
    [("ls /bin", "sys_openat", False), ("recurse 200 1", "sys_getpid", True)],
)
def test_an_interrupt_before_every_instruction(arch: str, command: str, function: str, user_mode: bool) -> None:
    with booted_machine(arch, cpus=1) as machine:
        expected = machine.run(command).output
        start_graph(machine)
        machine.run(f"(usleep 1000; {command} > /result) &")
        run_to(machine, function)
        places = interrupt_every_instruction(machine, INTERRUPTS)
        assert len(places) > 300
        assert not user_mode or any(place < machine.board.arch.direct_map for place in places)
        machine.advance(20_000_000)
        machine.tracefs.write("tracing_on", "0")
        count, _ = check_calls(machine)
        assert count > 10_000
        machine.tracefs.write("current_tracer", "nop")
        assert machine.run("cat /result").output == expected
        assert re.search(rb"\d", expected) or b"sed\n" in expected
        assert machine.warnings == []
