# SPDX-License-Identifier: GPL-2.0-only
"""What one trace array wants of the events."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from emu.ftrace.event.call import EventCall

__all__ = ["WantedEvents"]


class WantedEvents(Collection[EventCall]):
    """The events that one trace array records. Its array changes them."""

    def __init__(self) -> None:
        self._recorded: dict[EventCall, None] = {}
        self._ever: set[EventCall] = set()

    def __contains__(self, call: object) -> bool:
        return call in self._recorded

    def __iter__(self) -> Iterator[EventCall]:
        return iter(self._recorded)

    def __len__(self) -> int:
        return len(self._recorded)

    @property
    def keys(self) -> set[int]:
        """The static keys that must be on: the addresses of their struct static_key."""
        return {call.key for call in self._recorded}

    def set(self, calls: Iterable[EventCall], on: bool) -> None:
        """Records these events from now on, or no longer."""
        for call in calls:
            if on:
                self._recorded[call] = None
                self._ever.add(call)
            else:
                self._recorded.pop(call, None)

    def forget(self, calls: Iterable[EventCall]) -> bool:
        """Follows events that are gone. Returns whether any of them has ever been recorded."""
        gone = set(calls)
        known = bool(self._ever & gone)
        self.set(gone, on=False)
        self._ever -= gone
        return known
