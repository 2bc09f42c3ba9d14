# SPDX-License-Identifier: GPL-2.0-only
"""The filters of one trace array's events, as shown and set by the files `filter`."""

from __future__ import annotations

import errno
from collections.abc import Iterable

from emu.ftrace.arrays.trace_array import TraceArray
from emu.ftrace.errors import TraceError
from emu.ftrace.event.call import EventCall, EventKind
from emu.ftrace.event.filter_parse import BAD_SYSTEM_FILTER, QUALIFIERS, filter_error
from emu.ftrace.event.filter_program import EventFilter

__all__ = ["EventFilters"]

_NONE = "none"
_CLEARS = "0"
_OF_SYSTEM = """\
### global filter ###
# Use this to set filters for multiple events.
# Only events with the given fields will be affected.
# If no events are modified, an error message will be displayed here"""


class EventFilters:
    """The event filters. A refused filter leaves the previous one in force; its error is shown until the next filter is set.

    Args:
        array: the trace array.
    """

    def __init__(self, array: TraceArray) -> None:
        self._array = array
        self._refused: dict[EventCall | str, str] = {}  # by event, or by the name of a system

    def apply_to(self, call: EventCall) -> bool:
        """Whether an event can have a filter. Host-recorded events have none, except function_graph's, in the top array."""
        return call.kind is not EventKind.FTRACE or (call.name in QUALIFIERS and self._array.is_top)

    def text(self, call: EventCall) -> str:
        """The filter in force, or the one refused since, with its error."""
        file = self._array.ops.events.get(call)
        return self._refused.get(call) or (file.filter.text if file and file.filter else _NONE)

    def set(self, call: EventCall, text: str) -> None:
        """Sets an event's filter; `0` removes it.

        Raises:
            TraceError: EINVAL, with the report for error_log.
        """
        try:
            self._put(call, self._made(call, text))
        except TraceError as error:
            self._refused[call] = _with_error(error)
            raise

    def system_text(self, system: str) -> str:
        return self._refused.get(system, _OF_SYSTEM)

    def set_system(self, system: str, calls: Iterable[EventCall], text: str) -> None:
        """Sets the filter of those events in a system that have its fields; the others keep theirs. `0` removes all filters.

        Raises:
            TraceError: EINVAL, with the report for error_log: no event has the fields.
        """
        made: dict[EventCall, EventFilter | None] = {}
        errors: list[TraceError] = []
        for call in calls:
            try:
                made[call] = self._made(call, text)
            except TraceError as error:
                errors.append(error)
        if not made:
            refused = filter_error(BAD_SYSTEM_FILTER, text, 0)
            self._refused[system] = _with_error(refused)
            raise TraceError(errno.EINVAL, hint=lambda: _closest([*errors, refused]).why, logged=refused.logged)
        for call, wanted in made.items():
            self._put(call, wanted)
        self._refused.pop(system, None)

    def _made(self, call: EventCall, text: str) -> EventFilter | None:
        return None if text.strip() == _CLEARS else self._array.recorder.globals.event_filter(call, text)

    def _put(self, call: EventCall, wanted: EventFilter | None) -> None:
        self._array.ops.events.set_filter(call, wanted)
        self._refused.pop(call, None)


def _closest(errors: Iterable[TraceError]) -> TraceError:
    """The error of the event that got furthest in parsing, because it tells the user most."""
    return max(errors, key=lambda error: (error.logged.position if error.logged else 0, error.suggestion != ""))


def _with_error(error: TraceError) -> str:
    """The refused text, and below it where and why it is wrong."""
    report = error.logged
    assert report is not None
    caret = " " * min(report.position, len(report.command)) + "^"
    return f"{report.command}\n{caret}\nparse_error: {report.text}\n"
