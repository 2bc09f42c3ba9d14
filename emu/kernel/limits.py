# SPDX-License-Identifier: GPL-2.0-only
"""Limits on how long a guest may run."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from emu.cpu.board import Board

__all__ = ["LimitReached", "Limits"]


class LimitReached(Exception):
    """The guest has reached a time limit. It stands still, and can be asked for its trace.

    The message says which limit. Its other lines say what each CPU executes.
    """


class Limits:
    """Limits for a stretch of running: virtual time on the board, and time of the host."""

    def __init__(self, board: Board) -> None:
        self._board = board
        self._virtual: int | None = None  # nanoseconds, for messages
        self._host: float | None = None  # seconds
        self._host_end: float | None = None  # by time.monotonic()
        self._unfinished = ""

    @contextmanager
    def during(self, virtual: int | None, host: float | None, unfinished: str = "") -> Iterator[None]:
        """Limits the guest to `virtual` nanoseconds of its time and `host` seconds during the body; None: no limit.

        `unfinished` ends the sentence about a reached limit, as in ", and the guest has not booted". After a nested stretch, the
        outer limits apply again.
        """
        before = self._virtual, self._host, self._unfinished, self._host_end, self._board.ceiling
        self._virtual, self._host, self._unfinished = virtual, host, unfinished
        self._board.ceiling = None
        self._host_end = None if host is None else time.monotonic() + host
        if virtual is not None:
            self._board.ceiling = self._board.now + self._board.cycles(max(virtual, 0))
        try:
            with self._board.acting():
                yield
        finally:
            self._virtual, self._host, self._unfinished, self._host_end, self._board.ceiling = before

    @property
    def host_left(self) -> float | None:
        """The seconds of the host's time that are left; None if there is no such limit."""
        return None if self._host_end is None else max(self._host_end - time.monotonic(), 0.0)

    def reached(self, *, busy: bool) -> str | None:
        """A sentence about the limit that has been reached; None if none has. Called after each stretch of running.

        `busy`: whether the guest could continue at once.
        """
        if not busy and self._board.at_ceiling:
            return f"{_text(self._virtual or 0)} of virtual time have passed{self._unfinished}"
        if self._host_end is not None and time.monotonic() >= self._host_end:
            return f"{self._host or 0:g} s of host time have passed{self._unfinished}"
        return None


def _text(nanoseconds: int) -> str:
    for unit, size in (("s", 10**9), ("ms", 10**6), ("us", 10**3)):
        if nanoseconds >= size:
            return f"{nanoseconds / size:g} {unit}"
    return f"{nanoseconds} ns"
