# SPDX-License-Identifier: GPL-2.0-only
"""The hist triggers of a trace array, and the names that the definition of another one may use."""

from __future__ import annotations

from collections.abc import Iterator

from emu.ftrace.dynevent.synthetic import SYSTEM as SYNTHETIC
from emu.ftrace.dynevent.synthetic import SyntheticEvent
from emu.ftrace.event.call import EventCall, EventKind
from emu.ftrace.event.files import EventFiles
from emu.ftrace.hist.definition import HistDefinition
from emu.ftrace.hist.histogram import Histograms, HistTrigger
from emu.ftrace.hist.variables import HistVariables

__all__ = ["ArrayHists"]


class ArrayHists:
    """The hist triggers of one trace array.

    Args:
        files: the array's event files.
        histograms: the histograms of all trace arrays.

    Attributes:
        variables: those of the triggers.
    """

    def __init__(self, files: EventFiles, histograms: Histograms) -> None:
        self._files = files
        self._histograms = histograms
        self.variables = HistVariables(self._all)

    def _all(self) -> Iterator[HistTrigger]:
        """The hist triggers of all events."""
        for file in self._files:
            yield from self.of(file.call)

    def of(self, call: EventCall) -> list[HistTrigger]:
        """The hist triggers of an event, oldest first."""
        file = self._files.get(call)
        return [trigger for trigger in file.triggers if isinstance(trigger, HistTrigger)] if file else []

    def compatible(self, call: EventCall, definition: HistDefinition) -> HistTrigger | None:
        """A trigger of an event with the same keys as a definition; None if there is none."""
        keys = [(key.room, key.signed) for key in definition.keys]
        return next((one for one in self.of(call) if [(key.room, key.signed) for key in one.definition.keys] == keys), None)

    def event(self, system: str, name: str) -> EventCall | None:
        """An event that can be matched; None if there is none."""
        call = self._histograms.events.find(system, name)
        return None if call is not None and call.kind is EventKind.FTRACE else call

    def synthetic_event(self, name: str) -> SyntheticEvent | None:
        """None: there is none."""
        call = self._histograms.events.find(SYNTHETIC, name)
        event = self._histograms.dynamic_events.find(call) if call else None
        return event if isinstance(event, SyntheticEvent) else None
