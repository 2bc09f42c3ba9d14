# SPDX-License-Identifier: GPL-2.0-only
"""One CPU of a lab, led from place to place while all others stand still."""

from __future__ import annotations

import numpy as np

from emu.cpu.cpu import Cpu
from emu.cpu.native.cpu_records import NEVER
from emu.machine import Machine
from emu.race.machine.lab_module import LabModule, LabSite

__all__ = ["CpuDirection", "Lost"]

_LONGEST_WAY = 5000  # blocks; the longest that there is, through an NMI, has some 50


class Lost(Exception):
    """A CPU does not come where it should."""


class CpuDirection:
    """Leads a CPU whose thread is that of the module race_lab.

    Each method raises, beside what it says, GuestPanic if the kernel panics on the way, and PoweredOff.

    Args:
        machine: on which the module is loaded.
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
        """Where it stands."""
        return self.cpu.pc

    @property
    def goes_to(self) -> int:
        """Where it goes from the last instruction; if another one is executed in a delay slot first, then after that."""
        pc, following = self.pc, self.cpu.record.next_location[0]
        return pc if following == pc + self._alignment else following

    def go_to(self, *places: int) -> None:
        """Runs at least one block, until it stands at one of some places.

        Raises:
            Lost: it does not come there.
        """
        if not self._kernel.run_to(self.cpu, places, _LONGEST_WAY):
            raise Lost

    def go_home(self) -> None:
        """Runs until its thread is between two visits."""
        if self.pc != self._module.home:
            self.go_to(self._module.home)

    def hold_timers(self) -> None:
        """No timer interrupts it any more."""
        self.cpu.record.timer = self.cpu.record.nmi_timer = NEVER

    def release_upcall(self) -> None:
        """The interrupt comes, even if there is no upcall."""
        self.cpu.raise_interrupt(self._upcall_vector)

    def hold_upcall(self) -> None:
        """The interrupt that announces an upcall does not come by itself."""
        self.cpu.record.arrivals[self._upcall_vector] = NEVER
        self.cpu.record.arrival = NEVER

    def come_to(self, site: LabSite) -> None:
        """From home to a site; it stands in front of its instruction."""
        self._module.visit(self.cpu.index, site)
        self.go_to(site.function)
        self._enter(site)

    def come_to_in_nmi(self, site: LabSite) -> None:
        """An NMI comes, whose handler goes to a site."""
        self._module.visit_in_nmi(self.cpu.index, site)
        self.cpu.raise_nmi()
        self._take(site.function)
        self._enter(site)

    def _enter(self, site: LabSite) -> None:
        while self.pc != site.address:
            self._kernel.step(self.cpu)

    def take_upcall(self, *, waits: bool) -> None:
        """Takes the interrupt of an upcall, and comes back to where it stands; or only to where it `waits`."""
        here = self.pc
        self.release_upcall()
        self._take(self._stop_machine if waits else here)

    def _take(self, place: int) -> None:
        """Takes the interrupt that is pending before anything else, and runs to a place."""
        self._kernel.step(self.cpu)
        if self.pc != place:
            self.go_to(place)

    def execute(self, place: int, code: bytes) -> None:
        """Executes the one instruction that it stands at, as if memory held `code` at the physical address `place`."""
        bytes_here = np.array([[place, place + len(code)]], np.uint64)
        held = bytes(self._ram[place : place + len(code)])
        self.cpu.forget(bytes_here)
        self._ram[place : place + len(code)] = code
        try:
            self._kernel.step(self.cpu)
        finally:
            self._ram[place : place + len(code)] = held
            self.cpu.forget(bytes_here)
