# SPDX-License-Identifier: GPL-2.0-only
"""Requests of the host's threads to a machine. Its own thread performs them between two turns of the machine's CPUs."""

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

_PATIENCE = 0.05  # seconds between two checks whether the waiting program got a signal; also the maximum wait of `serve`
_RETRY = 0.005  # seconds after which a blocked operation is tried again while the machine runs

_Answer = TypeVar("_Answer")


class _Request:
    """An operation and its result."""

    def __init__(self, operation: Callable[[], object]) -> None:
        self.operation = operation
        self.answered = threading.Event()
        self.answer: object = None
        self.error: OSError | None = None

    def fail(self, error: OSError) -> None:
        self.error = error
        self.answered.set()


class Requests:
    """The unanswered requests.

    Args:
        wake: called by the requesting thread: with True, the machine's thread must call `serve` soon; with False, it is doing so.
    """

    def __init__(self, wake: Callable[[bool], None]) -> None:
        self._wake = wake
        self._changed = threading.Condition()
        self._asked: deque[_Request] = deque()
        self._waiting: list[_Request] = []  # blocked when they were tried
        self._next_retry = 0.0  # by time.monotonic()
        self._closed = False

    # For requesting threads

    def ask(self, operation: Callable[[], _Answer | WouldBlock], interrupted: Callable[[], bool] = lambda: False) -> _Answer:
        """Requests an operation, which is repeated until it returns something other than a WouldBlock, and returns that.

        Raises:
            OSError: from the operation; EINTR: `interrupted` returned True; ENODEV: requests are no longer served.
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
        """Withdraws a request. Returns False if it is being performed, or has been."""
        with self._changed:
            for requests in (self._asked, self._waiting):
                if request in requests:
                    requests.remove(request)
                    return True
        return False

    # For the machine's thread

    def tell_when(self, operation: Callable[[], WouldBlock | None]) -> None:
        """Performs an operation later, until it returns something other than a WouldBlock. For use in operations."""
        self._waiting.append(_Request(operation))

    def serve(self, wait: bool) -> None:
        """Performs requests. With `wait`: waits for a moment if there are none.

        Raises:
            Exception: an operation raised it, and it is not an OSError. The requester gets EIO.
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
        """Makes the next `serve` try everything again that is blocked."""
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
        """Makes all requests fail, including future ones."""
        with self._changed:
            self._closed = True
            for request in [*self._asked, *self._waiting]:
                request.fail(OSError(errno.ENODEV, "not mounted any more"))
            self._asked.clear()
            self._waiting.clear()
