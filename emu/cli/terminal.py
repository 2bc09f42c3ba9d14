# SPDX-License-Identifier: GPL-2.0-only
"""The host's terminal while the user types to the guest: every key goes to the guest. It is restored at the end."""

from __future__ import annotations

import os
import select
import signal
import sys
import termios
from collections.abc import Callable
from contextlib import suppress
from types import FrameType, TracebackType
from typing import Self

from emu.cli.signals import TERMINATING, Terminated

__all__ = ["LEAVE", "HostTerminal", "Left"]

LEAVE = b"\x1d"  # Ctrl-]
_CHUNK = 4096


class Left(Exception):
    """The user has typed the key that leaves the emulator."""


class HostTerminal:
    """A context in which standard input is in raw mode.

    If standard output is also a terminal, the host does not process the output: the guest's terminal already
    ends lines with carriage return and newline.

    Args:
        time_left: returns the seconds for which a read may wait; None: no limit.
    """

    def __init__(self, time_left: Callable[[], float | None]) -> None:
        self._descriptor = sys.stdin.fileno()
        self._time_left = time_left
        self._before: list[int | list[bytes | int]] = []
        self._handlers: dict[signal.Signals, signal._HANDLER] = {}
        self._wake, self._woken = -1, -1
        self._size = (0, 0)
        self._ended_by: int | None = None

    def __enter__(self) -> Self:
        self._wake, self._woken = os.pipe()
        os.set_blocking(self._woken, False)
        self._before = termios.tcgetattr(self._descriptor)
        for number in TERMINATING:
            self._handlers[number] = signal.signal(number, self._terminate)
        self._handlers[signal.SIGWINCH] = signal.signal(signal.SIGWINCH, self._resized)
        self._handlers[signal.SIGCONT] = signal.signal(signal.SIGCONT, self._continued)
        self._measure()
        self._set_raw()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        with suppress(termios.error):  # it may be gone
            termios.tcsetattr(self._descriptor, termios.TCSADRAIN, self._before)
        for number, handler in self._handlers.items():
            signal.signal(number, handler)
        os.close(self._wake)
        os.close(self._woken)

    def size(self) -> tuple[int, int]:
        """Rows and columns of the terminal."""
        return self._size

    def read(self, *, wait: bool) -> bytes | None:
        """The typed bytes; b"" if the terminal is gone; None if nothing was typed.

        With `wait`, the call blocks until something is typed, the time is over, or the terminal's size changes.

        Raises:
            Left: the user typed the key LEAVE.
            Terminated: one of the signals TERMINATING was received.
        """
        if self._ended_by is not None:
            raise Terminated(self._ended_by)
        timeout = self._time_left() if wait else 0.0
        readable = select.select([self._descriptor, self._wake], [], [], timeout)[0]
        if self._wake in readable:
            os.read(self._wake, _CHUNK)
            if self._ended_by is not None:
                raise Terminated(self._ended_by)
        if self._descriptor not in readable:
            return None
        try:
            typed = os.read(self._descriptor, _CHUNK)
        except OSError:  # EIO: the other end of a pseudo-terminal is gone
            return b""
        if LEAVE in typed:
            raise Left
        return typed

    def _set_raw(self) -> None:
        settings = termios.tcgetattr(self._descriptor)
        settings[0] &= ~(termios.BRKINT | termios.ICRNL | termios.INPCK | termios.ISTRIP | termios.IXON | termios.INLCR)
        if sys.stdout.isatty():
            settings[1] &= ~termios.OPOST
        settings[3] &= ~(termios.ECHO | termios.ICANON | termios.IEXTEN | termios.ISIG)
        settings[6][termios.VMIN], settings[6][termios.VTIME] = 1, 0
        termios.tcsetattr(self._descriptor, termios.TCSADRAIN, settings)

    def _measure(self) -> None:
        try:
            size = os.get_terminal_size(self._descriptor)
        except OSError:
            return
        self._size = (size.lines or 24, size.columns or 80)  # some terminals report 0

    def _resized(self, number: int, frame: FrameType | None) -> None:
        self._measure()
        self._wake_up()

    def _continued(self, number: int, frame: FrameType | None) -> None:
        self._set_raw()  # the shell that stopped us has set its own mode

    def _terminate(self, number: int, frame: FrameType | None) -> None:
        # Not raised here, because the current code may be called by native code.
        self._ended_by = number
        self._wake_up()

    def _wake_up(self) -> None:
        with suppress(BlockingIOError):  # it has been woken already
            os.write(self._woken, b"x")
