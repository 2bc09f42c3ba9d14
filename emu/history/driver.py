# SPDX-License-Identifier: GPL-2.0-only
"""What `Travel` needs of a machine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from emu.cpu.board import Board
from emu.cpu.journal import Journal

__all__ = ["Driver", "Travelling"]


class Driver(Protocol):
    """Drives a machine by moments.

    Attributes:
        board: its board.
        journal: what the guest has done outside of the machine.
        roots: objects from which all other objects of the machine can be reached.
        apart: objects that the machine refers to, but that do not go back with it.
        divert: makes what the guest writes go through a function of the caller's function and the data.
    """

    board: Board
    journal: Journal
    roots: Sequence[object]
    apart: Sequence[object]
    divert: Callable[[Callable[[Callable[[bytes], object], bytes], None]], None]

    @property
    def status(self) -> int | None:
        """The status of the latest command, as a shell shows it; None: it has not ended, or there was none."""

    @property
    def patching(self) -> bool:
        """Whether code has been changed that some CPU may still execute as it was."""

    def begin(
        self, command: str | Sequence[str], stdin: bytes | None, on_exec: Callable[[int], None] | None
    ) -> None:
        """Makes the guest run a command. `on_exec`: called with the pid before it is executed, where the machine can tell.

        `stdin`: all of the command's input; None: what `type` gives.

        Raises:
            BadCommand: the command is empty, too long, or has a NUL byte.
        """

    def type(self, data: bytes) -> None:
        """More input for the command; b"" ends it."""

    def moment(self) -> bool:
        """Runs the machine for a moment. Returns False if nothing can happen before the board's limit.

        Raises:
            GuestPanic, PoweredOff: the guest has ended.
        """


class Travelling(Protocol):
    """A machine that can be driven."""

    def driver(self) -> Driver:
        """Drives this machine; nothing else may run it meanwhile."""
