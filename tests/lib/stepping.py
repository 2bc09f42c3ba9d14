# SPDX-License-Identifier: GPL-2.0-only
"""A CPU that executes a few instructions at a time, beginning at a function."""

from __future__ import annotations

import numpy as np
import unicorn

from emu.cpu.arch.sparc64.state import Env
from emu.cpu.cpu import Cpu
from emu.machine import Machine
from tests.lib.arches import FACTS

__all__ = ["ENDLESS", "LONGEST_STEP", "context", "execute", "irqs_off", "place_of", "run_to", "step"]

LONGEST_STEP = 100  # instructions
ENDLESS = 100_000  # steps: no interrupt takes that many


def run_to(machine: Machine, function: str) -> None:
    """Runs a machine with one CPU until it is in the first block of a function."""
    (cpu,) = machine.board.cpus
    address = machine.kernel.image.symbol(function)
    arrived = False

    def arrive(uc, at, size, data):
        nonlocal arrived
        if not arrived:
            arrived = True
            machine.board.stop(cpu)

    cpu.uc.hook_add(unicorn.UC_HOOK_BLOCK, arrive, None, address, address)
    cpu.uc.ctl_flush_tb()
    while not arrived:
        assert machine.kernel.run()


def step(machine: Machine, cpu: Cpu, instructions: int) -> None:
    """Executes at most `instructions` instructions."""
    cpu.step(instructions)
    if cpu.record.request:
        machine.kernel.run()  # answers the host call


def place_of(cpu: Cpu) -> tuple[int, int]:
    """The program counter and the stack pointer."""
    return cpu.pc, cpu.registers()[FACTS[cpu.board.arch.name].stack_pointer]


def execute(machine: Machine, cpu: Cpu) -> None:
    """Executes one instruction. On SPARC V9 it may first trap for a register window: another interrupt would flush it again."""
    place = place_of(cpu)
    step(machine, cpu, 1)
    if machine.board.arch.name != "sparc64":
        return
    while Env.from_address(cpu.env).tl:
        step(machine, cpu, 1)
    if place_of(cpu) == place:
        execute(machine, cpu)


def irqs_off(machine: Machine, cpu: Cpu) -> bool:
    """Whether the CPU does not take interrupts."""
    return bool(machine.board.arch.native().irqs_off(np.uint64(cpu.env)))


def context(machine: Machine, cpu: Cpu) -> tuple[bool, int, int]:
    """Whether interrupts are off, the task, and preempt_count: an interrupt changes at least one of them."""
    kernel, hot = machine.kernel, machine.kernel.hot_areas[cpu.index]
    nesting = kernel.memory.member(hot, "pcpu_hot.preempt_count") & 0xFF_FFFF
    return irqs_off(machine, cpu), kernel.memory.member(hot, "pcpu_hot.current_task"), nesting
