# SPDX-License-Identifier: GPL-2.0-only
"""Travel in time: a machine runs to stops, forward and backward.

The machine is driven by `Travel` alone: its commands begin with `begin`, and go on with `go`, `step` and the others. Between
two calls the machine stands before an instruction, wherever that is in its block, and everything can be looked at: registers
and memory of machine.cpus, machine.board. Forward from there it runs as if it had never stopped: blocks, clocks, interrupts
and the state hash are the same with stops and without.

After a breakpoint, the machine stands before the instruction. After a watchpoint, going forward, it stands behind the
instruction that accessed memory; going backward, before it.

>>> travel = Travel(machine)
>>> travel.begin("cat /proc/uptime")
>>> travel.add(Breakpoint(machine.kernel.symbols.address("vfs_read"), cpu=1))
>>> travel.go()
StopReason(reason=Reason.BREAKPOINT, ...)
>>> travel.back_step(1, 100)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from emu.history.stops import Instant, Stop, StopReason

if TYPE_CHECKING:
    from emu.linux.machine import LinuxMachine
    from emu.machine.machine import Machine

__all__ = ["Travel"]

_HISTORY = 512 << 20


class Travel:
    """A machine with its history.

    Args:
        machine: nothing else may run it from now on.
        history: bytes that checkpoints may hold.
    """

    def __init__(self, machine: Machine | LinuxMachine, history: int = _HISTORY) -> None:
        raise NotImplementedError

    # Where the machine is

    @property
    def now(self) -> Instant:
        """The present instant."""
        raise NotImplementedError

    @property
    def first(self) -> Instant:
        """The earliest instant that the machine can go back to."""
        raise NotImplementedError

    @property
    def last(self) -> Instant:
        """The latest instant that has been reached in this branch: `go` re-executes until there, and emits nothing."""
        raise NotImplementedError

    @property
    def nanoseconds(self) -> int:
        """Virtual time of the CPU whose turn it is."""
        raise NotImplementedError

    @property
    def cpu(self) -> int:
        """The index of the CPU whose turn it is."""
        raise NotImplementedError

    @property
    def branch(self) -> int:
        """How often the past was changed: see `changing`."""
        raise NotImplementedError

    # What stops it

    def add(self, stop: Stop) -> None:
        """Adds a stop. Equal ones are one.

        Raises:
            ValueError: there is no such CPU, or a watchpoint has no bytes.
        """
        raise NotImplementedError

    def remove(self, stop: Stop) -> None:
        """Removes it. Raises KeyError if it is not there."""
        raise NotImplementedError

    @property
    def stops(self) -> frozenset[Stop]:
        """The present stops."""
        raise NotImplementedError

    # Forward

    def begin(self, command: str | Sequence[str], stdin: bytes = b"") -> None:
        """Begins a command in the guest; `go` runs it. Its input is logged. It is a change, as in `changing`.

        Raises:
            BadCommand: the command is empty, too long, or has a NUL byte.
        """
        raise NotImplementedError

    def go(self, limit: int | None = None, interrupted: Callable[[], bool] = lambda: False) -> StopReason:
        """Runs to the next stop after the present instant.

        Args:
            limit: virtual time in nanoseconds at which to stop: at the first turn that begins at or after it.
            interrupted: asked about twenty times a second whether to stop now.
        """
        raise NotImplementedError

    def step(self, cpu: int, count: int = 1, interrupted: Callable[[], bool] = lambda: False) -> StopReason:
        """Runs until a CPU has executed `count` more instructions, or to a stop before that. The other CPUs run as ever.

        A sleeping CPU goes on sleeping until something wakes it (Reason.IDLE if nothing does).
        """
        raise NotImplementedError

    # Backward

    def back(self, interrupted: Callable[[], bool] = lambda: False) -> StopReason:
        """Goes back to the latest stop before the present instant, or to the first instant (Reason.START)."""
        raise NotImplementedError

    def back_step(self, cpu: int, count: int = 1) -> StopReason:
        """Goes back by `count` instructions of a CPU, or to a stop that is later than that."""
        raise NotImplementedError

    def goto(self, time: int | Instant) -> StopReason:
        """Goes to a virtual time in nanoseconds or to an instant, forward or backward, whatever stops there are between.

        Raises:
            ValueError: it is before `first`.
        """
        raise NotImplementedError

    # Changes

    def changing(self) -> AbstractContextManager[bool]:
        """A context for changing the guest: writing memory or registers, calling functions.

        What was executed after the present instant is no longer of this run. The context's value says whether there was any:
        a new branch has then begun.

        >>> with travel.changing() as branched:
        ...     machine.board.ram[address] = 0
        """
        raise NotImplementedError

