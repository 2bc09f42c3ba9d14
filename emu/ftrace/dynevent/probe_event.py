# SPDX-License-Identifier: GPL-2.0-only
"""Probe events: probes of kernel code, of programs and of other events, and the events that they generate.

Several probes may share an event. They have the same arguments, at different places.
"""

from __future__ import annotations

import errno
from abc import abstractmethod
from collections.abc import Sequence

from emu.ftrace.dynevent.argument import Argument
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
    """The common part of the probes of one event: the source of its entries.

    Attributes:
        layout: the layout of its entries.
        probes: its probes, oldest first.
        users: see `DynamicEvent`.
        title: for an eprobe's event: the text in parentheses on its lines, which is the probed event.
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
        kind: the kind of the probe.
        event: the event that it generates.
        handler: the native function that runs at the probe (`native.probe_event.ProbeHandlers`).
        arguments: its own arguments, equal to those of the event's other probes.
        program: fetches the arguments.

    Attributes:
        event: the event, and its other probes.
        arguments: the arguments given.
        record: native code's record of the probe (`native.probe_record`).
        consumer: the probe's consumer at the probed place (`trace_records.Consumer`).
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
        """The event's users, who need any of its probes."""
        return self.event.users

    @users.setter
    def users(self, count: int) -> None:
        self.event.users = count

    @property
    def hits(self) -> int:
        """How many times a CPU has reached the place while the event was enabled."""
        return self.record.hits

    def check(self, command: ProbeCommand) -> None:
        """Checks that the place can be probed. `command`: the definition.

        Raises:
            TraceError: it cannot, with the report for error_log.
        """

    @abstractmethod
    def arm(self) -> None:
        """Starts to make entries.

        Raises:
            TraceError: it cannot start; nothing has changed.
        """

    @abstractmethod
    def disarm(self) -> None:
        """Stops making entries."""

    @property
    @abstractmethod
    def place(self) -> str:
        """The probed place, as in the definition."""

    def matches(self, arguments: Sequence[str]) -> bool:
        return not arguments or (arguments[0] == self.place and self._begins_with(arguments[1:]))

    def _begins_with(self, arguments: Sequence[str]) -> bool:
        return [str(argument) for argument in self.arguments][: len(arguments)] == list(arguments)

    def is_same(self, other: Probe) -> bool:
        """Whether two probes of one event are equivalent."""
        return self.place == other.place and [one.text for one in self.arguments] == [one.text for one in other.arguments]

    def shown(self, letters: str) -> str:
        """The definition's text, beginning with some letters: `p`, `r32`."""
        words = [f"{letters}:{self.call.system}/{self.call.name}", self.place, *map(str, self.arguments)]
        return " ".join(words)

    def release(self) -> bool:
        if self.event.in_use:
            self.disarm()
        self.event.probes.remove(self)
        return not self.event.probes

    def join(self, catalogue: Catalogue, command: ProbeCommand, system: str, name: str, depth: int = 0) -> None:
        """Connects the probe to its event: an existing event, or a new one.

        Args:
            catalogue: all events.
            command: the definition.
            system, name: the event's name.
            depth: added to the preemption depth in entries.

        Raises:
            TraceError: EEXIST, with the report for error_log; ENODEV if no number is left; or an error of `check` or `arm`.
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
        """Adds the probe to an existing event. Raises TraceError, see `join`."""
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
