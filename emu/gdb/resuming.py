# SPDX-License-Identifier: GPL-2.0-only
"""Making the machine go on, forward and backward, until there is something to tell the client."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from emu.gdb.breakpoints import Breakpoints
from emu.gdb.catching import Catching
from emu.gdb.libraries import Known
from emu.gdb.stepping import Stepping
from emu.gdb.stop_replies import BRANCHED, reply, text
from emu.gdb.syscalls import Syscalls
from emu.gdb.wire import Closed, Wire
from emu.history.holding import held
from emu.history.stops import Reason, StopReason
from emu.history.travel import Travel

__all__ = ["Resuming"]

_ALL_RUN = "All CPUs run, whatever scheduler-locking is: monitor hold makes CPUs stand.\n"


class Resuming:
    """Runs a machine for a client.

    Args:
        travel: the machine.
        breakpoints: the client's.
        stepping: its steps.
        catching: the traps that stop it.
        syscalls: the system calls that stop it.
        wire: the client.
        known: what it knows of the guest's libraries.

    Attributes:
        features: what the client has said that it supports.
        cpu: the index of the CPU that stopped last.
    """

    def __init__(
        self,
        travel: Travel,
        breakpoints: Breakpoints,
        stepping: Stepping,
        catching: Catching,
        syscalls: Syscalls,
        wire: Wire,
        known: Known,
    ) -> None:
        self._travel, self._breakpoints, self._stepping, self._wire, self._known = travel, breakpoints, stepping, wire, known
        self._catching, self._syscalls = catching, syscalls
        self._untold: bytes | None = None  # why the machine stands, where the client has only been told of libraries
        self._stopped: StopReason | None = None
        self._closed = False
        self._unsaid = ""  # GDB does not listen now
        self._is_told = False  # that all CPUs run
        self.features: frozenset[str] = frozenset()
        self.cpu = travel.cpu

    def latest(self, cpu: int) -> bytes:
        """The stop reply for where the machine stands. `cpu`: the index of the one to show."""
        stopped = self._stopped or StopReason(Reason.STEP, self._travel.now, cpu)
        return reply(stopped, self._breakpoints.kind, self.features, cpu)

    def go(self, alone: int | None, *, locked: bool = False) -> bytes:
        """Continues. Returns the stop reply. `locked`: the client wants that not all CPUs run, and is told once that they do."""
        if locked and not self._is_told:
            self._unsaid += _ALL_RUN
            self._is_told = True
        return self._catch(alone, lambda: self._syscalls.forward(lambda: self._stepping.go(self._interrupted)))

    def step(self, cpu: int, alone: int | None) -> bytes:
        """Makes one step of a CPU. `alone`: see Breakpoints.apply."""
        if cpu in held(self._travel.board):  # after an error, gdb would try again and again
            self._unsaid += f"CPU {cpu} is held, so it makes no step: monitor release.\n"
            return self._run(alone, lambda: StopReason(Reason.INTERRUPTED, self._travel.now, cpu), cpu)
        return self._run(alone, lambda: self._stepping.step(cpu, self._interrupted), cpu)

    def back(self) -> bytes:
        """Goes back to the breakpoint or watchpoint before."""
        return self._catch(None, lambda: self._syscalls.backward(lambda: self._travel.back(self._interrupted)), back=True)

    def _catch(self, alone: int | None, run: Callable[[], StopReason], *, back: bool = False) -> bytes:
        """As _run, and stops also at traps and system calls that are caught."""

        def caught() -> StopReason:
            with self._catching.in_force():
                return run()

        return self._run(alone, caught, back=back)

    def back_step(self, cpu: int) -> bytes:
        """Goes back by one step of a CPU."""
        return self._run(cpu, lambda: self._stepping.back_step(cpu), cpu)

    @contextmanager
    def changing(self) -> Iterator[None]:
        """A context for a change of the guest by the client's user, who is told if it makes what was executed later invalid."""
        with self._travel.changing() as branched:
            yield
        if branched:
            self._unsaid += BRANCHED

    def _say(self, line: str) -> None:
        """Writes to the client's console, which listens while the machine goes on."""
        if line:
            self._wire.send(b"O" + line.encode().hex().encode())

    def _run(
        self, alone: int | None, run: Callable[[], StopReason], stepping: int | None = None, *, back: bool = False
    ) -> bytes:
        """Makes the machine go on. `stepping`: the index of the CPU that makes a step. `back`: whether it goes back."""
        if (untold := self._untold) is not None:
            self._untold = None
            return untold
        self._breakpoints.apply(alone)
        self._say(self._unsaid)
        self._unsaid = ""
        kind = self._breakpoints.kind
        while True:
            stopped = run()
            if self._closed:
                raise Closed
            changed = stopped.reason != Reason.STEP and self._known.changed  # gdb may make thousands of steps at once
            trap = self._catching.caught(stopped) if stepping is None else ""
            call = self._syscalls.caught(stopped, back=back) if stepping is None else None
            told = stopped.reason != Reason.BREAKPOINT or any(map(kind, stopped.stops)) or bool(trap) or call is not None
            if not told and stopped.cpu == stepping:
                stopped, told = StopReason(Reason.STEP, stopped.instant, stopped.cpu), True
            if told or changed:
                break
        self._stopped, self.cpu = stopped, stopped.cpu
        if told:
            self._say(text(stopped, kind, held(self._travel.board)) or trap)
        answer = reply(stopped, kind, self.features, call=call)
        if not changed:
            return answer
        self._untold = answer if told else None
        return b"T05thread:%x;library:;" % (stopped.cpu + 1)

    def _interrupted(self) -> bool:
        """Whether the client wants to stop. That it has gone is told when the machine stands."""
        try:
            return self._wire.interrupted()
        except Closed:
            self._closed = True
            return True
