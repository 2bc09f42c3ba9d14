# SPDX-License-Identifier: GPL-2.0-only
"""The tracepoints of a Linux guest, from outside.

A tracepoint is a nop. A CPU that comes to it calls the host, which evaluates what the kernel would call there, and with which
arguments (emu.linux.lift). For an event, that is the kernel's own function that stores the event's fields. Nothing is lifted
before somebody uses the tracepoint.
"""

from __future__ import annotations

import errno
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

from emu.cpu.callouts import Listening
from emu.ftrace.arch.probing import ProbeRegisters
from emu.ftrace.arrays.array_records import RecordLists
from emu.ftrace.btf import Btf
from emu.ftrace.errors import TraceError
from emu.ftrace.event.call import EventCall
from emu.ftrace.event.files import EventFile
from emu.ftrace.event.source import EventSource
from emu.ftrace.native.trace_records import Consumer, Event
from emu.linux.image import Kernel
from emu.linux.lift import arch
from emu.linux.lift.lifting import Lifting
from emu.linux.lift.reasons import CannotLift
from emu.linux.lift.records import Place, Tracepoint, User
from emu.linux.lift.told import Handlers, build
from emu.linux.modules import Module
from emu.linux.symbols import Symbols
from emu.linux.tracing.events.reader import LinuxEvent
from emu.linux.tracing.kernel import LinuxKernel

__all__ = ["TracepointSource", "Tracepoints"]

_INSIDE = "the guest's own tracefs has it"
_LOST = "the kernel did there what cannot be evaluated from outside"


@dataclass
class _Point:
    """A tracepoint that somebody uses.

    Attributes:
        address: of its struct tracepoint.
        record: native code's.
        users: those who use it, in the order in which they came.
        places: where it is reached, by jump labels.
        looked_at: the jump labels that have been tried.
    """

    address: int
    name: str
    record: Tracepoint
    users: list[User] = field(default_factory=list)
    places: dict[int, tuple[Place, Listening]] = field(default_factory=dict)
    looked_at: set[int] = field(default_factory=set)


class Tracepoints:
    """All tracepoints of the kernel and its modules.

    Args:
        kernel: the image.
        linux: the guest's kernel.
        symbols, btf: the kernel's.
        records: the records of all trace arrays.
        registers: those that probes see.
        warn: called with a sentence about a tracepoint that is seen only in part.
    """

    def __init__(
        self,
        kernel: Kernel,
        linux: LinuxKernel,
        symbols: Symbols,
        btf: Btf,
        records: RecordLists,
        registers: Callable[[], ProbeRegisters],
        warn: Callable[[str], None],
    ) -> None:
        self._memory, self._name_offset = linux.memory, btf.offset("tracepoint.name")
        self._callouts, self._registers, self._warn = linux.board.callouts, registers, warn
        self._lifting = Lifting(kernel, linux.memory, symbols, btf, records)
        self._points: dict[int, _Point] = {}
        self._said: set[int] = set()

    @cached_property
    def _handlers(self) -> Handlers:
        names = self._registers().names
        return build(tuple(names[name] for name in arch.ARGUMENTS))

    # Modules

    def module_came(self, module: Module) -> None:
        """A module is being loaded, or was there when tracing began."""
        self._lifting.module_came(module)
        for point in self._points.values():
            self._watch(point)

    def module_gone(self, name: str) -> None:
        """A module is unloaded."""
        module = self._lifting.module_gone(name)
        if module is None:
            return
        for point in self._points.values():
            for label in [label for label in point.places if label in module.text]:
                self._callouts.unlisten(point.places.pop(label)[1])
            point.looked_at = {label for label in point.looked_at if label not in module.text}

    # Using

    def use(self, address: int, user: User) -> None:
        """Tells a user from now on whenever a tracepoint is reached, given by the address of its struct tracepoint.

        Raises:
            TraceError: EOPNOTSUPP, it cannot be seen from outside.
        """
        point = self._points.get(address)
        if point is None:
            record = Tracepoint.allocate()
            record.area, record.fill = self._lifting.area, self._handlers.fill
            name = self._memory.string(self._memory.word(address + self._name_offset))
            point = _Point(address, name, record)
            failure = self._watch(point)
            if failure is not None and not point.places:
                raise _refusal(f"the tracepoint {name}", failure)
            self._points[address] = point
        user.tracepoint = point.record
        point.users.append(user)
        self._link(point)

    def drop(self, address: int, user: User) -> None:
        """Ends that."""
        point = self._points[address]
        point.users.remove(user)
        self._link(point)
        if not point.users:
            for _, listening in point.places.values():
                self._callouts.unlisten(listening)
            del self._points[address]

    def use_by(self, address: int, consumer: Consumer) -> User:
        """Runs a consumer whenever a tracepoint is reached. Raises TraceError: see `use`."""
        user = User.allocate()
        user.handler, user.consumer = self._handlers.consume, consumer
        self.use(address, user)
        return user

    def use_for_event(self, event: LinuxEvent, record: Event) -> User:
        """Makes entries of an event. Raises TraceError: see `use`."""
        path = f"{event.system}:{event.name}"
        if not event.tracepoint:
            raise TraceError(errno.EOPNOTSUPP, f"{path} has no tracepoint that could be seen from outside; {_INSIDE}")
        user = User.allocate()
        user.handler, user.event = self._handlers.record, record
        try:
            user.probe = self._lifting.probe(event.probe)
        except CannotLift as error:
            raise _refusal(path, error) from None
        self.use(event.tracepoint, user)
        return user

    @staticmethod
    def _link(point: _Point) -> None:
        following: User | None = None
        for user in reversed(point.users):
            user.next = following
            following = user
        point.record.first = following

    def _watch(self, point: _Point) -> CannotLift | None:
        """Watches the places that reach a tracepoint and are not watched yet. Returns why one of them cannot be watched."""
        labels = [label for label in self._lifting.labels(point.address, point.name) if label not in point.looked_at]
        if not labels:
            return None
        point.looked_at.update(labels)
        lifted, failure = self._lifting.sites(point.address, point.name, labels)
        for label, function in lifted.items():
            place = Place.allocate()
            place.ip, place.tracepoint, place.lifted = label, point.record, function
            point.places[label] = place, self._callouts.listen(label, self._handlers.reached, place.address)
        if failure is not None and point.places:
            self._say(point.address, f"the tracepoint {point.name} is not seen everywhere: a part of its code {failure}")
        return failure

    def after_run(self) -> None:
        """Says which tracepoints could not be told."""
        for point in self._points.values():
            if point.record.missed:
                self._say(point.record.address, f"some of the events of {point.name} are lost: {_LOST}")

    def _say(self, about: int, text: str) -> None:
        """Says something once."""
        if about not in self._said:
            self._said.add(about)
            self._warn(text)


class TracepointSource(EventSource):
    """What makes an event of a tracepoint happen.

    Args:
        tracepoints: all.
        event: the event.
        record: the record of an event for native code.
    """

    def __init__(self, tracepoints: Tracepoints, event: LinuxEvent, record: Callable[[EventCall], Event | None]) -> None:
        super().__init__()
        self._tracepoints, self._event, self._record = tracepoints, event, record
        self._user: User | None = None

    def begin(self, file: object) -> None:
        if self._user is None:
            assert isinstance(file, EventFile)
            record = self._record(file.call)
            assert record is not None
            self._user = self._tracepoints.use_for_event(self._event, record)
        super().begin(file)

    def stop(self) -> None:
        if self._user is not None:
            self._tracepoints.drop(self._event.tracepoint, self._user)
            self._user = None


def _refusal(name: str, error: CannotLift) -> TraceError:
    return TraceError(errno.EOPNOTSUPP, f"{name} cannot be seen from outside, because its code {error}; {_INSIDE}")
