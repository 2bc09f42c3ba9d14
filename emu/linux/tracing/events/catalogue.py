# SPDX-License-Identifier: GPL-2.0-only
"""The events of a Linux guest's kernel and of its modules, besides the host's own."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Protocol

from emu.cpu.native import cpu_records
from emu.ftrace.arrays.array_records import RecordLists
from emu.ftrace.event.call import EventCall, EventKind
from emu.ftrace.event.catalogue import PROBE_DEPTH, Catalogue
from emu.ftrace.event.internal import VALUED_EVENTS
from emu.ftrace.event.source import EventSource
from emu.ftrace.native.trace_records import EventFile, Stages
from emu.linux.modules import Module
from emu.linux.tracing.events.reader import LinuxEvent
from emu.linux.tracing.events.syscall_source import Way
from emu.linux.tracing.events.syscalls import LinuxSyscall, strings_of
from emu.linux.tracing.events.tables import EventTables

__all__ = ["LinuxCatalogue", "Sources"]

_OF_SYSCALLS = "syscalls"  # the system of system calls' own events
_FIRST_OWN = 1 << 14  # the first number of events that are defined outside: guests have fewer events of their own


class Sources(Protocol):
    """What makes the guest's events happen outside."""

    def source(self, event: LinuxEvent) -> EventSource:
        """The source of an event's entries. Its `begin` gets the EventFile, which has the EventCall; it raises TraceError if the
        entries cannot be made."""

    def of_syscall(self, way: Way, number: int) -> EventSource:
        """The same for an event of the system call with this number."""


class LinuxCatalogue(Catalogue):
    """The events that a Linux declares. They are read when somebody looks for one that is not the host's own.

    The guest's events have the guest's numbers. Events that are defined outside have higher ones.

    Args:
        records: the records of all trace arrays, through which native code finds the events.
        put_made: see Catalogue.
        tables: where the events are declared.
        sources: what makes them happen.
        warn: called with a sentence if events cannot be read.
    """

    lacking: Mapping[str, frozenset[str]] = {}  # what the guest does not have does not exist

    def __init__(
        self,
        records: RecordLists,
        put_made: Callable[[], Callable[[cpu_records.Cpu, Stages], None]],
        tables: EventTables,
        sources: Sources,
        warn: Callable[[str], None],
    ) -> None:
        super().__init__(records, put_made, internal=VALUED_EVENTS)
        self._next_number = _FIRST_OWN
        self._tables, self._sources, self._warn = tables, sources, warn
        self._modules: dict[str, Module] = {}
        self._is_read = False
        self._with_strings = False
        self._syscalls: Mapping[int, LinuxSyscall] = {}
        self._by_syscall: dict[int, str] = {}  # the names of system calls' functions

    # Looking up

    def __getitem__(self, number: int) -> EventCall:
        if number not in self._calls:
            self._read()
        return super().__getitem__(number)

    def __iter__(self) -> Iterator[int]:
        self._read()
        return super().__iter__()

    def __len__(self) -> int:
        self._read()
        return super().__len__()

    def systems(self) -> list[str]:
        self._read()
        return super().systems()

    def named(self, system: str) -> Mapping[str, EventCall]:
        if system not in self._named:
            self._read()
        return super().named(system)

    def syscall_name(self, number: int) -> str | None:
        self._read()
        return self._by_syscall.get(number)

    def add_file(self, call: EventCall, file: EventFile) -> None:
        if call.source is not None:
            self.use_made_events()
        super().add_file(call, file)

    # Strings of system calls' arguments

    @property
    def calls_with_strings(self) -> Sequence[EventCall]:
        """The events sys_enter_NAME of the system calls whose arguments have strings."""
        self._read()
        return [call for name, call in self.named(_OF_SYSCALLS).items() if name in self._with_strings_by_name]

    @cached_property
    def _with_strings_by_name(self) -> Mapping[str, LinuxSyscall]:
        """The system calls whose arguments have strings, by the names of their events sys_enter_NAME."""
        found = (call for call in self._syscalls.values() if strings_of(call.events))
        return {call.events.name.replace("sys_", "sys_enter_", 1): call for call in found}

    def show_strings(self, on: bool) -> list[EventCall]:
        """The entries of these events have the strings, or have them no longer. Returns the events that are replaced."""
        gone = [*self.calls_with_strings] if on != self._with_strings else []
        self._with_strings = on
        for call in gone:
            self._forget(call)
            self._add_enter(self._with_strings_by_name[call.name], call.number)
        return gone

    def _add_enter(self, syscall: LinuxSyscall, number: int) -> None:
        events = syscall.events
        call = events.enter(number, 0, strings_of(events) if self._with_strings else ())
        source = self._sources.of_syscall("enter", events.numbers[-1])
        self._put_recorded(dataclasses.replace(call, source=source), depth=PROBE_DEPTH)

    # Modules

    def module_came(self, module: Module) -> None:
        """A module is being loaded, or was there when tracing began."""
        self._modules[module.name] = module
        if self._is_read:
            self._add_module(module)

    def remove(self, module: str) -> list[EventCall]:
        self._modules.pop(module, None)
        return super().remove(module)

    # Reading

    def _read(self) -> None:
        """Reads all events, once."""
        if self._is_read:
            return
        self._is_read = True
        try:
            self._syscalls = self._tables.syscalls()
        except LookupError as error:
            self._warn(f"the kernel's system calls cannot be read: {error}")
        for call in self._syscalls.values():
            self._by_syscall.update(dict.fromkeys(call.events.numbers, call.events.name))
        self._add_all(self._tables.of_kernel, self._syscalls, registered=self._tables.has_booted)
        for module in self._modules.values():
            self._add_module(module)

    def _add_module(self, module: Module) -> None:
        self._add_all(lambda: self._tables.of_module(module), {}, registered=False)

    def _add_all(
        self, read: Callable[[], Iterable[LinuxEvent]], syscalls: Mapping[int, LinuxSyscall], *, registered: bool
    ) -> None:
        """Adds events. `registered`: those without a number do not exist. Otherwise they get the one that the guest will give."""
        try:
            for event in read():
                call = syscalls.get(event.address)
                if call is None and event.system == _OF_SYSCALLS:
                    continue  # it has no number on this machine
                number = event.number or (0 if registered else self._lowest_free())
                if number in self._calls or self.find(event.system, event.name) is not None:
                    raise LookupError(f"there are two events {event.system}:{event.name}, or with the number {number}")
                if number:
                    self._add(event, number, call)
        except LookupError as error:
            self._warn(f"the guest's events cannot be read: {error}")

    def _lowest_free(self) -> int:
        number = self._tables.first_number
        while number in self._calls:
            number += 1
        return number

    def _add(self, event: LinuxEvent, number: int, syscall: LinuxSyscall | None) -> None:
        if syscall is not None:
            if event.address == syscall.enter:
                self._add_enter(syscall, number)
            else:
                source = self._sources.of_syscall("exit", syscall.events.numbers[-1])
                self._put_recorded(dataclasses.replace(syscall.events.exit(number, 0), source=source), depth=PROBE_DEPTH)
            return
        call = EventCall(
            event.system, event.name, number, event.fields, event.print_fmt, event.size, EventKind.TRACEPOINT,
            module=event.module, source=self._sources.source(event),
        )  # fmt: skip
        self._put_recorded(call)
