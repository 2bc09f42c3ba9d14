# SPDX-License-Identifier: GPL-2.0-only
"""Uprobes on a Linux guest, from outside: before instructions of programs, and where their calls return. Nothing changes.

A probe is at an offset in a file. When a CPU comes to code of a program that it has not executed yet, the kernel's structures say
to which file the page in RAM belongs (native.file_pages). So it does not matter which process maps it, where, and when, or
whether the kernel drops the page and reads it again. Whether that file is the one that a probe means is found by the probe's
path: the directory cache leads from there to the file. A file that was replaced is another file.
"""

from __future__ import annotations

import errno
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from emu.cpu.callouts import Listening
from emu.cpu.cpu import Cpu
from emu.ftrace.arrays.array_records import RecordLists
from emu.ftrace.btf import Btf
from emu.ftrace.errors import TraceError
from emu.ftrace.native import trace_records
from emu.ftrace.native.arch import ProgramProbes
from emu.ftrace.native.guest_records import Guest
from emu.ftrace.native.trace_records import Consumer, Rethook
from emu.ftrace.native.trace_values import BEFORE
from emu.ftrace.native.watched_place_record import WatchedPlace
from emu.ftrace.probes.uprobe_placing import UprobePlace, UprobePlacing
from emu.linux.dcache import Dcache
from emu.linux.native import file_pages
from emu.linux.native.file_pages import FilePageFunctions
from emu.linux.native.file_pages_record import AddressSpace, FilePages, Inode, Page
from emu.linux.symbols import Symbols
from emu.linux.tracing import arch as outside
from emu.linux.tracing.awaited_calls import AwaitedCalls, forget_returns
from emu.linux.tracing.kernel import LinuxKernel
from emu.native.records import GuestRecord, Record, Shape, Words

__all__ = ["WatchedUprobes"]

_LARGEST_FILE = 1 << 44  # bytes: what is beyond has no place in a page's name
_STRUCTURES: dict[str, type[GuestRecord]] = {"page": Page, "address_space": AddressSpace, "inode": Inode}


@dataclass(eq=False)
class _Probe:
    """A probe. `hook`: of one of returns, what acts at the entry."""

    place: UprobePlace
    consumer: Consumer
    record: WatchedPlace
    hook: Rethook | None = None
    enabled: bool = False
    listening: list[Listening] = field(default_factory=list)


class WatchedUprobes(UprobePlacing):
    """All uprobes of a Linux guest. A change takes effect at once.

    Args:
        kernel: the guest's kernel.
        symbols, btf: the kernel's.
        guest: the layout of its structures.
        records: where native code finds what probes share.
        awaited: the calls whose returns are awaited.
        arch: the native code.
    """

    def __init__(
        self,
        kernel: LinuxKernel,
        symbols: Symbols,
        btf: Btf,
        guest: Guest,
        records: RecordLists,
        awaited: AwaitedCalls,
        arch: outside.OutsideTracing,
    ) -> None:
        self._kernel, self._symbols, self._btf, self._guest = kernel, symbols, btf, guest
        self._records, self._awaited, self._arch = records, awaited, arch
        self._callouts = kernel.board.callouts
        self._record = trace_records.Uprobes.allocate()
        self._probes: dict[int, _Probe] = {}
        self._files = FilePages.allocate()
        self._files.meet = kernel.board.python_handler(self._meet)
        self._numbers: dict[tuple[int, int], int] = {}  # of files, by inode and identity

    @cached_property
    def dcache(self) -> Dcache:
        """The files that the guest's kernel knows.

        Raises:
            TraceError: EOPNOTSUPP: its structures are not as expected.
        """
        try:
            return Dcache(self._kernel.memory, self._btf, self._symbols)
        except LookupError as error:
            raise TraceError(errno.EOPNOTSUPP, f"the files of this kernel cannot be found: {error}") from None

    # Probes

    def check(self, place: UprobePlace) -> None:
        """The file need not exist if the kernel may have forgotten that it does. Raises TraceError."""
        if place.ref_ctr_offset:
            raise TraceError(errno.EOPNOTSUPP, "a reference counter would be written to the program's memory: nothing of it is")
        try:
            inode = self.dcache.find(place.path)
        except FileNotFoundError:
            raise TraceError(errno.ENOENT, f"the guest has no file {place.path}") from None
        if inode is not None and not self.dcache.is_regular(inode):
            raise TraceError(errno.EINVAL, f"{place.path} is no regular file of the guest's")

    def add(self, place: UprobePlace, consumer: Consumer, failed: Callable[[int], None]) -> int:
        number = next(n for n in range(len(self._probes) + 1) if n not in self._probes)
        record = WatchedPlace.allocate()
        probe = self._probes[number] = _Probe(place, consumer, record)
        if place.returns:
            probe.hook = Rethook.allocate()
            probe.hook.handler, probe.hook.at_return = self._native.entry, consumer
        record.consumers = acting = probe.hook or consumer
        acting.post = BEFORE
        return number

    def enable(self, number: int, failed: Callable[[int], None]) -> None:
        probe = self._probes[number]
        if probe.enabled:
            return
        inode = self.dcache.file(probe.place.path)
        end = _LARGEST_FILE if inode is None else self.dcache.size(inode)
        if probe.place.offset >= end:
            raise TraceError(errno.EINVAL, f"{probe.place.path} has only {end:,} bytes")
        self._use()
        probe.enabled = True
        self._look_again()

    def disable(self, number: int) -> None:
        probe = self._probes[number]
        if not probe.enabled:
            return
        probe.enabled = False
        self._unlisten(probe)
        if probe.hook is not None:
            self._awaited.drop(probe.hook)
        self._watch_returns()
        if not any(other.enabled for other in self._probes.values()):
            self._forget_programs()
            self._callouts.name_pages(None)

    def remove(self, number: int) -> None:
        if number in self._probes:
            self.disable(number)
            del self._probes[number]

    # The native code

    @cached_property
    def _native(self) -> ProgramProbes:
        return self._arch.program_probes(self._guest)

    @cached_property
    def _pages(self) -> FilePageFunctions:
        shapes: dict[type[Record], Shape] = {
            record: Shape({name: self._btf.offset(f"{struct}.{name}") for name in record.__annotations__})
            for struct, record in _STRUCTURES.items()
        }
        self._files.pages = self.dcache.contents.pages
        return file_pages.build(self._guest.layouts.extended(shapes), self._btf.size("page"))

    def _use(self) -> None:
        """Must be called before a probe acts."""
        self._records.use_registers(outside.probe_registers().words)
        self._awaited.use()
        for array in self._records.arrays:
            array.kprobes.fill_at_site = self._arch.watched_probes(self._guest).fill
            array.returned, array.uprobes = self._arch.returned(), self._record
        self._callouts.name_pages(self._pages.name_page, self._files.address)

    def _watch_returns(self) -> None:
        """Programs' calls return to watched blocks as long as a probe awaits that."""
        awaits = any(probe.enabled and probe.hook is not None for probe in self._probes.values())
        for array in self._records.arrays:
            array.programs_returned = self._native.returned if awaits else None
        if not awaits:
            forget_returns(self._callouts, self._records)

    # Files

    def _look_again(self) -> None:
        """Other probes act, or the guest is in another state: looks which files they mean, and drops translations of those."""
        for probe in self._probes.values():
            self._unlisten(probe)
        file_pages.clear(self._files)
        self._watch_returns()
        self._forget_programs()

    def _forget_programs(self) -> None:
        """CPUs drop translations of code in files that probes mean."""
        for cpu in self._kernel.board.cpus:
            ranges = np.zeros((int(np.count_nonzero(cpu.code_pages.view(np.uint8))), 2), np.uint64)
            count = self._pages.named_pages(cpu.record, Words(ranges.ctypes.data))
            if count:
                cpu.forget(ranges[:count])

    def _meet(self, cpu: Cpu, inode: int) -> None:
        """A program executes a file that was not known yet: are there probes in it?"""
        try:
            identity = self.dcache.identity(inode)
        except LookupError:
            return
        found = {path for path in {probe.place.path for probe in self._probes.values()} if self.dcache.file(path) == inode}
        number = 0
        if found:
            number = self._numbers.setdefault((inode, identity), len(self._numbers) + 1)
            for probe in self._probes.values():
                if probe.enabled and probe.place.path in found:
                    self._listen(probe, number)
        file_pages.put(self._files, inode, identity, number)

    def _listen(self, probe: _Probe, number: int) -> None:
        place = np.array([number * _LARGEST_FILE + probe.place.offset], np.uint64)
        argument = np.array([probe.record.address], np.uint64)
        probe.listening.append(self._callouts.listen_in_programs(place, self._native.at_place, argument))

    def _unlisten(self, probe: _Probe) -> None:
        while probe.listening:
            self._callouts.unlisten(probe.listening.pop())

    def restored(self) -> None:
        """The guest is in another state."""
        if any(probe.enabled for probe in self._probes.values()):
            self._look_again()
