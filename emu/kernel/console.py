# SPDX-License-Identifier: GPL-2.0-only
"""The console: what the guest wrote, and what it may read."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["Console"]

_KEPT_LINES = 10  # shown when the guest panics


class Console:
    """Output goes to `sink`; input is queued until the guest reads it."""

    def __init__(self, sink: Callable[[bytes], None]) -> None:
        self.sink = sink
        self._tail = b""
        self._input = bytearray()
        self._ended = False
        self.size = (0, 0)  # rows and columns of the terminal at which somebody sits, if one does

    def write(self, data: bytes) -> None:
        """Output of the guest."""
        self._tail = b"\n".join((self._tail + data).split(b"\n")[-_KEPT_LINES - 1 :])
        self.sink(data)

    def feed(self, data: bytes) -> None:
        """Input for the guest."""
        self._input += data

    def restart_input(self) -> None:
        """Forgets what was not read; more may come."""
        self._input.clear()
        self._ended = False

    def end_input(self) -> None:
        """Once the queue is empty, the guest reads end of file."""
        self._ended = True

    @property
    def input_ended(self) -> bool:
        """Whether no more input will come."""
        return self._ended

    def read(self, size: int) -> bytes | None:
        """At most `size` bytes of input; b"" at its end; None if the guest must wait."""
        if self._input:
            data = bytes(self._input[:size])
            del self._input[:size]
            return data
        return b"" if self._ended else None

    @property
    def last_lines(self) -> list[str]:
        """The last lines of output, for a report."""
        return [line for line in self._tail.decode(errors="replace").splitlines() if line][-_KEPT_LINES:]
