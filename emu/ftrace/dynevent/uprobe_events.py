# SPDX-License-Identifier: GPL-2.0-only
"""Events of uprobes and uretprobes, in uprobe_events' syntax:

    p[:[GROUP/][EVENT]] PATH:OFFSET[(REF_CTR_OFFSET)] [ARGUMENTS]
    r[:[GROUP/][EVENT]] PATH:OFFSET[(REF_CTR_OFFSET)] [ARGUMENTS]
    p[:[GROUP/][EVENT]] PATH:OFFSET%return[(REF_CTR_OFFSET)] [ARGUMENTS]
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import ClassVar

from emu.ftrace.arch.native_tracing import NativeTracing
from emu.ftrace.arch.probing import ProbeRegisters
from emu.ftrace.dynevent.argument import Argument, ProbeSite
from emu.ftrace.dynevent.arguments import parse_arguments
from emu.ftrace.dynevent.dyn_event import DynamicEventKind, DynamicEvents
from emu.ftrace.dynevent.entry_layout import EntryLayout
from emu.ftrace.dynevent.event_names import parse_event_name, sanitized
from emu.ftrace.dynevent.fetch_program import FetchProgram
from emu.ftrace.dynevent.probe_errors import ProbeCommand, ProbeError, split_words
from emu.ftrace.dynevent.probe_event import Probe, ProbeEvent
from emu.ftrace.errors import TraceError
from emu.ftrace.event.call import EventKind
from emu.ftrace.event.catalogue import Catalogue
from emu.ftrace.event.files import EventFile
from emu.ftrace.native.guest_records import Guest
from emu.ftrace.native.probe_record import ProbeHandler
from emu.ftrace.numbers import parse_c
from emu.ftrace.probes.uprobe_placing import UprobePlace, UprobePlacing

__all__ = ["UprobeEvents"]

_GROUP = "uprobes"
_END_OF_NAME = re.compile(r"[.\-_]")


class _Source(ProbeEvent):
    """The source of a uprobe's event. Whether the event can happen may be known only later."""

    def __init__(self, layout: EntryLayout) -> None:
        super().__init__(layout)
        self._files: list[EventFile] = []

    def begin(self, file: object) -> None:
        assert isinstance(file, EventFile)
        super().begin(file)
        self._files.append(file)

    def end(self, file: object) -> None:
        super().end(file)
        self._files.remove(file)  # type: ignore[arg-type]  # begin() was called with it

    def give_up(self) -> None:
        """The event cannot happen: forgets all arrays that enabled it."""
        for file in list(self._files):
            file.close()


class _UprobeEvent(Probe):
    """One probe."""

    kind: UprobeEvents

    def __init__(
        self,
        kind: UprobeEvents,
        event: ProbeEvent,
        handler: ProbeHandler,
        arguments: Sequence[Argument],
        program: FetchProgram,
        where: UprobePlace,
        command: ProbeCommand,
    ) -> None:
        super().__init__(kind, event, handler, arguments, program)
        self.where = where
        self._command = command
        self._number = -1  # its number among all uprobes; -1: none (any more)

    def __str__(self) -> str:
        return self.shown("r" if self.where.returns else "p")

    @property
    def place(self) -> str:
        where = self.where
        counter = f"({where.ref_ctr_offset:#x})" if where.ref_ctr_offset else ""
        return f"{where.path}:{where.offset:#018x}{counter}"

    def check(self, command: ProbeCommand) -> None:
        try:
            self.kind.uprobes.check(self.where)
        except TraceError as error:
            raise error if error.code == errno.EOPNOTSUPP else self._error(error.code) from None

    def add(self) -> None:
        """Makes the probe known. Must be called before any other request."""
        if self._number < 0:
            self._number = self.kind.uprobes.add(self.where, self.consumer, self._not_found)

    def arm(self) -> None:
        self.add()
        coming = self not in self.event.probes  # one more probe of an enabled event
        self.kind.uprobes.enable(self._number, partial(self._not_enabled, coming))

    def disarm(self) -> None:
        if self._number >= 0:
            self.kind.uprobes.disable(self._number)

    def release(self) -> bool:
        gone = super().release()
        if self._number >= 0:
            self.kind.uprobes.remove(self._number)
            self._number = -1
        return gone

    def _not_found(self, code: int) -> None:
        self._number = -1
        self.kind.withdraw(self, self._error(code))

    def _error(self, code: int) -> TraceError:
        """There is no such file."""
        what = ProbeError.NO_REGULAR_FILE if code == errno.EINVAL else ProbeError.FILE_NOT_FOUND
        return self._command.error(what, 1, code=code)

    def _not_enabled(self, coming: bool, code: int) -> None:
        if self._number >= 0 and isinstance(self.event, _Source):
            error = TraceError(code, f"the event {self.call.path} cannot happen: {self.place}: {os.strerror(code)}")
            if coming:
                self.kind.withdraw(self, error)
            else:
                self.event.give_up()
                self.kind.refuse(error)


class UprobeEvents(DynamicEventKind):
    """The events made by uprobes.

    Args:
        native: the native code for the kernel.
        registers: those that probes see.
        guest: the layout of the kernel's structures.
        catalogue: all events.
        uprobes: all uprobes.
        refuse: reports an error of a definition, or of enabling an event, that comes later.
        events: all definitions.
        depth: see `Probe.join`.
    """

    file: ClassVar[str] = "uprobe_events"

    def __init__(
        self,
        native: NativeTracing,
        registers: ProbeRegisters,
        guest: Guest,
        catalogue: Catalogue,
        uprobes: UprobePlacing,
        refuse: Callable[[TraceError], None],
        events: DynamicEvents,
        *,
        depth: int = 0,
    ) -> None:
        self.uprobes, self.refuse = uprobes, refuse
        self._native, self._registers, self._guest = native, registers, guest
        self._catalogue = catalogue
        self._events = events
        self._depth = depth

    def takes(self, command: str) -> bool:
        words = split_words(command)
        if len(words) < 2 or words[0][0] not in "pr":
            return False
        path, _, offset = words[1].rpartition(":")
        return "/" in path and offset[:1].isdigit()

    def create(self, command: str) -> Probe:
        return self._create(ProbeCommand("trace_uprobe", command))

    def profile(self, events: DynamicEvents) -> str:
        """uprobe_profile: the files, the events, and how often they happened."""
        probes = [event for event in events.of(self) if isinstance(event, _UprobeEvent)]
        return "".join(f"  {probe.where.path} {probe.call.name:<44} {probe.hits:15}\n" for probe in probes)

    def withdraw(self, probe: Probe, error: TraceError) -> None:
        """A probe has turned out to be impossible: its definition has failed."""
        self._events.withdraw(probe)
        self.refuse(error)

    def _create(self, command: ProbeCommand) -> Probe:
        where = _place(command)
        group, name = parse_event_name(command, _GROUP)
        site = ProbeSite(self._registers, user=True, returns=where.returns)
        arguments = parse_arguments(command, 2, site)
        layout = EntryLayout.of(EventKind.URETPROBE if where.returns else EventKind.UPROBE, arguments)
        program = FetchProgram(layout, self._registers, file_offset=where.offset)
        self._check_counter(where)
        handlers = self._native.probe_handlers(self._guest)
        handler = handlers.returned if where.returns else handlers.at
        probe = _UprobeEvent(self, _Source(layout), handler, arguments, program, where, command)
        probe.join(
            self._catalogue, command, group, name or sanitized(_default_name(where)), depth=self._depth
        )
        probe.add()
        return probe

    def _check_counter(self, where: UprobePlace) -> None:
        """All probes of a place have the same counter, or none. Raises TraceError: EINVAL."""
        for other in self._events.of(self):
            if not isinstance(other, _UprobeEvent):
                continue
            same = other.where.path == where.path and other.where.offset == where.offset
            if same and other.where.ref_ctr_offset != where.ref_ctr_offset:
                raise TraceError(errno.EINVAL, f"{other.call.path} probes this place with another reference counter")


def _place(command: ProbeCommand) -> UprobePlace:
    """The probed place."""
    text = command.words[1]
    path, _, rest = text.rpartition(":")
    begin = len(path) + 1
    place, brace, counter = rest.partition("(")
    ref_ctr_offset = 0
    if brace:
        at = begin + len(place) + 1
        number, closed, suffix = counter.partition(")")
        if not closed:
            raise command.error(ProbeError.REFCNT_OPEN_BRACE, 1, len(text))
        if suffix:
            raise command.error(ProbeError.BAD_REFCNT_SUFFIX, 1, at + len(number) + 1)
        found = parse_c(number)
        if found is None:
            raise command.error(ProbeError.BAD_REFCNT, 1, at)
        ref_ctr_offset = found
    digits, percent, suffix = place.partition("%")
    if percent and suffix != "return":
        raise command.error(ProbeError.BAD_ADDR_SUFFIX, 1, begin + len(digits))
    offset = parse_c(digits)
    if offset is None:
        raise command.error(ProbeError.BAD_UPROBE_OFFS, 1, begin)
    returns = bool(percent) or command.words[0].startswith("r")
    return UprobePlace(path, offset, ref_ctr_offset, returns)


def _default_name(where: UprobePlace) -> str:
    """The default name. As in Linux, it begins with `p` also if returns are probed."""
    return f"p_{_END_OF_NAME.split(where.path.rpartition('/')[2])[0]}_{where.offset:#x}"
