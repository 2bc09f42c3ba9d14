# SPDX-License-Identifier: GPL-2.0-only
"""Preparation of an event for the time that any trace array uses it."""

from __future__ import annotations

__all__ = ["EventSource"]


class EventSource:
    """The source of the entries of an event that was defined at run time. Several events may share a source.

    An array uses an event while the event is enabled there, even if only in soft mode.
    """

    def __init__(self) -> None:
        self._users = 0

    @property
    def in_use(self) -> bool:
        """Whether an array uses the event."""
        return self._users > 0

    def begin(self, file: object) -> None:
        """An array starts to use the event. `file`: its EventFile.

        Raises:
            TraceError: the event cannot happen; nothing has changed.
        """
        if not self._users:
            self.start()
        self._users += 1

    def end(self, file: object) -> None:
        """The array stops using the event."""
        self._users -= 1
        if not self._users:
            self.stop()

    def start(self) -> None:
        """The first array starts to use the event. The caller updates the sites afterwards.

        Raises:
            TraceError: the event cannot happen; nothing has changed.
        """

    def stop(self) -> None:
        """No array uses the event any more."""
