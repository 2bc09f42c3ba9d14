# SPDX-License-Identifier: GPL-2.0-only
"""The places of kprobes: the records for native code, the copies of instructions, and the breakpoints."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from emu.ftrace.arch import FtraceArch
from emu.ftrace.arrays.array_records import RecordLists
from emu.ftrace.native import probes, trace_records
from emu.ftrace.native.guest_records import Guest
from emu.ftrace.native.kprobe_record import Kprobe
from emu.ftrace.native.trace_records import Consumer, link
from emu.ftrace.probes.placing import ProbePlace
from emu.ftrace.sites.patching import Patch
from emu.ftrace.sites.trampolines import Trampolines
from emu.kernel.kernel import Kernel
from emu.native.records import Words

__all__ = ["PlacedProbe", "ProbePoint", "ProbePoints"]


@dataclass(eq=False)
class ProbePoint:
    """A probed address.

    Attributes:
        address: the instruction's address, or that of the function that begins there.
        site: the call site that serves the point; None if a breakpoint does.
        instruction: the instruction that the breakpoint replaces.
        copy: the address of its copy; at a site, the address to which the CPU jumps for the guest's probes; 0 if there is none.
        stepping: whether the copy reports its execution to the guest.
        says_where: at a site: a consumer that stores where the CPU is.
        record: at a breakpoint: the record for native code.
        probes: newest first, as in Linux.
        armed: whether the breakpoint is in place.
    """

    address: int
    site: int | None
    instruction: bytes
    copy: int
    says_where: Consumer | None = None
    record: Kprobe | None = None
    probes: list[PlacedProbe] = field(default_factory=list)
    armed: bool = False
    stepping: bool = False


@dataclass(eq=False)
class PlacedProbe:
    """One consumer at a place. It has no point while its module is not loaded."""

    place: ProbePlace
    consumer: Consumer
    kind: str  # as in kprobes/list
    point: ProbePoint | None = None
    gone_from: int | None = None  # its place in a module that is gone
    of_guest: bool = False  # whether the guest calls its handlers


class ProbePoints:
    """All probed addresses of a machine.

    Attributes:
        enabled: whether probes are armed.
    """

    def __init__(
        self, kernel: Kernel, arch: FtraceArch, guest: Guest, records: RecordLists, trampolines: Trampolines
    ) -> None:
        self._kernel, self._arch, self._guest = kernel, arch, guest
        self._records, self._trampolines = records, trampolines
        self.enabled = True
        self._by_place: dict[tuple[int, bool], ProbePoint] = {}  # by address, and whether a call site serves it
        self._record = trace_records.Kprobes.allocate()
        self._saved_offsets = np.zeros(0, np.uint64)
        self._stale = False  # the table lacks a breakpoint that is not in place yet
        self._tabulate()
        for array in records.arrays:
            array.kprobes = self._record

    def __iter__(self) -> Iterator[ProbePoint]:
        return iter(self._by_place.values())

    def __contains__(self, address: int) -> bool:
        return any((address, at_site) in self._by_place for at_site in (False, True))

    def at(self, address: int, at_site: bool) -> ProbePoint | None:
        """The point at an address. `at_site`: whether a call site serves it."""
        return self._by_place.get((address, at_site))

    def add(self, point: ProbePoint) -> None:
        """Adds a point. Native code learns of it with the next update."""
        self._by_place[point.address, point.site is not None] = point
        self._stale = True

    def replaced(self) -> Mapping[int, bytes]:
        """The instructions that breakpoints replace, did replace or will replace."""
        return {point.address: point.instruction for point in self if point.site is None}

    def at_site(self, site: int | None, address: int) -> ProbePoint:
        says_where = Consumer.allocate()
        says_where.handler = self._arch.probe_callbacks(self._guest).say_where
        says_where.target = address
        return ProbePoint(address, site, b"", 0, says_where=says_where)

    def at_breakpoint(self, instruction: bytes, address: int) -> ProbePoint:
        record = Kprobe.allocate()
        record.instruction = int.from_bytes(instruction[:8], self._arch.cpu.byte_order)
        return ProbePoint(address, None, instruction, 0, record=record)

    def let_guest_know(self, point: ProbePoint) -> None:
        """Gives a point the code that runs there for the guest's probes. Raises TraceError: ENOMEM, and changes nothing."""
        if point.stepping:
            return
        probing = self._arch.probing()
        if point.site is None:
            self.put_copy(point, probing.stepping_copy)
        else:
            behind = point.site + len(self._arch.nop)
            self.put_copy(point, lambda instruction, address, place: probing.detour(behind, place))
        point.stepping = True

    def put_copy(self, point: ProbePoint, copy: Callable[[bytes, int, int | None], bytes]) -> None:
        """Allocates the copy. Native code learns of it with the next update, when the copy exists. `copy`: as `Probing.copy`."""
        if size := len(copy(point.instruction, point.address, None)):
            place = self._trampolines.allocate(size, stands_for=point.address)
            self._trampolines.write(place, copy(point.instruction, point.address, place))
            point.copy = place

    def use(self) -> None:
        """Must be called before the first probe is placed."""
        if not len(self._saved_offsets):
            probing, callbacks = self._arch.probing(), self._arch.probe_callbacks(self._guest)
            self._records.use_registers(probing.registers.words)
            self._saved_offsets = np.array(probing.saved_offsets(self._kernel.image), np.uint64)
            self._record.saved_offsets = Words(self._saved_offsets.ctypes.data)
            self._record.fill_at_breakpoint = callbacks.fill_at_breakpoint
            self._record.fill_at_site = callbacks.fill_at_site
            self._record.write_at_site = callbacks.write_at_site

    def chain(self, point: ProbePoint) -> None:
        """Makes the consumers of a breakpoint known to native code. For those at sites, `chains` does it."""
        if point.record is not None:
            point.record.consumers = link([one.consumer for one in point.probes if not one.of_guest] if self.enabled else [])

    def _tabulate(self) -> None:
        """Makes the present and future breakpoints known to native code."""
        self._stale = False
        start = self._kernel.board.arch.kernel_map
        records = {point.address - start: point.record.address for point in self if point.record is not None}
        self._table = probes.table_of(np.array(list(records), np.uint64), np.array(list(records.values()), np.uint64))
        self._record.table = self._table

    # The interface of patching (sites.site_updates)

    def without_breakpoints(self, start: int, code: bytes) -> bytes:
        """Code that was read from an address on, with the original instructions in place of breakpoints."""
        restored = bytearray(code)
        for point in self:
            at = point.address - start
            if point.site is None and 0 <= at <= len(code) - len(point.instruction):
                restored[at : at + len(point.instruction)] = point.instruction
        return bytes(restored)

    def _is_wanted(self, point: ProbePoint) -> bool:
        return self.enabled and bool(point.probes)

    def to_turn(self) -> Sequence[int]:
        """The addresses at which breakpoints must be set or removed."""
        self.drop(point for point in self if not (point.probes or point.armed))
        turned = []
        for point in self:
            if point.record is None:
                continue
            if (old := point.record.copy) != point.copy:
                point.record.copy = point.copy
                if old:
                    self._trampolines.release(old)
            if self._is_wanted(point) != point.armed:
                turned.append(point.address)
        return turned

    def patches(self, addresses: Iterable[int]) -> Sequence[Patch]:
        """The patches for these addresses."""
        found = []
        for address in addresses:
            point, breakpoint = self._by_place[address, False], self._arch.probing().breakpoint
            compiled = point.instruction[: len(breakpoint)]
            old, new = (breakpoint, compiled) if point.armed else (compiled, breakpoint)
            found.append(Patch(address, old, new))
        return found

    def turned(self, addresses: Iterable[int]) -> None:
        """Records, after the last patch, that these breakpoints have been set or removed."""
        for address in addresses:
            if (point := self._by_place.get((address, False))) is not None:
                point.armed = not point.armed

    def drop(self, points: Iterable[ProbePoint]) -> None:
        """Drops points that no CPU can reach any more, except for tasks in a copy."""
        gone = list(points)
        for point in gone:
            del self._by_place[point.address, point.site is not None]
            copies = {point.copy, point.record.copy if point.record else 0}
            for copy in copies - {0}:
                self._trampolines.release(copy)
        if gone or self._stale:
            self._tabulate()
