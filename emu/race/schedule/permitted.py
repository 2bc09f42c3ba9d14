# SPDX-License-Identifier: GPL-2.0-only
"""Checks that the events of a schedule are possible at their places."""

from __future__ import annotations

from collections.abc import Sequence

from emu.race.schedule.event import Event, What, agent_name

__all__ = ["NotPermitted", "described", "is_same"]

_MOST_SHOWN = 8


class NotPermitted(ValueError):
    """An event of a schedule is impossible at its place.

    Args:
        number: the event's number, from 1.
        event: the event.
        possible: the events that its agent can do there.
    """

    def __init__(self, number: int, event: Event, possible: Sequence[Event]) -> None:
        self.number, self.event, self.possible = number, event, tuple(possible)
        shown = [described(other).partition(" ")[2] for other in possible[:_MOST_SHOWN]]
        more = [f"{len(possible) - _MOST_SHOWN} more"] if len(possible) > _MOST_SHOWN else []
        allowed = ", or ".join([*shown, *more]) or "nothing"
        super().__init__(f"event {number} is not permitted: {described(event)}; permitted: {allowed}")


def described(event: Event) -> str:
    """A short description of an event: `cpu1 fetch 1+0 cc 1f 44 00 00 @ 1 0`."""
    words = [agent_name(event, "cpu"), event.what.value]
    if event.what in (What.WRITE, What.FETCH):
        words.append(f"{event.site}+{event.offset} {event.code.hex(' ')}")
    elif event.site:
        words.append(str(event.site))
    if event.versions:
        words.append(f"@ {' '.join(map(str, event.versions))}")
    return " ".join(words)


def is_same(event: Event, other: Event) -> bool:
    """Whether two events are the same on any engine: equal versions of a fetch, equal length of a write; the bytes may differ."""
    return (event.agent, event.what, event.site, event.offset, event.versions, len(event.code)) == (
        other.agent, other.what, other.site, other.offset, other.versions, len(other.code),
    )  # fmt: skip
