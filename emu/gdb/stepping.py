# SPDX-License-Identifier: GPL-2.0-only
"""Going on with regard to traps.

A step passes over interrupts and faults: a handler that runs between two instructions of a CPU is no part of the step. A trap
that the instruction asks for, such as a system call, is: the step leads into it.

gdb makes functions that it calls return to a breakpoint on the stack, from which no instruction may be fetched. Such a return
stops at the breakpoint, without the fault that it would be.
"""

from __future__ import annotations

from collections.abc import Callable

from emu.cpu.board import Board
from emu.cpu.cpu import Cpu
from emu.gdb.arch import GdbArch, Trap
from emu.gdb.breakpoints import more_stops
from emu.gdb.memory import Memory, NotMapped
from emu.history.stops import Breakpoint, Reason, StopReason, TakenTrap
from emu.history.travel import Travel

__all__ = ["Stepping"]

_LONGEST = 16  # bytes of an instruction, of any architecture
_FRAME = 4096  # bytes of a stack in which gdb puts the breakpoint of a call
_MOST_TRAPS = 64  # that are looked at, to find the one from which a handler has returned


class Stepping:
    """Steps of the CPUs of a board.

    Args:
        travel: the machine.
        board: its board.
        arch: the architecture's registers.
        memory: its memory.
    """

    def __init__(self, travel: Travel, board: Board, arch: GdbArch, memory: Memory) -> None:
        self._travel, self._board, self._arch, self._memory = travel, board, arch, memory

    def step(self, index: int, interrupted: Callable[[], bool]) -> StopReason:
        """Makes one step of a CPU. A breakpoint or a watchpoint in a handler ends it there."""
        cpu = self._board.cpus[index]
        while True:
            before, place, sp = self._depth(cpu), cpu.pc, self._sp(cpu)
            asks = self._arch.asks(self._code(cpu))
            stopped = self._travel.step(index, 1, interrupted)
            if stopped.reason != Reason.STEP or asks or self._depth(cpu) <= before or (trap := self._trap(cpu)) is None:
                return stopped
            stopped = self._return(trap, stopped, interrupted)
            if stopped.reason != Reason.STEP or (trap.pc, trap.sp) != (place, sp):
                return stopped

    def back_step(self, index: int) -> StopReason:
        """Goes back by one step of a CPU."""
        cpu = self._board.cpus[index]
        place = cpu.pc
        stopped = self._travel.back_step(index)
        while stopped.reason == Reason.STEP and self._arch.returns(self._code(cpu)):
            if not self._back_to_trap(cpu, place):
                self._travel.goto(stopped.instant)
                break
            stopped = self._travel.back_step(index)
            if cpu.pc == place and stopped.reason == Reason.STEP:  # it has faulted there, and was executed again
                stopped = self._travel.back_step(index)
        return stopped

    def go(self, interrupted: Callable[[], bool]) -> StopReason:
        """Runs to the next stop."""
        stops, stacked = self._travel.stops, self._stacked()
        if not stacked:
            return self._travel.go(interrupted=interrupted)
        entries = {entry for cpu in self._board.cpus for entry in self._entries(cpu)}
        with more_stops(self._travel, [Breakpoint(entry) for entry in sorted(entries)]):
            while True:
                stopped = self._travel.go(interrupted=interrupted)
                cpu = self._board.cpus[stopped.cpu]
                if stopped.reason != Reason.BREAKPOINT or set(stopped.stops) & stops:
                    return stopped
                trap = self._taken(cpu)
                if trap is not None and trap.pc in stacked:
                    return self._return_to(cpu, trap)

    def _stacked(self) -> frozenset[int]:
        """Addresses of breakpoints that are on a CPU's stack."""
        tops = [sp for cpu in self._board.cpus if (sp := self._sp(cpu)) is not None]
        places = {stop.address for stop in self._travel.stops if isinstance(stop, Breakpoint)}
        return frozenset(place for place in places if any(sp <= place < sp + _FRAME for sp in tops))

    def _return_to(self, cpu: Cpu, trap: Trap) -> StopReason:
        """Undoes a trap: an instruction was to be fetched from the stack."""
        self._travel.back_step(cpu.index)
        with self._travel.changing():
            self._arch.write(cpu, self._arch.counters[0], trap.pc)
            self._arch.write(cpu, self._arch.stack_pointer, trap.sp)
        return StopReason(Reason.BREAKPOINT, self._travel.now, cpu.index, (Breakpoint(trap.pc),))

    def _depth(self, cpu: Cpu) -> tuple[int, bool, int]:
        """Grows where a CPU takes a trap."""
        return self._arch.trap_level(cpu), not cpu.in_user_mode, cpu.record.taken

    def _sp(self, cpu: Cpu) -> int | None:
        return self._arch.read(cpu, self._arch.stack_pointer)

    def _code(self, cpu: Cpu) -> bytes:
        """The bytes of a CPU's next instruction, and more. None if they are not in memory: a fault brings them."""
        try:
            return self._memory.read(cpu, cpu.pc, _LONGEST)
        except NotMapped:
            return b""

    def _entries(self, cpu: Cpu) -> frozenset[int]:
        return frozenset(self._arch.trap_entries(cpu, lambda address, size: self._memory.read(cpu, address, size)))

    def _trap(self, cpu: Cpu) -> Trap | None:
        """The trap that a CPU has just taken; None: there is none. The CPU is then at the handler's first instruction."""
        if (trap := self._taken(cpu)) is None:
            now = self._travel.now
            self._travel.back_step(cpu.index)
            if (trap := self._taken(cpu)) is None:
                self._travel.goto(now)
        return trap

    def _taken(self, cpu: Cpu) -> Trap | None:
        """The trap of a CPU that is at the first instruction of its handler; None: it is not."""
        if cpu.pc not in self._entries(cpu):
            return None
        return self._arch.trap(cpu, lambda address, size: self._memory.read(cpu, address, size))

    def _return(self, trap: Trap, stepped: StopReason, interrupted: Callable[[], bool]) -> StopReason:
        """Runs to where a trap's handler returns, on whatever CPU (Reason.STEP), or to a stop before that."""
        known = self._travel.stops
        with more_stops(self._travel, [Breakpoint(trap.pc)]):
            while True:
                stopped = self._travel.go(interrupted=interrupted)
                cpu = self._board.cpus[stopped.cpu]
                if stopped.reason != Reason.BREAKPOINT:
                    return stopped
                if cpu.pc == trap.pc and self._sp(cpu) == trap.sp and self._arch.address_space(cpu) == trap.space:
                    return StopReason(Reason.STEP, stopped.instant, stopped.cpu)
                if set(stopped.stops) & known:
                    return stopped

    def _back_to_trap(self, cpu: Cpu, place: int) -> bool:
        """Goes back to the first instruction of the handler that has returned to an address. False: it was asked for."""
        jumped_to = [Breakpoint(entry, cpu.index) for entry in self._arch.jumped_to(cpu)]
        with more_stops(self._travel, [TakenTrap(cpu.index), *jumped_to]):
            for _ in range(_MOST_TRAPS):
                stopped = self._travel.back()
                if stopped.reason != Reason.BREAKPOINT:
                    return False
                if stopped.cpu == cpu.index and (trap := self._taken(cpu)) is not None and trap.pc == place:
                    return not trap.asked
        return False
