# SPDX-License-Identifier: GPL-2.0-only
"""A machine that is driven by moments, for travel in time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from emu.cpu.board import Board
from emu.cpu.journal import Journal
from emu.guest_machine import exit_status, shell_line
from emu.kernel.console_input import ConsoleInput, NotYet
from emu.kernel.kernel import Kernel
from emu.machine.running import Running

__all__ = ["Diverted", "Driven"]

Diverted: TypeAlias = Callable[[Callable[[bytes], object], bytes], None]


class Driven:
    """Drives a machine (history.Driver).

    Args:
        kernel: its kernel.
        running: runs it.
        roots, apart: see Driver.
        divert: as Driver.divert.
    """

    def __init__(
        self,
        kernel: Kernel,
        running: Running,
        roots: Sequence[object],
        apart: Sequence[object],
        divert: Callable[[Diverted], None],
    ) -> None:
        self.board: Board = kernel.board
        self.roots, self.divert = roots, divert
        self.journal = Journal()
        never_changes = kernel.image, kernel.image.symbols, kernel.image.functions
        self.apart: Sequence[object] = [*apart, *never_changes, self.journal, *kernel.keep(self.journal)]
        self._kernel, self._running = kernel, running

    @property
    def status(self) -> int | None:
        status = self._kernel.commands.status
        return None if status is None else exit_status(status)

    @property
    def patching(self) -> bool:
        return self._running.patching

    def begin(
        self, command: str | Sequence[str], stdin: bytes | None, on_exec: Callable[[int], None] | None
    ) -> None:
        self._running.check()
        kernel = self._kernel
        kernel.commands.give(shell_line(command) if isinstance(command, str) else command, on_exec)
        ConsoleInput(kernel.console, kernel.device_interrupt, NotYet() if stdin is None else stdin, None)

    def type(self, data: bytes) -> None:
        console = self._kernel.console
        if data:
            console.feed(data)
        else:
            console.end_input()
        self._kernel.device_interrupt()

    def moment(self) -> bool:
        return self._running.for_a_moment()
