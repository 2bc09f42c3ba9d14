# SPDX-License-Identifier: GPL-2.0-only
"""The events of emu's own kernel and of its loaded modules, besides the host's own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from emu.cpu.native import cpu_records
from emu.ftrace.arrays.array_records import RecordLists
from emu.ftrace.event.call import EventCall
from emu.ftrace.event.catalogue import PROBE_DEPTH, Catalogue
from emu.ftrace.event.evals import Eval
from emu.ftrace.event.image_events import EventReader, GuestEvents
from emu.ftrace.event.syscalls import SyscallEvents, syscall_events
from emu.ftrace.native.trace_records import Stages
from emu.kernel.image import BadImage, Image
from emu.kernel.memory import GuestMemory
from emu.kernel.modules import BadModule, Module
from emu.kernel.work import Work
from emu.native.records import Values, u64

__all__ = ["GuestCatalogue"]

_OF_IMAGES: WeakKeyDictionary[Image, tuple[GuestEvents, Sequence[SyscallEvents]]] = WeakKeyDictionary()


class GuestCatalogue(Catalogue):
    """The events that emu's own kernel declares in its image and its modules.

    Args:
        memory: the guest's memory, with its image loaded. The numbers are written to its struct trace_event_call.
        records: the records of all trace arrays, through which native code finds the events.
        work: calls functions of the guest that events need.
        log: gets a line of the guest kernel's log when no number is left.
        put_made: see Catalogue.

    Raises:
        BadImage: the image's tables of events are inconsistent.
    """

    def __init__(
        self,
        memory: GuestMemory,
        records: RecordLists,
        work: Work,
        log: Callable[[str], None],
        put_made: Callable[[], Callable[[cpu_records.Cpu, Stages], None]],
    ) -> None:
        super().__init__(records, put_made, swapped=memory.swapped)
        self._memory = memory
        self._work = work
        self._log = log
        self._evals: dict[str, Sequence[Eval]] = {}  # by module
        found, syscalls = self._of_image()
        self.add(found)
        self._by_syscall = [
            self._add_syscalls(syscalls, "sys_enter", SyscallEvents.enter),
            self._add_syscalls(syscalls, "sys_exit", SyscallEvents.exit),
        ]

    def _of_image(self) -> tuple[GuestEvents, Sequence[SyscallEvents]]:
        """The events of the image, and of its system calls. They are read once."""
        image = self._memory.image
        if image not in _OF_IMAGES:
            try:
                reader = EventReader(self._memory, self._image_table("ftrace_eval_maps"))
                found = reader.read(self._image_table("ftrace_events"))
                self._check_names(found)
                _OF_IMAGES[image] = found, list(syscall_events(self._memory))
            except (ValueError, LookupError) as error:
                raise BadImage(f"{image.path}: {error}") from None
        return _OF_IMAGES[image]

    def _add_syscalls(
        self, syscalls: Sequence[SyscallEvents], name: str, make: Callable[[SyscallEvents, int, int], EventCall]
    ) -> NDArray[np.uint64]:
        """Adds the system call events made by an event of raw_syscalls. Returns native code's table of them."""
        raw = self.find("raw_syscalls", name)
        numbers = [number for of_call in syscalls for number in of_call.numbers]
        table = np.zeros(max(numbers, default=0) + 1, np.uint64)
        if raw is None:
            return table
        for of_call in syscalls:
            number = self._free_number()
            assert number is not None
            call = make(of_call, number, raw.key)
            self._put_recorded(call, depth=PROBE_DEPTH)
            table[list(of_call.numbers)] = number
        record = self.record(raw)
        assert record is not None
        record.by_syscall, record.syscalls = Values[u64](table.ctypes.data), len(table)
        return table

    def _image_table(self, name: str) -> list[int]:
        """A table of pointers in the image."""
        start, stop = (self._memory.image.symbol(f"__{end}_{name}") for end in ("start", "stop"))
        return self._memory.words(start, (stop - start) // 8)

    def syscall_name(self, number: int) -> str | None:
        table = self._by_syscall[0]
        call = self._calls.get(int(table[number])) if number < len(table) else None
        return call.name.replace("sys_enter_", "sys_", 1) if call else None

    def evals(self) -> Iterator[Eval]:
        """The symbolic numbers in the declarations of the guest's events: the kernel's, then those of each module."""
        return chain.from_iterable(self._evals.values())

    # Adding and removing

    def read(self, module: Module) -> GuestEvents:
        """The events of a module that is being loaded, for `add`.

        Raises:
            BadModule, LookupError: the module's tables of events are inconsistent.
        """
        try:
            reader = EventReader(self._memory, module.trace_evals, module.name)
            found = reader.read(module.trace_events)
            self._check_names(found)
        except ValueError as error:
            raise BadModule(str(error)) from None
        return found

    def _check_names(self, found: GuestEvents) -> None:
        names = set()
        for event in found.events:
            if (event.system, event.name) in names or self.find(event.system, event.name):
                raise ValueError(f"there are two events {event.system}:{event.name}")
            names.add((event.system, event.name))

    def add(self, found: GuestEvents) -> None:
        """Assigns numbers to events of the guest, and adds them."""
        self._evals[found.module] = found.evals
        for event in found.events:
            number = self._free_number()
            if number is None:
                self._log(f"tracing: no number is left for the event {event.system}:{event.name}")
                continue
            call = event.call(number, self._work)
            self._memory.set_member(event.address, "trace_event_call.id", number)
            self._put_recorded(call, swapped=self._memory.swapped)

    def remove(self, module: str) -> list[EventCall]:
        self._evals.pop(module, None)
        return super().remove(module)
