# SPDX-License-Identifier: GPL-2.0-only
"""What has to be done so that an event happens, while any trace array wants it."""

from __future__ import annotations

__all__ = ["EventSource"]


class EventSource:
    """Where the entries of an event that was defined while the machine runs come from. One source may be that of several events.

    An array wants an event while the event is enabled there, if only softly.
    """

    def __init__(self) -> None:
        self._users = 0

    @property
    def in_use(self) -> bool:
        """Whether an array wants the event."""
        return self._users > 0

    def begin(self, file: object) -> None:
        """An array begins to want the event. `file`: what it wants, an EventFile.

        Raises:
            TraceError: the event cannot happen; nothing has changed.
        """
        if not self._users:
            self.start()
        self._users += 1

    def end(self, file: object) -> None:
        """The array wants it no longer."""
        self._users -= 1
        if not self._users:
            self.stop()

    def start(self) -> None:
        """The first array begins to want the event. What has to be patched is patched by the update of sites that follows.

        Raises:
            TraceError: the event cannot happen; nothing has changed.
        """

    def stop(self) -> None:
        """No array wants it any more."""
