# SPDX-License-Identifier: GPL-2.0-only
"""What threads of the host ask of a machine, which its own thread performs between two turns of the machine's CPUs."""

from __future__ import annotations

import errno
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import TypeVar, cast

from emu.cpu.host_signals import Held
from emu.kernel.files.node import WouldBlock

__all__ = ["Requests"]

_PATIENCE = 0.05  # seconds between two looks whether the program that waits has got a signal; the most that `serve` waits
_RETRY = 0.005  # seconds after which an operation that could not be done is tried again while the machine runs

_Answer = TypeVar("_Answer")


class _Request:
    """An operation, and what came of it."""

    def __init__(self, operation: Callable[[], object]) -> None:
        self.operation = operation
        self.answered = threading.Event()
        self.answer: object = None
        self.error: OSError | None = None

    def fail(self, error: OSError) -> None:
        self.error = error
        self.answered.set()


class Requests:
    """The requests that have not been answered.

    Args:
        wake: called by the thread that asks, with True: the machine's thread is to call `serve` soon. With False: it does.
    """

    def __init__(self, wake: Callable[[bool], None]) -> None:
        self._wake = wake
        self._changed = threading.Condition()
        self._asked: deque[_Request] = deque()
        self._waiting: list[_Request] = []  # could not be done when they were tried
        self._next_retry = 0.0  # by time.monotonic()
        self._closed = False

    # Of the threads that ask

    def ask(self, operation: Callable[[], _Answer | WouldBlock], interrupted: Callable[[], bool] = lambda: False) -> _Answer:
        """Has an operation performed, again and again until it is something else than a WouldBlock, and returns that.

        Raises:
            OSError: what the operation raises; EINTR: `interrupted` says so; ENODEV: nobody serves any more.
        """
        request = _Request(operation)
        with self._changed:
            if self._closed:
                raise OSError(errno.ENODEV, "not mounted any more")
            self._asked.append(request)
            self._wake(True)
            self._changed.notify()
        while not request.answered.wait(_PATIENCE):
            if interrupted() and self._cancel(request):
                raise OSError(errno.EINTR, "interrupted")
        if request.error is not None:
            raise request.error
        return cast(_Answer, request.answer)

    def _cancel(self, request: _Request) -> bool:
        """Takes a request back. False: it is being performed, or has been."""
        with self._changed:
            for requests in (self._asked, self._waiting):
                if request in requests:
                    requests.remove(request)
                    return True
        return False

    # Of the machine's thread

    def tell_when(self, operation: Callable[[], WouldBlock | None]) -> None:
        """Has an operation performed later, until it is something else than a WouldBlock. For use in operations."""
        self._waiting.append(_Request(operation))

    def serve(self, wait: bool) -> None:
        """Performs what was asked for. With `wait`: waits for a moment if there is nothing.

        Raises:
            Exception: what an operation raised, if that was no OSError. Who asked for it gets EIO.
        """
        with self._changed:
            if wait and not self._asked and not self._retries:
                self._changed.wait(_PATIENCE)
            self._wake(False)
            tried, self._asked = self._asked, deque()
            if tried or self._retries:
                tried += self._waiting
                self._waiting = []
                self._next_retry = time.monotonic() + (_PATIENCE if wait else _RETRY)
        self._perform(tried)

    def retry(self) -> None:
        """Has everything that waits tried again by the next `serve`."""
        self._next_retry = 0.0

    @property
    def _retries(self) -> bool:
        return bool(self._waiting) and time.monotonic() >= self._next_retry

    def _perform(self, requests: deque[_Request]) -> None:
        with Held():
            while requests:
                request = requests.popleft()
                try:
                    answer = request.operation()
                except OSError as error:
                    request.fail(error)
                except BaseException:
                    request.fail(OSError(errno.EIO, "the machine cannot go on"))
                    with self._changed:
                        self._asked.extendleft(reversed(requests))
                    raise
                else:
                    if isinstance(answer, WouldBlock):
                        with self._changed:
                            self._waiting.append(request)
                    else:
                        request.answer = answer
                        request.answered.set()

    def close(self) -> None:
        """Lets all requests fail, and those that still come."""
        with self._changed:
            self._closed = True
            for request in [*self._asked, *self._waiting]:
                request.fail(OSError(errno.ENODEV, "not mounted any more"))
            self._asked.clear()
            self._waiting.clear()
