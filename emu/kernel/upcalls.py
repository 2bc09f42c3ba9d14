# SPDX-License-Identifier: GPL-2.0-only
"""Upcalls: guest functions that a CPU runs on the host's request, from an interrupt handler."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from emu.cpu.cpu import Cpu
from emu.kernel.host_calls import host_call
from emu.kernel.memory import GuestMemory

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
    """Each CPU's queue of upcalls. An interrupt announces them."""

    def __init__(self, memory: GuestMemory, cpus: int) -> None:
        self._memory = memory
        self._vector = memory.image.constant("UPCALL_VECTOR")
        self._waiting: list[deque[Upcall]] = [deque() for _ in range(cpus)]
        self._running: list[Upcall | None] = [None] * cpus
        self._alone: list[Upcall | None] = [None] * cpus
        self._was_alone = [False] * cpus

    def post(self, cpu: Cpu, upcall: Upcall, time: int) -> None:
        """Makes the CPU run an upcall as soon as possible, but no earlier than `time`."""
        self._waiting[cpu.index].append(upcall)
        cpu.raise_interrupt(self._vector, time)

    def post_alone(self, cpu: Cpu, upcall: Upcall) -> None:
        """For the study of races: makes the CPU run only this upcall in its next interrupt; others wait for another one."""
        self._alone[cpu.index] = upcall
        cpu.raise_interrupt(self._vector, 0)

    @host_call
    def upcall_next(self, cpu: Cpu, address: int) -> int:
        """Whether an upcall waits for the CPU. Stores the next one in the struct upcall at `address`."""
        alone, self._alone[cpu.index] = self._alone[cpu.index], None
        was_alone, self._was_alone[cpu.index] = self._was_alone[cpu.index], alone is not None
        if alone is None and (was_alone or not self._waiting[cpu.index]):
            return 0
        upcall = alone or self._waiting[cpu.index].popleft()
        self._running[cpu.index] = upcall
        upcall.on_begin(cpu)
        self._memory.set_member(address, "upcall.function", upcall.function)
        self._memory.set_member(address, "upcall.argument", upcall.argument)
        return 1

    @host_call
    def upcall_done(self, cpu: Cpu, result: int) -> int:
        """Ends the CPU's latest upcall, which has returned `result`."""
        upcall, self._running[cpu.index] = self._running[cpu.index], None
        if upcall is not None:
            upcall.on_end(cpu, result)
        return 0
