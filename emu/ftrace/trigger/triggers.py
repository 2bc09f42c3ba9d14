# SPDX-License-Identifier: GPL-2.0-only
"""The event triggers of one trace array."""

from __future__ import annotations

import errno
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

from emu.ftrace.errors import TraceError
from emu.ftrace.event.call import EventCall
from emu.ftrace.event.files import EventFile, EventFiles
from emu.ftrace.event.filter_program import EventFilter
from emu.ftrace.native.trace_values import AFTER, BEFORE
from emu.ftrace.trigger.commands import (
    AVAILABLE,
    EVENT_COMMANDS,
    HIST,
    HIST_COMMANDS,
    TriggerCommand,
    parse_trigger,
    split_trigger,
)
from emu.ftrace.trigger.consumers import Consumer, Consumers

if TYPE_CHECKING:
    from emu.ftrace.hist.triggers import HistTriggers

__all__ = ["Trigger", "Triggers"]

# An event has at most one trigger of each kind or, for kinds with a target, one per target.
_KINDS = {
    **dict.fromkeys(("traceon", "traceoff"), "switch"),
    **dict.fromkeys(EVENT_COMMANDS, "event"),
    **dict.fromkeys(HIST_COMMANDS, "hist"),
}


class Trigger:
    """A trigger of an event. It keeps the event in soft mode.

    Args:
        name: its command's name.
        consumer: its action.
        condition: selects the entries at which it acts; None: all.

    Attributes:
        record: native code's record of the trigger.
    """

    def __init__(self, name: str, does: Consumer, condition: EventFilter | None) -> None:
        self.kind = _kind(name, does.target)
        self.record = does.record
        self._consumer = does
        self._condition = condition
        self.record.post = AFTER if name == "stacktrace" else BEFORE
        self.record.filter = condition.first_step if condition else None

    def __str__(self) -> str:
        return f"{self._consumer} if {self._condition.text}" if self._condition else str(self._consumer)

    @property
    def target(self) -> EventFile | None:
        return self._consumer.target

    @property
    def needs_entry(self) -> bool:
        """Whether it reads the entry, or must run after the entry is recorded (Linux: EVENT_FILE_FL_TRIGGER_COND)."""
        return self._condition is not None or self.record.post != BEFORE

    @property
    def event_handler(self) -> None:
        return None

    def release(self) -> None:
        """Stops the trigger."""
        self._consumer.release()


def _kind(name: str, target: EventFile | None) -> tuple[str, EventFile | None]:
    return _KINDS.get(name, name), target


class Triggers:
    """The triggers of one trace array.

    Args:
        files: the array's event files.
        consumers: makes consumers that act on the array.
        make_hists: makes the hist triggers' object, when the first one is set.
        make_filter: makes an event filter. Raises TraceError: EINVAL; as in Linux, this is not reported in error_log.
    """

    def __init__(
        self,
        files: EventFiles,
        consumers: Consumers,
        make_hists: Callable[[], HistTriggers],
        make_filter: Callable[[EventCall, str], EventFilter],
    ) -> None:
        self._files = files
        self._consumers = consumers
        self._make_filter = make_filter
        self._make_hists = make_hists

    @cached_property
    def hists(self) -> HistTriggers:
        """The hist triggers."""
        return self._make_hists()

    def obey(self, call: EventCall, text: str) -> None:
        """Sets or removes a trigger of an event. Removing a trigger that does not exist changes nothing.

        Raises:
            TraceError: EINVAL, ERANGE; EEXIST if the event has one of the kind; ENOMEM. See also HistTriggers.
        """
        name, removes, rest = split_trigger(text)
        if name == HIST:
            self.hists.obey(call, rest, removes=removes)
        else:
            self._obey(call, parse_trigger(name, removes, rest))

    def remove_hists(self, call: EventCall) -> bool:
        """Removes the hist triggers of an event, see `HistTriggers.remove_all`."""
        file = self._files.get(call)
        return bool(file and file.triggers) and self.hists.remove_all(call)

    def _obey(self, call: EventCall, command: TriggerCommand) -> None:
        target = self._consumers.target(*command.target) if command.target else None
        kind = _kind(command.name, target)
        file = self._files.get(call)
        there = next((trigger for trigger in file.triggers if trigger.kind == kind), None) if file else None
        if command.removes:
            if there is not None:
                self._files.remove_trigger(call, there)
        else:
            condition = self._make_filter(call, command.condition) if command.condition is not None else None
            if there is not None:
                raise TraceError(errno.EEXIST, f"{call.path} has the trigger '{there}' already")
            made = Trigger(command.name, self._consumers.make(command.name, target, command.count), condition)
            try:
                self._files.add_trigger(call, made)
            except TraceError:
                made.release()
                raise

    def text(self, call: EventCall) -> str:
        """The text of an event's file `trigger`."""
        file = self._files.get(call)
        if file is None or not file.triggers:
            return f"# Available triggers:\n# {' '.join(AVAILABLE)}\n"
        return "".join(f"{line}\n" for line in map(str, file.triggers) if line)
