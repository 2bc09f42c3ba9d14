# SPDX-License-Identifier: GPL-2.0-only
"""Directs one CPU of a lab from place to place, while all others stand still."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from emu.cpu.cpu import Cpu
from emu.cpu.native.cpu_records import NEVER
from emu.kernel.upcalls import Upcall
from emu.machine import Machine
from emu.race.machine.lab_module import LabModule, LabSite

__all__ = ["CpuDirection", "Lost"]

_LONGEST_WAY = 5000  # blocks; the longest real path, through an NMI, has about 50


class Lost(Exception):
    """A CPU does not reach its destination."""


class CpuDirection:
    """Directs a CPU that runs its thread of the module race_lab.

    Each method also raises GuestPanic if the kernel panics on the way, and PoweredOff.

    Args:
        machine: the machine with the module loaded.
        cpu: the CPU.
        module: the module.
    """

    def __init__(self, machine: Machine, cpu: Cpu, module: LabModule) -> None:
        self.cpu = cpu
        self._kernel = machine.kernel
        self._ram = machine.board.ram
        self._module = module
        self._alignment = machine.board.arch.instruction_alignment
        self._upcall_vector = machine.kernel.image.constant("UPCALL_VECTOR")
        self._stop_machine = machine.kernel.image.symbol("upcall_stop_machine")

    @property
    def pc(self) -> int:
        """The CPU's program counter."""
        return self.cpu.pc

    @property
    def goes_to(self) -> int:
        """The CPU's destination after the last instruction; if a delay slot comes first, the destination after that."""
        pc, following = self.pc, self.cpu.record.next_location[0]
        return pc if following == pc + self._alignment else following

    def go_to(self, *places: int) -> None:
        """Runs at least one block, until the CPU is at one of the given places.

        Raises:
            Lost: it does not get there.
        """
        if not self._kernel.run_to(self.cpu, places, _LONGEST_WAY):
            raise Lost

    def go_home(self) -> None:
        """Runs until the CPU's thread is between two visits."""
        if self.pc != self._module.home:
            self.go_to(self._module.home)

    def hold_timers(self) -> None:
        """Prevents timer interrupts."""
        self.cpu.record.timer = self.cpu.record.nmi_timer = NEVER

    def release_upcall(self) -> None:
        """Lets the upcall interrupt occur, even if there is no upcall."""
        self.cpu.raise_interrupt(self._upcall_vector)

    def hold_upcall(self) -> None:
        """Holds back the interrupt that announces an upcall."""
        self.cpu.record.arrivals[self._upcall_vector] = NEVER
        self.cpu.record.arrival = NEVER

    def come_to(self, site: LabSite, offset: int = 0) -> None:
        """Moves the CPU from home to a site, or into it. It stops before the instruction there."""
        if offset:
            site = replace(site, function=site.address + offset, address=site.address + offset)
        self._module.visit(self.cpu.index, site)
        self.go_to(site.function)
        self._enter(site)

    def come_to_in_nmi(self, site: LabSite) -> None:
        """Raises an NMI whose handler goes to a site."""
        self._module.visit_in_nmi(self.cpu.index, site)
        self.cpu.raise_nmi()
        self._take(site.function)
        self._enter(site)

    def take_nmi(self, site: LabSite) -> None:
        """Raises an NMI whose handler goes to a site, and takes it."""
        self._module.visit_in_nmi(self.cpu.index, site)
        self.cpu.raise_nmi()
        self._kernel.step(self.cpu)

    def come_to_in_interrupt(self, site: LabSite) -> None:
        """Raises an interrupt whose handler goes to a site. What waits for the CPU's next interrupt goes on waiting."""
        self._kernel.upcalls.post_alone(self.cpu, Upcall(self._module.interrupt, site.function, _nothing, _nothing))
        self._take(site.function)
        self.hold_upcall()
        self._enter(site)

    def go_on_while(self, condition: Callable[[], bool]) -> None:
        """Executes one instruction after another.

        Raises:
            Lost: the condition stays true.
        """
        for _ in range(_LONGEST_WAY):
            if not condition():
                return
            self._kernel.step(self.cpu)
        raise Lost

    def _enter(self, site: LabSite) -> None:
        while self.pc != site.address:
            self._kernel.step(self.cpu)

    def take_upcall(self, *, waits: bool) -> None:
        """Takes the interrupt of an upcall, and returns; or, if it `waits`, only goes to the place where it waits."""
        here = self.pc
        self.release_upcall()
        self._take(self._stop_machine if waits else here)

    def _take(self, place: int) -> None:
        """Takes the pending interrupt before anything else, and runs to a place."""
        self._kernel.step(self.cpu)
        if self.pc != place:
            self.go_to(place)

    def execute(self, place: int, code: bytes) -> None:
        """Executes one instruction, at the program counter, as if memory held `code` at the physical address `place`."""
        bytes_here = np.array([[place, place + len(code)]], np.uint64)
        held = bytes(self._ram[place : place + len(code)])
        self._ram[place : place + len(code)] = code
        self.cpu.fetch_anew(bytes_here)
        try:
            self._kernel.step(self.cpu)
        finally:
            self._ram[place : place + len(code)] = held
            self.cpu.fetch_anew(bytes_here)


def _nothing(cpu: Cpu, result: int = 0) -> None:
    """Called when an upcall begins, and when it has ended."""
