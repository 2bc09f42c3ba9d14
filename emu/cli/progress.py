# SPDX-License-Identifier: GPL-2.0-only
"""A progress line on the terminal, shown when something takes longer than a second."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

__all__ = ["Progress"]

PATIENCE = 1.0  # seconds
_INTERVAL = 0.25  # seconds between two updates
_ERASE = "\r\x1b[K"


class Progress:
    """The line, which a thread draws. There is none if standard error is not a terminal, or it is not wanted.

    Attributes:
        instead: called before each drawing. If the result is not None, it is shown instead of the text from `during`.
    """

    def __init__(self, *, wanted: bool = True) -> None:
        self.instead: Callable[[], str | None] = lambda: None
        self._terminal = wanted and sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
        self._changed = threading.Condition()  # its lock is held while writing to the terminal
        self._thread: threading.Thread | None = None
        self._what: Callable[[], str] | None = None
        self._quiet_since = 0.0  # by time.monotonic()
        self._at_line_start = True
        self._shown = ""

    @contextmanager
    def during(self, what: str | Callable[[], str]) -> Iterator[None]:
        """Shows `what`, or its result if it is a function, during the body, starting after one second."""
        if not self._terminal:
            yield
            return
        with self._changed:
            self._what = what if callable(what) else lambda: what
            self._quiet_since = time.monotonic()
            if self._thread is None:
                self._thread = threading.Thread(target=self._draw_now_and_then, daemon=True)
                self._thread.start()
            self._changed.notify()
        try:
            yield
        finally:
            with self._changed:
                self._erase()
                self._what = None

    @contextmanager
    def while_writing(self, output: bytes) -> Iterator[None]:
        """Removes the line while the body writes `output`. It reappears after a second without output, at the start of a line."""
        if not self._terminal:
            yield
            return
        with self._changed:
            self._erase()
            try:
                yield
            finally:
                self._quiet_since = time.monotonic()
                self._at_line_start = output.endswith(b"\n")

    def _draw_now_and_then(self) -> None:
        with self._changed:
            while True:
                self._changed.wait(None if self._what is None else _INTERVAL)
                if self._what is not None and self._at_line_start and time.monotonic() - self._quiet_since >= PATIENCE:
                    self._draw(self.instead() or self._what())

    def _draw(self, text: str) -> None:
        with suppress(OSError):  # the terminal is gone
            width = os.get_terminal_size(sys.stderr.fileno()).columns or 80  # some terminals report 0
            if text != self._shown:
                os.write(sys.stderr.fileno(), f"{_ERASE}{text[: width - 1]}".encode())
                self._shown = text

    def _erase(self) -> None:
        if self._shown:
            self._shown = ""
            with suppress(OSError):
                os.write(sys.stderr.fileno(), _ERASE.encode())
