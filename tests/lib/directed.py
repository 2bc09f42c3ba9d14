# SPDX-License-Identifier: GPL-2.0-only
"""A machine whose CPUs are in the threads of the guest's module race_lab, and go where a test sends them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from emu.cpu.cpu import Cpu
from emu.cpu.native.cpu_records import NEVER
from emu.machine import Machine
from emu.race.machine.lab_module import LabModule, LabSite

__all__ = ["LONGEST_WAY", "come_to", "direct", "directing", "put", "walk"]

LONGEST_WAY = 1000  # instructions, between any two places in the module and its handlers


def walk(machine: Machine, cpu: Cpu, place: int, longest: int = LONGEST_WAY) -> int:
    """Steps a CPU until its next instruction is the one at `place`. Returns the number of instructions executed."""
    for number in range(1, longest + 1):
        machine.kernel.step(cpu)
        if cpu.pc == place:
            return number
    raise AssertionError(f"CPU {cpu.index} is at {machine.kernel.symbols.describe(cpu.pc)}")


def come_to(machine: Machine, cpu: Cpu, site: LabSite) -> None:
    """Steps a CPU until it is in front of a site."""
    walk(machine, cpu, site.address)


def direct(machine: Machine, lab: LabModule) -> list[int]:
    """Brings all CPUs home, and switches their timers off. Returns the times at which these would have expired."""
    timers = []
    for cpu in machine.board.cpus:
        walk(machine, cpu, lab.home, longest=200_000)
        timers.append(cpu.record.timer)
        cpu.record.timer = NEVER
    return timers


@contextmanager
def directing(machine: Machine, lab: LabModule) -> Iterator[Machine]:
    """The machine with all CPUs at home; nothing takes them away from there until the end."""
    timers = direct(machine, lab)
    try:
        yield machine
    finally:
        machine.patching.held = False
        for cpu, timer in zip(machine.board.cpus, timers, strict=True):
            lab.visit(cpu.index, None)
            lab.visit_in_nmi(cpu.index, None)
            cpu.record.timer = timer


def put(machine: Machine, site: LabSite, code: bytes) -> None:
    """Puts other code at a site, and makes it visible to all CPUs."""
    place = machine.kernel.memory.physical(site.address)
    machine.board.write_code(place, code)
    for cpu in machine.board.cpus:
        cpu.fetch_anew(np.array([[place, place + len(code)]], np.uint64))
