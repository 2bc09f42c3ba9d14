# SPDX-License-Identifier: GPL-2.0-only
"""A line on the terminal that says what `emu` is doing, when that takes longer than a second."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.status import Status

__all__ = ["Progress"]

PATIENCE = 1.0  # seconds


class Progress:
    """The line. It is not shown if standard error is no terminal."""

    def __init__(self) -> None:
        self._terminal = sys.stderr.isatty()
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None
        self._status: Status | None = None

    @contextmanager
    def during(self, what: str) -> Iterator[None]:
        """Shows `what` while the body runs, from its second second on."""
        if self._terminal:
            self._timer = threading.Timer(PATIENCE, self._show, [what])
            self._timer.daemon = True
            self._timer.start()
        try:
            yield
        finally:
            self.hide()

    def hide(self) -> None:
        """Removes the line, so that other output can be written. The next `during` shows another one."""
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
            if self._status is not None:
                self._status.stop()
                self._status = None

    def _show(self, what: str) -> None:
        from rich.console import Console  # takes a tenth of a second, and most runs never get here

        with self._lock:
            if self._timer is not None:
                self._status = Console(stderr=True).status(what)
                self._status.start()
