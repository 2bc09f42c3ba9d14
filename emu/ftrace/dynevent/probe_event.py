# SPDX-License-Identifier: GPL-2.0-only
"""Probes that make events, of the kernel's code and of programs' and of other events, and the events that they make.

Several probes may be one event: they have the same arguments, at different places.
"""

from __future__ import annotations

import errno
from abc import abstractmethod
from collections.abc import Sequence

from emu.ftrace.dynevent.arguments import Argument
from emu.ftrace.dynevent.dyn_event import DynamicEvent, DynamicEventKind
from emu.ftrace.dynevent.entry_layout import EntryLayout
from emu.ftrace.dynevent.fetch_program import FetchProgram
from emu.ftrace.dynevent.probe_errors import ProbeCommand, ProbeError
from emu.ftrace.errors import TraceError
from emu.ftrace.event.call import EventCall, EventKind
from emu.ftrace.event.catalogue import Catalogue
from emu.ftrace.event.source import EventSource
from emu.ftrace.native.probe_record import Probe as ProbeRecord
from emu.ftrace.native.probe_record import ProbeHandler
from emu.ftrace.native.trace_records import Consumer, Event
from emu.ftrace.native.trace_values import ALWAYS

__all__ = ["Probe", "ProbeEvent"]


class ProbeEvent(EventSource):
    """What the probes of one event have in common: the source of its entries.

    Attributes:
        layout: of its entries.
        probes: that make it, in the order in which they were defined.
        users: see `DynamicEvent`.
        title: of an eprobe's event, what lines show in parentheses: the event that is probed.
    """

    def __init__(self, layout: EntryLayout, title: str = "") -> None:
        super().__init__()
        self.layout = layout
        self.probes: list[Probe] = []
        self.users = 0
        self.title = title

    def start(self) -> None:
        started: list[Probe] = []
        try:
            for probe in self.probes:
                probe.arm()
                started.append(probe)
        except TraceError:
            for probe in started:
                probe.disarm()
            raise

    def stop(self) -> None:
        for probe in self.probes:
            probe.disarm()


class Probe(DynamicEvent):
    """One probe.

    Args:
        kind: whose it is.
        event: that it makes.
        handler: what native code does there (`native.probe_event.ProbeHandlers`).
        arguments: its own, like those of the event's other probes.
        program: fetches them.

    Attributes:
        event: the event, and its other probes.
        arguments: as given.
        record: what native code knows of the probe (`native.probe_record`).
        consumer: what hangs on the place that is probed (`trace_records.Consumer`).
    """

    def __init__(
        self,
        kind: DynamicEventKind,
        event: ProbeEvent,
        handler: ProbeHandler,
        arguments: Sequence[Argument],
        program: FetchProgram,
    ) -> None:
        self.kind = kind
        self.event = event
        self.arguments = arguments
        self._program = program
        self.record = ProbeRecord.allocate()
        self.record.program, self.record.size = program.program, event.layout.size
        self.record.uses_registers = program.uses_registers
        self.consumer = Consumer.allocate()
        self.consumer.handler, self.consumer.count, self.consumer.target = handler, ALWAYS, self.record.address

    @property
    def users(self) -> int:
        """Of the event: they need any of its probes."""
        return self.event.users

    @users.setter
    def users(self, count: int) -> None:
        self.event.users = count

    @property
    def hits(self) -> int:
        """How often a CPU has come to the place while the event was wanted."""
        return self.record.hits

    def check(self, command: ProbeCommand) -> None:
        """The place can be probed. `command`: that defines the probe.

        Raises:
            TraceError: it cannot, with what error_log tells.
        """

    @abstractmethod
    def arm(self) -> None:
        """Makes entries from now on.

        Raises:
            TraceError: it cannot; nothing has changed.
        """

    @abstractmethod
    def disarm(self) -> None:
        """Makes none any more."""

    @property
    @abstractmethod
    def place(self) -> str:
        """What is probed, as the definition shows it."""

    def matches(self, arguments: Sequence[str]) -> bool:
        return not arguments or (arguments[0] == self.place and self._begins_with(arguments[1:]))

    def _begins_with(self, arguments: Sequence[str]) -> bool:
        return [str(argument) for argument in self.arguments][: len(arguments)] == list(arguments)

    def is_same(self, other: Probe) -> bool:
        """Whether two probes of one event do the same."""
        return self.place == other.place and [one.text for one in self.arguments] == [one.text for one in other.arguments]

    def shown(self, letters: str) -> str:
        """The definition, which begins with some letters: `p`, `r32`."""
        words = [f"{letters}:{self.call.system}/{self.call.name}", self.place, *map(str, self.arguments)]
        return " ".join(words)

    def release(self) -> bool:
        if self.event.in_use:
            self.disarm()
        self.event.probes.remove(self)
        return not self.event.probes

    def join(self, catalogue: Catalogue, command: ProbeCommand, system: str, name: str, depth: int = 0) -> None:
        """Makes the event happen where the probe is: an event that is there already, or a new one.

        Args:
            catalogue: all events.
            command: that defines the probe.
            system, name: of the event.
            depth: is added to the preemption depth that entries show.

        Raises:
            TraceError: EEXIST, with what error_log tells; ENODEV, when no number is left; or what `check` and `arm` say.
        """
        known = catalogue.find(system, name)
        if known is not None:
            self._append_to(known, command)
        self.check(command)
        if known is None:
            layout = self.event.layout
            self.call = catalogue.define(
                system, name, layout.fields(), layout.print_fmt(), layout.size, layout.kind, self.event, depth
            )
        self.record.event = Event(catalogue.record_address(self.call))
        if self.event.in_use:
            self.arm()
        self.event.probes.append(self)

    def _append_to(self, known: EventCall, command: ProbeCommand) -> None:
        """Becomes one more probe of an event. Raises TraceError, see `join`."""
        event = known.source
        if not isinstance(event, ProbeEvent) or event.probes[0].kind is not self.kind or known.kind is EventKind.EPROBE:
            raise command.error(ProbeError.EVENT_EXIST, 0, code=errno.EEXIST)
        if known.kind is not self.event.layout.kind:
            raise command.error(ProbeError.DIFF_PROBE_TYPE, 0, code=errno.EEXIST)
        wanted = event.layout.arguments
        differs = next(
            (n for n, (own, other) in enumerate(zip(self.arguments, wanted, strict=False)) if not own.is_like(other)), None
        )
        if len(self.arguments) != len(wanted):
            differs = min(len(self.arguments), len(wanted))
        if differs is not None:
            raise command.error(ProbeError.DIFF_ARG_TYPE, differs + 2, code=errno.EEXIST)
        if any(self.is_same(other) for other in event.probes):
            raise command.error(ProbeError.SAME_PROBE, 0, code=errno.EEXIST)
        self.call, self.event = known, event
