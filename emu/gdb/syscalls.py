# SPDX-License-Identifier: GPL-2.0-only
"""GDB's `catch syscall`: stops where programs call the kernel, and where these calls return.

A call stops at the first instruction of the kernel's handler; its return at the instruction behind that which has called, in the
program, on whatever CPU. Where calls return is known from them: the address, with the stack pointer and the address space.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from emu.gdb.arch import GdbArch
from emu.gdb.breakpoints import more_stops
from emu.gdb.handlers import Handlers
from emu.gdb.memory import Memory
from emu.history.stops import Breakpoint, Instant, Reason, StopReason
from emu.history.travel import Travel

__all__ = ["SyscallStop", "Syscalls"]

_MOST_CALLS = 256  # that are looked at, to find the one that has returned


class SyscallStop(NamedTuple):
    """A system call that is caught.

    Attributes:
        number: the architecture's number of it.
        returns: whether it has returned; it is made otherwise.
    """

    number: int
    returns: bool


class _Return(NamedTuple):
    """Where a call returns."""

    pc: int
    sp: int
    space: int


class _Call(NamedTuple):
    """A call that has been seen.

    Attributes:
        number: the system call's.
        instant: when it was made.
    """

    number: int
    instant: Instant


class Syscalls:
    """The system calls that stop a machine which continues, forward or backward.

    Args:
        travel: the machine.
        memory: its memory.
    """

    def __init__(self, travel: Travel, memory: Memory) -> None:
        self._travel, self._handlers = travel, Handlers(memory)
        self._arch: GdbArch = memory.arch
        self._wanted: frozenset[int] | None = frozenset()  # numbers; None: all
        self._places: set[int] = set()  # to which calls return
        self._calls: dict[_Return, _Call] = {}  # the latest that were seen
        self._since = travel.first  # from when on all were seen, up to `until`
        self._until: Instant | None = None  # where the machine was left

    def choose(self, numbers: frozenset[int] | None) -> None:
        """Catches these from now on; None: all."""
        self._wanted = numbers

    def clear(self) -> None:
        """Catches none from now on."""
        self._wanted = frozenset()
        self._calls.clear()

    @property
    def catches(self) -> bool:
        """Whether any are caught."""
        return self._wanted is None or bool(self._wanted)

    def forward(self, run: Callable[[], StopReason]) -> StopReason:
        """Runs to a stop of the machine, to a call, or to where one may have returned."""
        if not self.catches:
            return run()
        if self._travel.now != self._until:
            self._since = self._travel.now
        with self._stops():
            return run()

    def backward(self, run: Callable[[], StopReason]) -> StopReason:
        """The same, backward. A call of which it is new where it returns is gone back to once more: its return comes first."""
        if not self.catches:
            return run()
        begun = self._travel.now
        while True:
            with self._stops():
                stopped = run()
            made = self._made(stopped)
            if made is None or not self._is_wanted(made[1]) or made[0].pc in self._places:
                return stopped
            self._places.add(made[0].pc)
            self._travel.goto(begun)

    def caught(self, stopped: StopReason, *, back: bool) -> SyscallStop | None:
        """The call to tell of where the machine has stopped; None: there is none. `back`: it has come from later."""
        if not self.catches or stopped.reason != Reason.BREAKPOINT:
            return None
        found = self._caught(stopped, back)
        self._until = None if back else self._travel.now
        return found

    def _caught(self, stopped: StopReason, back: bool) -> SyscallStop | None:
        if (made := self._made(stopped)) is not None:
            place, number = made
            self._places.add(place.pc)
            if not back:
                self._calls[place] = _Call(number, stopped.instant)
            return SyscallStop(number, returns=False) if self._is_wanted(number) else None
        cpu = self._travel.board.cpus[stopped.cpu]
        if cpu.pc not in self._places or not cpu.in_user_mode:
            return None
        place = _Return(cpu.pc, self._arch.read(cpu, self._arch.stack_pointer) or 0, self._arch.address_space(cpu))
        call = self._calls.get(place)
        if back:
            call = self._call_before(place, self._travel.first)
        elif call is not None and not self._since <= call.instant < stopped.instant:  # there may be a later one
            call = self._call_before(place, min(call.instant, stopped.instant))
        return SyscallStop(call.number, returns=True) if call is not None and self._is_wanted(call.number) else None

    def _is_wanted(self, number: int) -> bool:
        return self._wanted is None or number in self._wanted

    @contextmanager
    def _stops(self) -> Iterator[None]:
        """A context in which calls and returns stop the machine."""
        with more_stops(self._travel, map(Breakpoint, sorted(self._entries() | self._places))):
            yield

    def _entries(self) -> set[int]:
        kinds = self._arch.traps["syscall"]
        return {entry for cpu in self._travel.board.cpus for entry in self._handlers.entries(cpu, kinds)}

    def _made(self, stopped: StopReason) -> tuple[_Return, int] | None:
        """The call that a CPU makes where it has stopped: where it will return, and its number; None: it makes none."""
        cpu = self._travel.board.cpus[stopped.cpu]
        if stopped.reason != Reason.BREAKPOINT:
            return None
        trap = self._handlers.taken(cpu, self._arch.traps["syscall"])
        if trap is None:
            return None
        return _Return(trap.pc, trap.sp, trap.space), self._arch.syscall_number(cpu)

    def _call_before(self, place: _Return, earliest: Instant) -> _Call | None:
        """The call that has returned where the machine stands; None: none of those before has. `earliest`: it is not before."""
        now, found = self._travel.now, None
        with more_stops(self._travel, map(Breakpoint, sorted(self._entries()))):
            for _ in range(_MOST_CALLS):
                stopped = self._travel.back()
                made = self._made(stopped)
                if made is not None and made[0] == place:
                    found = _Call(made[1], stopped.instant)
                    break
                if stopped.reason == Reason.START or stopped.instant < earliest:
                    break
        self._travel.goto(now)
        return found
