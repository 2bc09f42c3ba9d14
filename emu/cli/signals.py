# SPDX-License-Identifier: GPL-2.0-only
"""Signals that end the emulator after a cleanup."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

__all__ = ["TERMINATING", "Terminated", "raised"]

TERMINATING = (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)


class Terminated(Exception):
    """A signal has asked the emulator to end. `status` is the exit status for it."""

    def __init__(self, number: int) -> None:
        super().__init__(signal.Signals(number).name)
        self.status = 128 + number


@contextmanager
def raised() -> Iterator[None]:
    """During the body, each of TERMINATING raises Terminated. An ignored signal (nohup) stays ignored."""
    before = {number: signal.getsignal(number) for number in TERMINATING}
    for number, handler in before.items():
        if handler is not signal.SIG_IGN:
            signal.signal(number, _raise)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _raise(number: int, frame: FrameType | None) -> None:
    raise Terminated(number)
