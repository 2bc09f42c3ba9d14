# SPDX-License-Identifier: GPL-2.0-only
"""What a command reads from the console: where it comes from, and how it gets there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from emu.kernel.console import Console

__all__ = ["ConsoleInput", "Input", "Terminal"]


class Input(Protocol):
    """Where console input comes from."""

    def read(self, *, wait: bool) -> bytes | None:
        """Returns the bytes that have come; b"" at the end of input; None if there are none.

        With `wait`, the call blocks until bytes come, or returns None when the caller has something else to look at.
        """


class Terminal(Input, Protocol):
    """A terminal of the host: what is typed there, and the size of its window."""

    def size(self) -> tuple[int, int]:
        """Rows and columns of the window."""


class ConsoleInput:
    """The input of one command. What an earlier command has not read is dropped.

    Args:
        console: gets it.
        interrupt: makes the guest look whether there is something for it.
        source: all bytes, or an Input that gives them as they are typed.
        terminal: instead of `source`; None: there is none.
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
        """Gives the console what has come since the last call. `wait`: the machine has nothing else to do.

        Returns:
            False when no more can come.
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
