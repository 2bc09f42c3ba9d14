# SPDX-License-Identifier: GPL-2.0-only
"""Upcalls: guest functions that the host has a CPU run, from the handler of an interrupt."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from emu.cpu.cpu import Cpu

__all__ = ["Upcall", "Upcalls"]


@dataclass(frozen=True)
class Upcall:
    """A guest function to run on one CPU.

    `on_begin` is called when the CPU takes it, before the function runs; `on_end` with its result. Neither may run the machine.
    """

    function: int
    argument: int
    on_begin: Callable[[Cpu], None]
    on_end: Callable[[Cpu, int], None]


class Upcalls:
    """Each CPU's queue of upcalls. `vector` is the interrupt that announces them."""

    def __init__(self, vector: int, cpus: int) -> None:
        self._vector = vector
        self._waiting: list[deque[Upcall]] = [deque() for _ in range(cpus)]
        self._running: list[Upcall | None] = [None] * cpus

    def post(self, cpu: Cpu, upcall: Upcall, time: int) -> None:
        """Has the CPU run an upcall at its next chance, no earlier than `time`."""
        self._waiting[cpu.index].append(upcall)
        cpu.raise_interrupt(self._vector, time)

    def begin(self, cpu: Cpu) -> tuple[int, int] | None:
        """The CPU asks for its next upcall: (function, argument), or None."""
        if not self._waiting[cpu.index]:
            return None
        upcall = self._waiting[cpu.index].popleft()
        self._running[cpu.index] = upcall
        upcall.on_begin(cpu)
        return upcall.function, upcall.argument

    def end(self, cpu: Cpu, result: int) -> None:
        """The upcall that the CPU took last has returned."""
        upcall, self._running[cpu.index] = self._running[cpu.index], None
        if upcall is not None:
            upcall.on_end(cpu, result)
