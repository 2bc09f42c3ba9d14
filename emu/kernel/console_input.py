# SPDX-License-Identifier: GPL-2.0-only
"""Console input of a command: its source, and how it reaches the guest."""

from __future__ import annotations

from collections.abc import Callable

from emu.guest_machine import Input, Terminal
from emu.kernel.console import Console

__all__ = ["ConsoleInput", "NotYet"]


class NotYet:
    """Input of which nothing has arrived."""

    def read(self, *, wait: bool) -> bytes | None:
        return None


class ConsoleInput:
    """The input of one command. Input that an earlier command has not read is dropped.

    Args:
        console: receives the input.
        interrupt: makes the guest check for requests.
        source: all bytes, or an Input.
        terminal: used instead of `source`; None if there is none.
    """

    def __init__(
        self, console: Console, interrupt: Callable[[], None], source: Input | bytes, terminal: Terminal | None
    ) -> None:
        self._console = console
        self._interrupt = interrupt
        self._source = source if terminal is None else terminal
        self._terminal = terminal
        console.restart_input()
        console.size = (0, 0) if terminal is None else terminal.size()
        if isinstance(self._source, bytes):
            console.feed(self._source)
            console.end_input()

    def pump(self, *, wait: bool) -> bool:
        """Passes new input to the console. `wait`: the machine has nothing else to do.

        Returns:
            False when there will be no more input.
        """
        if isinstance(self._source, bytes) or self._console.input_ended:
            return False
        data = self._source.read(wait=wait)
        if self._terminal is not None and self._console.size != (size := self._terminal.size()):
            self._console.size = size
            self._interrupt()
        if data is None:
            return True
        if data:
            self._console.feed(data)
        else:
            self._console.end_input()
        self._interrupt()
        return True
