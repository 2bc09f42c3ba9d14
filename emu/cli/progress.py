# SPDX-License-Identifier: GPL-2.0-only
"""A line on the terminal that says what is going on, once it has gone on for a second."""

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
    """Shows nothing when standard error is no terminal, or nothing takes long."""

    def __init__(self) -> None:
        self._terminal = sys.stderr.isatty()
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None
        self._status: Status | None = None

    @contextmanager
    def during(self, what: str) -> Iterator[None]:
        """Says `what` while the body runs."""
        if self._terminal:
            self._timer = threading.Timer(PATIENCE, self._show, [what])
            self._timer.daemon = True
            self._timer.start()
        try:
            yield
        finally:
            self.hide()

    def hide(self) -> None:
        """Makes room for other output until the next `during`."""
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
