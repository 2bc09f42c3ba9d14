# SPDX-License-Identifier: GPL-2.0-only
"""The tracepoints of a Linux guest, from outside.

A tracepoint is a nop. A CPU that comes to it calls the host, which evaluates what the kernel would call there, and with which
arguments (emu.linux.lift). For an event, that is the kernel's own function that stores the event's fields. Nothing is lifted
before somebody uses the tracepoint.
"""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property

import llvmlite.ir as ir
import numpy as np

from emu.cpu.callouts import Listening
from emu.ftrace.arch.probing import ProbeRegisters
from emu.ftrace.arrays.array_records import RecordLists
from emu.ftrace.errors import TraceError
from emu.ftrace.event.call import EventCall
from emu.ftrace.event.files import EventFile
from emu.ftrace.event.source import EventSource
from emu.ftrace.native.trace_records import Consumer, Event
from emu.linux.btf import Btf
from emu.linux.image import Kernel
from emu.linux.lift import arch, native
from emu.linux.lift.area import Area, place
from emu.linux.lift.code import Code
from emu.linux.lift.compiled import Compiler
from emu.linux.lift.jump_labels import JumpLabels
from emu.linux.lift.memory import Memory
from emu.linux.lift.reasons import CannotLift, NoCall, Target
from emu.linux.lift.records import Lifted, Place, Tracepoint, User
from emu.linux.lift.told import Handlers, build
from emu.linux.modules import Module
from emu.linux.structures import Structures
from emu.linux.symbols import Symbols
from emu.linux.tracing.events.reader import LinuxEvent
from emu.linux.tracing.kernel import LinuxKernel

__all__ = ["TracepointSource", "Tracepoints"]

_INSIDE = "the guest's own tracefs has it"
# Tracepoints that are behind another static key: events of page faults, and of a reschedule
_BEHIND = {
    "page_fault_user": "trace_pagefault_key", "page_fault_kernel": "trace_pagefault_key",
    "reschedule_entry": "trace_resched_ipi_key", "reschedule_exit": "trace_resched_ipi_key",
}  # fmt: skip


@dataclass
class _Point:
    """A tracepoint that somebody uses.

    Attributes:
        address: of its struct tracepoint.
        record: native code's.
        users: those who use it, in the order in which they came.
        places: where it is reached, for native code.
        looked_at: the jump labels that have been tried.
    """

    address: int
    name: str
    record: Tracepoint
    users: list[User] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)
    listening: list[Listening] = field(default_factory=list)
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
        self._kernel, self._linux, self._symbols, self._btf, self._records = kernel, linux, symbols, btf, records
        self._registers, self._warn = registers, warn
        self._points: dict[int, _Point] = {}
        self._modules: dict[str, Module] = {}
        self._probes: dict[int, Lifted] = {}  # the lifted functions of events, by the addresses of the kernel's
        self._said: set[int] = set()

    # What is needed when a tracepoint is used

    @cached_property
    def _labels(self) -> JumpLabels:
        found = JumpLabels(self._kernel, self._symbols, self._btf, self._linux.memory)
        for module in self._modules.values():
            found.module_came(module)
        return found

    @cached_property
    def _area(self) -> Area:
        area = Area.allocate()
        area.function[1] = place(area, "file")
        return area

    @cached_property
    def _memory(self) -> Memory:
        return Memory(self._linux.memory, self._records.top, self._area, native.build())

    @cached_property
    def _compiler(self) -> Compiler:
        return Compiler()

    @cached_property
    def _handlers(self) -> Handlers:
        names = self._registers().names
        return build(tuple(names[name] for name in arch.ARGUMENTS))

    @cached_property
    def _preempt_count(self) -> int:
        return Structures(self._btf, self._symbols).per_cpu.preempt_count

    def _lifter(self, always: Iterable[int] = ()) -> arch.Lifter:
        code = Code(self._kernel, self._linux.memory, self._function, self._labels.targets, frozenset(always))
        return arch.Lifter(code, self._memory, self._preempt_count)

    def _function(self, address: int) -> tuple[str, int, int] | None:
        """The name of the function at an address, the offset in it, and its size."""
        found = self._symbols.function(address)
        for module in self._modules.values() if found is None else ():
            if (known := module.at(address)) is not None:
                name, offset = known
                return name, offset, module.end_of(address) - address + offset
        return found

    # Modules

    def module_came(self, module: Module) -> None:
        """A module is being loaded, or was there when tracing began."""
        self._modules[module.name] = module
        if "_labels" in self.__dict__:
            self._labels.module_came(module)
            for point in self._points.values():
                self._watch(point)

    def module_gone(self, name: str) -> None:
        module = self._modules.pop(name, None)
        if "_labels" in self.__dict__:
            self._labels.module_gone(name)
        if module is not None:
            self._probes = {probe: lifted for probe, lifted in self._probes.items() if probe not in module.text}
            for point in self._points.values():
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
            record.area, record.fill = self._area, self._handlers.fill
            point = _Point(address, self._tracepoint_name(address), record)
            self._watch(point)
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
            for listening in point.listening:
                self._linux.board.callouts.unlisten(listening)
            del self._points[address]

    def use_by(self, address: int, consumer: Consumer) -> User:
        """Runs a consumer whenever a tracepoint is reached. Raises TraceError: see `use`."""
        user = User.allocate()
        user.handler, user.consumer = self._handlers.consume, consumer
        self.use(address, user)
        return user

    def use_for_event(self, event: LinuxEvent, record: Event) -> User:
        """Makes entries of an event. Raises TraceError: see `use`."""
        user = User.allocate()
        if not event.tracepoint:
            raise TraceError(errno.EOPNOTSUPP, f"{event.system}:{event.name} has no tracepoint that could be seen; {_INSIDE}")
        user.handler, user.event = self._handlers.record, record
        user.probe = self._probe(event)
        self.use(event.tracepoint, user)
        return user

    @staticmethod
    def _link(point: _Point) -> None:
        following: User | None = None
        for user in reversed(point.users):
            user.next = following
            following = user
        point.record.first = following

    def _tracepoint_name(self, address: int) -> str:
        memory = self._linux.memory
        return memory.string(memory.word(address + self._btf.offset("tracepoint.name")))

    # Lifting

    def _probe(self, event: LinuxEvent) -> Lifted:
        """The lifted function that stores an event's entry."""
        if event.probe not in self._probes:
            try:
                module = self._lifter().probe("probe", event.probe)
            except CannotLift as error:
                raise _refusal(f"{event.system}:{event.name}", error) from None
            self._probes[event.probe] = self._compiler.compile([module], ["probe"])[0]
        return self._probes[event.probe]

    def _watch(self, point: _Point) -> None:
        """Watches the places of a tracepoint that are not watched yet.

        Raises:
            TraceError: EOPNOTSUPP, there is none that can be lifted.
        """
        own = self._labels.of_key(point.address + self._btf.offset("tracepoint.key"))
        hook = self._symbols.address(_BEHIND.get(point.name, ""))
        behind = [] if hook is None else self._labels.of_key(hook)
        labels = [label for label in (behind or own) if label not in point.looked_at]
        point.looked_at.update(labels)
        lifter, target = self._lifter([*own, *behind]), self._target(point)
        lifted: dict[int, ir.Module] = {}
        failures: list[CannotLift] = []
        for label in labels:
            try:
                lifted[label] = lifter.site(f"site_{label:x}", label, target)
            except NoCall:
                continue  # the kernel asks there whether somebody uses the tracepoint
            except CannotLift as error:
                failures.append(error)
        for label in lifter.passed:
            lifted.pop(label, None)  # it is reached from another one
        if not lifted and not point.places and labels:
            raise _refusal(f"the tracepoint {point.name}", failures[0] if failures else CannotLift("is reached nowhere"))
        if failures:
            self._warn_once(point.address, f"the tracepoint {point.name} is not seen everywhere: a part of its code {failures[0]}")
        if lifted:
            self._listen(point, list(lifted), self._compiler.compile(list(lifted.values()), [f"site_{label:x}" for label in lifted]))

    def _target(self, point: _Point) -> Target:
        names = (f"__SCT__tp_func_{point.name}", f"__traceiter_{point.name}", f"trace_event_raw_event_{point.name}")
        functions = frozenset(address for name in names if (address := self._linux.symbols.address(name)) is not None)
        prototype = self._btf.prototype(f"btf_trace_{point.name}")
        arguments = 0 if prototype is None else len(prototype.parameters)
        funcs = point.address + self._btf.offset("tracepoint.funcs")
        return Target(functions, max(arguments - len(arch.ARGUMENTS), 0), funcs)

    def _listen(self, point: _Point, labels: list[int], lifted: list[Lifted]) -> None:
        """Calls lifted functions where the jump labels are."""
        for label, function in zip(labels, lifted, strict=True):
            new = Place.allocate()
            new.ip, new.tracepoint, new.lifted = label, point.record, function
            point.places.append(new)
        arguments = np.array([new.address for new in point.places[-len(lifted) :]], np.uint64)
        callouts = self._linux.board.callouts
        point.listening.append(callouts.listen_all(np.array(labels, np.uint64), self._handlers.reached, arguments))

    def after_run(self) -> None:
        """Says which tracepoints could not be told."""
        for point in self._points.values():
            if point.record.missed:
                self._warn_once(point.record.address, f"the tracepoint {point.name} was reached when memory was not there: some are lost")

    def _warn_once(self, about: int, text: str) -> None:
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
