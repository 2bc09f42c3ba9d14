# SPDX-License-Identifier: GPL-2.0-only
"""Makes the events of system calls: raw_syscalls:sys_enter and sys_exit, and those that each call has."""

from __future__ import annotations

import errno
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np

from emu.ftrace.errors import TraceError
from emu.ftrace.event.files import EventFile
from emu.ftrace.event.source import EventSource
from emu.ftrace.event.syscalls import string_field
from emu.ftrace.native.guest_records import Guest
from emu.ftrace.native.syscall_record import ANY, FIRST, SECOND, OfSyscall, SyscallPlace, Syscalls
from emu.linux.image import Kernel
from emu.linux.symbols import Symbols
from emu.linux.tracing import arch as outside
from emu.linux.tracing.kernel import LinuxKernel
from emu.native.records import HOST, Records

if TYPE_CHECKING:
    from collections.abc import Callable

    from emu.cpu.listeners import Listening
    from emu.ftrace.event.call import EventCall
    from emu.ftrace.native.trace_records import Event

__all__ = ["SyscallSources", "Way"]

_LIMIT = 1024  # system calls have lower numbers
Way = Literal["enter", "exit"]


class SyscallSources:
    """The sources of all events of system calls.

    Args:
        guest_kernel: the guest's kernel.
        kernel, symbols: its image.
        guest: the layout of its structures.
        native: the native code for it.
    """

    def __init__(
        self, guest_kernel: LinuxKernel, kernel: Kernel, symbols: Symbols, guest: Guest, native: outside.OutsideTracing
    ) -> None:
        self._board, self._kernel, self._symbols = guest_kernel.board, kernel, symbols
        self._guest, self._native = guest, native
        self._calls = np.zeros(_LIMIT * HOST.size(OfSyscall) // 8, np.uint64)
        self._record = Syscalls.allocate()
        self._record.calls, self._record.count = Records[OfSyscall](self._calls.ctypes.data), _LIMIT
        self._string_size = 0
        self._users: dict[Way, dict[int | None, Event]] = {"enter": {}, "exit": {}}  # by number; None: raw_syscalls
        self._listening: dict[Way, list[Listening]] = {"enter": [], "exit": []}

    def source(self, way: Way, number: int | None, record: Callable[[EventCall], Event | None]) -> EventSource:
        """The source of an event.

        Args:
            number: its system call's; None for raw_syscalls.
            record: the record of an event for native code.
        """
        return _SyscallSource(self, way, number, record)

    @cached_property
    def _places(self) -> dict[Way, list[SyscallPlace]]:
        """Where to listen.

        Raises:
            TraceError: EOPNOTSUPP: the kernel's code is not as expected.
        """
        enters = outside.enter_places(self._kernel, self._symbols)
        leaves = self._symbols.address(outside.LEAVES)
        if not enters or leaves is None:
            why = "it is not known where this kernel's system calls begin and end"
            raise TraceError(errno.EOPNOTSUPP, f"events of system calls cannot be recorded from outside: {why}")
        has_first = any(place.is_first for place in enters)
        kinds = {True: FIRST, False: SECOND if has_first else ANY}
        return {
            "enter": [self._place(place.address, kinds[place.is_first], place.register) for place in enters],
            "exit": [self._place(leaves, ANY, 0)],
        }

    def _place(self, address: int, kind: int, register: int) -> SyscallPlace:
        place = SyscallPlace.allocate()
        place.syscalls, place.code, place.kind, place.register = self._record, address, kind, register
        return place

    @property
    def string_size(self) -> int:
        """The most characters of an argument's string that are recorded; 0: no strings are."""
        return self._string_size

    @string_size.setter
    def string_size(self, size: int) -> None:
        relisten = bool(size) != bool(self._string_size)
        self._string_size = self._record.string_size = size
        if relisten and self._users["enter"]:
            self._unlisten("enter")
            self._listen("enter")

    def use(self, way: Way, number: int | None, event: Event, call: EventCall) -> None:
        """An event is used from now on. Raises TraceError: EOPNOTSUPP."""
        users = self._users[way]
        if not users:
            self._listen(way)
        users[number] = event
        self._set(way, number, event)
        if way == "enter" and number is not None:
            arguments = [field.name for field in call.fields[1:] if not field.is_dynamic]
            names = {field.name for field in call.fields if field.is_dynamic}
            of_call = self._record.calls[number]
            of_call.arguments = len(arguments)
            of_call.strings = sum(1 << n for n, name in enumerate(arguments) if string_field(name) in names)
        if number is None:
            self._set_last(way, len(users) > 1)
        elif None not in users:
            self._set_last(way, False)

    def leave(self, way: Way, number: int | None) -> None:
        """An event is not used any longer."""
        users = self._users[way]
        users.pop(number, None)
        self._set(way, number, None)
        if not users:
            self._unlisten(way)

    def _listen(self, way: Way) -> None:
        places = self._places[way]
        callbacks = self._native.syscalls(self._guest, self._string_size > 0)
        function = callbacks.enter if way == "enter" else callbacks.leave
        self._listening[way] = [self._board.callouts.listen(place.code, function, place.address) for place in places]

    def _unlisten(self, way: Way) -> None:
        for listening in self._listening[way]:
            self._board.callouts.unlisten(listening)
        self._listening[way] = []

    def _set(self, way: Way, number: int | None, event: Event | None) -> None:
        if number is None and way == "enter":
            self._record.raw_enter = event
        elif number is None:
            self._record.raw_exit = event
        elif way == "enter":
            self._record.calls[number].enter = event
        else:
            self._record.calls[number].exit = event

    def _set_last(self, way: Way, last: bool) -> None:
        """As in Linux, whichever of the two kinds is used first is recorded first."""
        if way == "enter":
            self._record.raw_enter_last = last
        else:
            self._record.raw_exit_last = last


class _SyscallSource(EventSource):
    """The source of one event."""

    def __init__(
        self, shared: SyscallSources, way: Way, number: int | None, record: Callable[[EventCall], Event | None]
    ) -> None:
        super().__init__()
        self._shared, self._way, self._number, self._record_of = shared, way, number, record
        self._call: EventCall | None = None

    def begin(self, file: object) -> None:
        assert isinstance(file, EventFile)
        self._call = file.call
        super().begin(file)

    def start(self) -> None:
        assert self._call is not None
        event = self._record_of(self._call)
        assert event is not None
        self._shared.use(self._way, self._number, event, self._call)

    def stop(self) -> None:
        self._shared.leave(self._way, self._number)
