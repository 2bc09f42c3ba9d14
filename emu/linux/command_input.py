# SPDX-License-Identifier: GPL-2.0-only
"""Runs a command of a Linux guest to its end, and gives it input meanwhile: from a source, or from a terminal."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from emu.kernel.endings import GuestPanic
from emu.linux.channel import Window
from emu.linux.guest import Guest

if TYPE_CHECKING:
    from emu.guest_machine import Input, Terminal

__all__ = ["CommandInput"]

_AT_A_TERMINAL = 4_000_000  # nanoseconds that pass between two looks at the keyboard, at most
_READ_AHEAD = 1 << 16  # bytes of input that wait for the guest


class CommandInput:
    """Args:
        guest: the guest, whose agent has been given a command.
        has_ended: whether the command has ended.

    Attributes:
        patience: the seconds for which a terminal may wait for a key now; None: no limit.
    """

    def __init__(self, guest: Guest, has_ended: Callable[[], bool]) -> None:
        self._guest, self._has_ended = guest, has_ended
        self.patience: float | None = None

    def feed(self, source: Input | bytes, meanwhile: Callable[[bool], None] | None) -> None:
        """Runs the command to its end. Gives it input from a source."""
        channel, ended = self._guest.channel, False
        if isinstance(source, bytes):
            channel.input(source)
            channel.end_input()
            ended = True
        while not self._has_ended():
            if not ended and not isinstance(source, bytes) and channel.waiting_input < _READ_AHEAD:
                data = source.read(wait=False)
                if data:
                    channel.input(data)
                elif data is not None:
                    channel.end_input()
                    ended = True
            waits = not self._guest.for_a_moment() and not self._has_ended()
            if meanwhile is not None:
                meanwhile(waits)
            elif waits:
                why = "the command does not end: every CPU sleeps, and nothing will wake one"
                raise GuestPanic(self._guest.where(why))

    def talk(self, terminal: Terminal, window: Window | None) -> None:
        """Runs the command to its end, at a terminal. While all CPUs sleep, time passes as on the host."""
        board, channel = self._guest.board, self._guest.channel
        try:
            while not self._has_ended():
                board.limit = board.now + board.cycles(_AT_A_TERMINAL)
                self._guest.for_a_moment()
                idle = self._guest.idle_time
                self.patience = idle / 1e9
                data = terminal.read(wait=idle > 0) if not self._has_ended() else None
                if (size := Window(*terminal.size())) != window:
                    channel.resize(window := size)
                if data == b"":
                    channel.kill()  # the terminal is gone
                elif data is not None:
                    channel.input(data)
                elif idle:
                    board.limit = board.now + board.cycles(idle)
                    board.sleep_until_limit()
        finally:
            self.patience = None
            board.unlimited()
