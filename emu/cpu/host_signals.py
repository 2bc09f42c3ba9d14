# SPDX-License-Identifier: GPL-2.0-only
"""Prevents host signals from raising exceptions at points where the machine could not continue afterwards.

Python may call a signal handler anywhere: at the first instruction of a function called by native code, where an exception
would be lost; or while a host call is being answered, which would then be answered twice or never.

Each host call enters and leaves such a context. The functions of `signal` would take most of its time, because they try to
convert handlers to enums; the functions of `_signal`, which they call, do not.
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
    """A context in which Python does not call the handlers of these signals. At its end, it calls those of the signals received.

    A nested context does nothing.
    """

    _any: ClassVar[bool] = False  # whether the main thread is in one

    def __init__(self) -> None:
        self._handlers: dict[signal.Signals, Callable[[int, FrameType | None], object]] = {}
        self._came: list[signal.Signals] = []
        self._holding = False

    def __enter__(self) -> None:
        if Held._any or threading.current_thread() is not threading.main_thread():
            return  # handlers are only called in the main thread
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
