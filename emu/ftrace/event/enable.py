# SPDX-License-Identifier: GPL-2.0-only
"""Enabling events: set_event, and the files `enable`."""

from __future__ import annotations

import errno
from collections.abc import Collection, Iterable, Iterator, Sequence

from emu.ftrace.arrays.trace_array import TraceArray
from emu.ftrace.errors import NotProvided, TraceError
from emu.ftrace.event.call import EventCall, EventKind
from emu.ftrace.event.catalogue import Catalogue
from emu.ftrace.event.files import EventFiles
from emu.ftrace.numbers import parse_decimal

__all__ = ["available", "lines", "obey_word", "select", "set_state", "state", "state_of"]

_LINES_AT_ONCE = 64  # shorter than the buffer of any copying program


def available(calls: Iterable[EventCall]) -> list[EventCall]:
    """The events among `calls` that can be enabled, in the order of available_events: the latest module's first."""
    enableable = [call for call in calls if call.kind is not EventKind.FTRACE]
    return sorted(enableable, key=lambda call: (not call.module, -call.number if call.module else call.number))


def lines(calls: Sequence[EventCall]) -> Iterator[str]:
    """The lines of available_events and set_event. A read ends at a line's end, so that `cat` can write it to set_event."""
    for first in range(0, len(calls), _LINES_AT_ONCE):
        yield "".join(f"{call.path}\n" for call in calls[first : first + _LINES_AT_ONCE])


def select(catalogue: Catalogue, word: str) -> list[EventCall]:
    """The events selected by a word of set_event.

    `SYSTEM:EVENT`, `SYSTEM:*`, `*:EVENT` and `*:*`; an empty part means `*`. A word without a colon is the name of a system or
    of events. As in Linux, there are no other patterns.

    Raises:
        TraceError: EINVAL if there is no such event.
    """
    calls = available(catalogue.values())
    name, colon, event = word.partition(":")
    if colon:
        found = [call for call in calls if name in ("", "*", call.system) and event in ("", "*", call.name)]
    else:
        found = [call for call in calls if name in (call.system, call.name)]
    if not found:
        lacking = catalogue.lacking
        if name in lacking and name not in catalogue.systems():
            raise NotProvided(errno.EINVAL, "set_event", f"events of the system '{name}'")
        systems = lacking.values() if name in ("", "*") or not colon else [lacking.get(name, frozenset())]
        if any((event or name) in events for events in systems):
            raise NotProvided(errno.EINVAL, "set_event", f"the event '{word}'")
        known = [call.path for call in calls] if colon else [*(call.name for call in calls), *(call.system for call in calls)]
        raise TraceError(errno.EINVAL, f"there is no event '{word}'", (word, known))
    return found


def obey_word(array: TraceArray, catalogue: Catalogue, word: str) -> None:
    """Enables the events selected by a word, or disables them if it begins with `!`.

    Raises:
        TraceError: EINVAL, as `select`.
    """
    array.enable_events(select(catalogue, word.removeprefix("!")), not word.startswith("!"))


def set_state(array: TraceArray, calls: Collection[EventCall], text: str) -> None:
    """Handles a write to `enable`: 1 enables the events, 0 disables them.

    Raises:
        TraceError: EINVAL for any other text, or if the events no longer exist.
    """
    value = parse_decimal(text)
    if not calls:
        raise TraceError(errno.EINVAL, "there are no events")
    if value > 1:
        raise TraceError(errno.EINVAL, f"an event is enabled by 1 or disabled by 0, not {value}")
    array.enable_events(calls, bool(value))


def state(events: EventFiles, calls: Iterable[EventCall]) -> str:
    """What `enable` shows for several events: 1 or 0; X if they differ; ? if there are none."""
    states = {events.enabled(call) for call in calls}
    return "X" if len(states) > 1 else "".join(str(int(on)) for on in states) or "?"


def state_of(events: EventFiles, call: EventCall) -> str:
    """What `enable` shows for one event: 1 or 0, followed by * if a trigger or a command may change it."""
    file = events.get(call)
    return "0" if file is None else file.state
