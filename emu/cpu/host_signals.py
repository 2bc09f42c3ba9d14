# SPDX-License-Identifier: GPL-2.0-only
"""Keeps signals of the host from raising exceptions where the machine could not go on afterwards.

Python calls a signal's handler wherever it happens to be: at the first instruction of a function that native code has called,
where an exception is lost, or in the midst of answering a host call, which would then be answered twice or never.

Each host call begins and ends such a context. The functions of `signal` would take most of its time, for they try to make enums
of handlers; those of `_signal`, which they call, do not.
"""

from __future__ import annotations

import _signal
import signal
import threading
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import ClassVar

__all__ = ["Held"]

_RAISING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGALRM)  # their handlers may raise


class Held:
    """A context in which Python calls no handlers of these signals. At its end it calls those of signals that came.

    Within another one it does nothing.
    """

    _any: ClassVar[bool] = False  # whether the main thread is within one

    def __init__(self) -> None:
        self._handlers: dict[signal.Signals, Callable[[int, FrameType | None], object]] = {}
        self._came: list[signal.Signals] = []
        self._holding = False

    def __enter__(self) -> None:
        if Held._any or threading.current_thread() is not threading.main_thread():
            return  # no handler is called in any other thread
        Held._any = True
        for number in _RAISING:
            handler = _signal.getsignal(number)
            if callable(handler):
                self._handlers[number] = handler
                _signal.signal(number, self._note)
        self._holding = True

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if not self._holding:
            return
        for number, handler in self._handlers.items():
            _signal.signal(number, handler)
        self._holding = Held._any = False
        for number in self._came:
            self._handlers[number](number, None)

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self._holding:
            self._came.append(signal.Signals(number))
        else:
            self._handlers[signal.Signals(number)](number, frame)
