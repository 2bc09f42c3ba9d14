# SPDX-License-Identifier: GPL-2.0-only
"""Where the handlers of traps begin, and which trap has brought a CPU there."""

from __future__ import annotations

from collections.abc import Collection

from emu.cpu.cpu import Cpu
from emu.gdb.arch import Read, Trap
from emu.gdb.memory import Memory, NotMapped

__all__ = ["Handlers"]


class Handlers:
    """The handlers of traps of some kinds, given by the architecture's numbers.

    Args:
        memory: the machine's.
    """

    def __init__(self, memory: Memory) -> None:
        self._memory, self._arch = memory, memory.arch

    def entries(self, cpu: Cpu, kinds: Collection[int]) -> set[int]:
        """The addresses at which they begin on a CPU; none if it has no handlers yet."""
        try:
            return {entry for kind in kinds for entry in self._arch.entries_of(cpu, self._read(cpu), kind)}
        except NotMapped:
            return set()

    def taken(self, cpu: Cpu, kinds: Collection[int]) -> Trap | None:
        """The trap of a CPU that is at the first instruction of its handler; None: it is not, or the trap is of another kind."""
        if cpu.pc not in self.entries(cpu, kinds):
            return None
        try:
            trap = self._arch.trap(cpu, self._read(cpu))
        except NotMapped:
            return None
        return trap if trap is not None and trap.kind in kinds else None

    def _read(self, cpu: Cpu) -> Read:
        return lambda address, size: self._memory.read(cpu, address, size)
