# SPDX-License-Identifier: GPL-2.0-only
"""error_log: what was wrong with the commands that one trace array has recently refused."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from emu.ftrace.errors import ErrorReport, TraceError

__all__ = ["ErrorLog"]

_KEPT = 8
_COMMAND = "  Command: "


class ErrorLog:
    """The latest errors of an array.

    Args:
        time: returns the nanoseconds since the guest booted.
    """

    def __init__(self, time: Callable[[], int]) -> None:
        self._time = time
        self._errors: deque[str] = deque(maxlen=_KEPT)

    def text(self) -> str:
        """The contents of the file."""
        return "".join(self._errors)

    def clear(self) -> None:
        self._errors.clear()

    @contextmanager
    def noting(self) -> Iterator[None]:
        """Adds the error that the body raises, if it belongs in the log."""
        try:
            yield
        except TraceError as error:
            if error.logged is not None:
                self.add(error.logged)
            raise

    def add(self, error: ErrorReport) -> None:
        if error.before is not None:
            self.add(error.before)
        seconds, microseconds = divmod(self._time() // 1000, 1_000_000)
        self._errors.append(
            f"[{seconds:5}.{microseconds:06}] {error.place}: error: {error.text}\n"
            f"{_COMMAND}{error.command}\n{' ' * (len(_COMMAND) + error.position)}^\n"
        )
