# SPDX-License-Identifier: GPL-2.0-only
"""Synthetic events: histogram actions generate them from data of several events.

    echo 'wakeup_latency u64 lat; pid_t pid; char comm[16]' >> synthetic_events
    echo '!wakeup_latency' >> synthetic_events
"""

from __future__ import annotations

import errno
from collections.abc import Callable, Sequence
from typing import ClassVar

import numpy as np

from emu.ftrace.dynevent.dyn_event import DynamicEvent, DynamicEventKind, DynamicEvents
from emu.ftrace.errors import TraceError
from emu.ftrace.event.call import COMMON_SIZE, EventKind, Field
from emu.ftrace.event.catalogue import Catalogue
from emu.ftrace.event.source import EventSource
from emu.ftrace.event.synth_fields import SynthField, check_name, entry_fields, parse_fields, print_fmt, refuse, refuse_form
from emu.ftrace.native import synthetic_record as native
from emu.ftrace.native.trace_records import Event
from emu.native.records import Records

__all__ = ["SYSTEM", "SyntheticEvent", "SyntheticEvents"]

SYSTEM = "synthetic"

_DYNAMIC_FORM = "s or -:[synthetic/]<name> field[;field] ..."
_DYNAMIC = "s:"  # the prefix of a definition in dynamic_events
_DEPTH = 2  # as in Linux, entries include two levels of disabled preemption that recording itself adds


class SyntheticEvent(DynamicEvent):
    """A synthetic event.

    Args:
        kind: the kind of all synthetic events.
        name: the event's name.
        fields: its fields, at least one.
        catalogue: all events; this event is added.

    Attributes:
        record: native code's record of its entries (`native.synthetic_record`).

    Raises:
        TraceError: EEXIST; ENODEV if no number is left.
    """

    def __init__(self, kind: SyntheticEvents, name: str, fields: Sequence[SynthField], catalogue: Catalogue) -> None:
        super().__init__()
        self.kind = kind
        self.fields = fields
        size = COMMON_SIZE + sum(field.room for field in fields)
        self.call = catalogue.define(
            SYSTEM, name, list(entry_fields(fields)), print_fmt(fields), size, EventKind.SYNTHETIC, EventSource(), _DEPTH
        )
        self._plan = np.concatenate([_plan(*one).words for one in zip(fields, self.call.fields, strict=False)])
        self.record = native.Synthetic.allocate()
        self.record.event = Event(catalogue.record_address(self.call))
        self.record.fields, self.record.count = Records[native.SyntheticField](self._plan.ctypes.data), len(fields)

    def __str__(self) -> str:
        return f"{_DYNAMIC}{SYSTEM}/{self.definition}"

    @property
    def definition(self) -> str:
        """The definition, as in synthetic_events."""
        return f"{self.call.name}\t{'; '.join(map(str, self.fields))}"

    def matches(self, arguments: Sequence[str]) -> bool:
        """A command that removes the event may repeat its fields, which are ignored."""
        return True

    def release(self) -> bool:
        return True

    def need(self) -> Callable[[], None]:
        """Marks the event as needed until the returned function is called."""
        self.users += 1
        return self._let_go

    def _let_go(self) -> None:
        self.users -= 1


def _plan(field: SynthField, place: Field) -> native.SyntheticField:
    """The record of a field for native code."""
    plan = native.SyntheticField.allocate()
    plan.offset = place.offset
    plan.kind = (native.STRING if field.size else native.DYNAMIC_STRING) if field.is_string else field.size
    return plan


class SyntheticEvents(DynamicEventKind):
    """The kind of synthetic events. `catalogue`: all events."""

    file: ClassVar[str] = "synthetic_events"

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue

    def takes(self, command: str) -> bool:
        return command.startswith(_DYNAMIC)

    def create(self, command: str) -> SyntheticEvent:
        words = command.split(maxsplit=1)
        if len(words) < 2:
            refuse_form(command)
        name = words[0].removeprefix(_DYNAMIC)
        if "/" in name:
            if not name.startswith(f"{SYSTEM}/"):
                refuse_form(command, _DYNAMIC_FORM)
            name = name.removeprefix(f"{SYSTEM}/")
        return self._define(name, words[1], command)

    def obey(self, command: str, events: DynamicEvents) -> None:
        """In synthetic_events, a definition has no prefix."""
        name, *definition = command.split(maxsplit=1)
        if name == "!":
            raise TraceError(errno.ENOENT, "a name is needed after '!'")
        if name.startswith("!"):
            events.remove(f"-:{SYSTEM}/{name[1:]}", self)
        elif definition:
            events.add(self._define(name, definition[0], command))
        else:
            refuse_form(command)

    def shown(self, event: DynamicEvent) -> str:
        assert isinstance(event, SyntheticEvent)
        return event.definition

    def _define(self, name: str, text: str, command: str) -> SyntheticEvent:
        """Raises TraceError: EINVAL, EEXIST; ENODEV if no number is left."""
        if len(text.partition(";")[0].split()) < 2 or not name:
            refuse_form(command)
        check_name(name, command, name)
        if self._catalogue.find(SYSTEM, name) is not None:
            refuse(command, "Event already exists", f"there is an event {SYSTEM}:{name} already", name, errno.EEXIST)
        return SyntheticEvent(self, name, parse_fields(text, command), self._catalogue)

