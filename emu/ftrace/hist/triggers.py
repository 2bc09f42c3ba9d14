# SPDX-License-Identifier: GPL-2.0-only
"""The commands that set, change and take back hist triggers of events."""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from emu.ftrace.arrays.array_records import ArrayRecords
from emu.ftrace.errors import ErrorReport, TraceError
from emu.ftrace.event.call import EventCall
from emu.ftrace.event.files import EventFiles
from emu.ftrace.event.filter_program import EventFilter
from emu.ftrace.hist.action_fields import ActionServices, find_actions
from emu.ftrace.hist.array_hists import ArrayHists
from emu.ftrace.hist.definition import HistDefinition
from emu.ftrace.hist.histogram import Histogram, Histograms, HistTrigger
from emu.ftrace.hist.parse import HistCommand, parse_hist

if TYPE_CHECKING:
    pass

__all__ = ["HistTriggers"]

_NAMED_MISMATCH = "Named hist trigger doesn't match existing named trigger (includes variables)"
_EXISTS = "Hist trigger already exists"
_NOT_THERE = "Can't clear or continue a nonexistent hist trigger"
_CLOCK = "Couldn't set trace_clock"


class HistTriggers:
    """Sets and takes back the hist triggers of one trace array.

    Args:
        records: the array's records.
        files: the array's event files.
        histograms: those of all trace arrays.
        condition: makes the filter of an event, for a trigger. Raises TraceError.
        set_clock: sets the array's trace clock.
        reserve_snapshot: reserves the snapshot for an action, until the returned function is called. Raises TraceError: EBUSY,
            ENOMEM.
        tell: adds a report to the array's error_log, whether a trigger fails or not.
    """

    def __init__(
        self,
        records: ArrayRecords,
        files: EventFiles,
        histograms: Histograms,
        condition: Callable[[EventCall, str], EventFilter],
        set_clock: Callable[[str], None],
        reserve_snapshot: Callable[[], Callable[[], None]],
        tell: Callable[[ErrorReport], None],
    ) -> None:
        self._array = records.array
        self._files = files
        self._histograms = histograms
        self._hists = ArrayHists(files, histograms)
        self._condition = condition
        self._set_clock = set_clock
        self._services = ActionServices(self._add_other, reserve_snapshot, tell)

    def text(self, call: EventCall) -> Iterator[str]:
        """The text of an event's file `hist`."""
        for number, trigger in enumerate(self._hists.of(call)):
            if number:
                yield "\n\n"
            yield from trigger.text()

    def debug_text(self, call: EventCall) -> Iterator[str]:
        """The text of an event's file `hist_debug`."""
        for number, trigger in enumerate(self._hists.of(call)):
            if number:
                yield "\n\n"
            yield from trigger.debug_text()

    def obey(self, call: EventCall, text: str, *, removes: bool) -> None:
        """Sets, changes or removes a hist trigger of an event. Removing a trigger that does not exist changes nothing.

        Args:
            call: the event.
            text: the text after `hist:`.
            removes: whether to remove it.

        Raises:
            TraceError: EINVAL, EDOM, with the report for error_log; EEXIST; ENOENT; ENOMEM; EBUSY if other triggers need its
                variables or have reserved the snapshot.
        """
        command = parse_hist(call.path, text)
        definition = HistDefinition(call, command, self._hists.variables, removes=removes)
        condition = self._condition(call, command.condition) if command.condition is not None else None
        there = next((one for one in self._hists.of(call) if one.is_same(definition, command.condition)), None)
        if removes:
            if there is not None:
                if self._hists.variables.need(there.histogram):
                    raise TraceError(errno.EBUSY, f"other triggers refer to variables of '{there}'")
                self._files.remove_trigger(call, there)
        elif there is None:
            self._add(call, command, definition, condition)
        elif command.pause or command.resume:
            there.pause(command.pause)
        elif command.clear:
            there.histogram.table.clear()
        else:
            raise command.source.error(_EXISTS, code=errno.EEXIST)

    def remove_all(self, call: EventCall) -> bool:
        """Removes an event's hist triggers, but none if others refer to their variables. Returns whether any were removed."""
        there = self._hists.of(call)
        if any(self._hists.variables.need(one.histogram) for one in there):
            return False
        for one in there:
            self._files.remove_trigger(call, one)
        return bool(there)

    def _add(self, call: EventCall, command: HistCommand, definition: HistDefinition, condition: EventFilter | None) -> None:
        source = command.source
        histogram = self._histograms.named(command.name)
        if histogram is not None and not definition.fits(histogram.definition):
            raise source.error(_NAMED_MISMATCH, f"name={command.name}")
        if command.resume or command.clear:
            raise source.error(_NOT_THERE, code=errno.ENOENT)
        clock = self._histograms.clocks.named(command.clock)
        if definition.uses_time and clock is None:
            raise source.error(_CLOCK, command.clock)
        if histogram is None:
            histogram = self._make(definition, clock_is_ns=clock is not None and clock.is_ns)
        trigger = HistTrigger(self._histograms, definition, histogram, self._array, condition)
        trigger.pause(command.pause)
        try:
            self._files.add_trigger(call, trigger, last=True)
        except TraceError:
            trigger.release()
            raise
        if definition.uses_time:
            self._set_clock(command.clock)

    def _make(self, definition: HistDefinition, *, clock_is_ns: bool) -> Histogram:
        """Raises TraceError; nothing has changed."""
        definition.actions = find_actions(definition, self._hists, self._services)
        try:
            return self._histograms.make(definition, self._array, clock_is_ns=clock_is_ns)
        except TraceError:
            definition.actions.release()
            raise

    def _add_other(self, call: EventCall, text: str) -> Callable[[], None]:
        """Sets a trigger of another event, which an action needs. Returns what takes it back."""
        self.obey(call, text, removes=False)
        return partial(self._take_back, call, self._hists.of(call)[-1])

    def _take_back(self, call: EventCall, added: HistTrigger) -> None:
        """Removes a trigger, if it still exists and no other trigger needs its variables."""
        if added in self._hists.of(call) and not self._hists.variables.need(added.histogram):
            self._files.remove_trigger(call, added)
