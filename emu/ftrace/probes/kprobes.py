# SPDX-License-Identifier: GPL-2.0-only
"""Kprobes: something happens when a CPU comes to an instruction of the kernel, or of a module.

At the beginning of a function that has a call site, the site calls, as for a tracer. Everywhere else a breakpoint replaces the
instruction, and a copy of it is executed elsewhere. An instruction that has been probed keeps its breakpoint and its copy until
the change that takes them away is complete: without consumers nothing happens there, and CPUs go on behind it.
"""

from __future__ import annotations

import errno
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from operator import itemgetter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from emu.ftrace.arch import FtraceArch
from emu.ftrace.arrays.array_records import RecordLists
from emu.ftrace.errors import TraceError
from emu.ftrace.native import probes, trace_records
from emu.ftrace.native.guest_records import Guest
from emu.ftrace.native.kprobe_record import Kprobe
from emu.ftrace.native.trace_records import Consumer, link
from emu.ftrace.native.trace_values import BEFORE, REMOVED
from emu.ftrace.probes.places import ProbedFunction, ProbePlace, ProbePlaces
from emu.ftrace.probes.rethooks import Rethooks
from emu.ftrace.sites.call_sites import Sites
from emu.ftrace.sites.filters import Functions, SiteMask
from emu.ftrace.sites.keys import Keys
from emu.ftrace.sites.patching import Patch
from emu.ftrace.sites.trampolines import Trampolines
from emu.kernel.kernel import Kernel
from emu.kernel.modules import Module
from emu.native.records import Words

__all__ = ["Kprobes", "ListedProbe"]

_INSTRUCTION, _RETURN = "k", "r"  # what is probed, as kprobes/list shows it


class ListedProbe(NamedTuple):
    """What kprobes/list shows of a probe that is defined and does not act."""

    place: ProbePlace
    returns: bool
    of_guest: bool = False


@dataclass(eq=False)
class _Point:
    """An address that is probed.

    Attributes:
        address: of the instruction, or of the function that begins there.
        site: the call site that tells of it; None: a breakpoint does.
        instruction: that the breakpoint replaces.
        copy: where its copy is, or, of a site, what the CPU goes on at for the guest's probes; 0: it has none.
        stepping: whether the copy lets the guest know when it has been executed.
        says_where: at a site: a consumer that says where the CPU is.
        record: at a breakpoint: what native code knows of it.
        probes: the newest first, as Linux has them.
        armed: whether the breakpoint is there.
    """

    address: int
    site: int | None
    instruction: bytes
    copy: int
    says_where: Consumer | None = None
    record: Kprobe | None = None
    probes: list[_Kprobe] = field(default_factory=list)
    armed: bool = False
    stepping: bool = False


@dataclass(eq=False)
class _Kprobe:
    """One consumer at a place. It has no point while its module is not loaded."""

    place: ProbePlace
    consumer: Consumer
    kind: str  # as kprobes/list shows it
    point: _Point | None = None
    gone_from: int | None = None  # where it was in a module that is gone
    of_guest: bool = False  # the guest calls its handlers


class Kprobes:
    """All kprobes of a machine. Whoever adds or removes some has the sites updated afterwards (Ftrace.update_sites).

    Args:
        kernel: with its image loaded.
        arch: its architecture.
        guest: the layout of its structures.
        records: say where native code finds the probes.
        sites: all call sites.
        keys: all branches of static keys.
        trampolines: where copies are put.
        rethooks: watch calls for those that want to know of returns.
        warn: gets a sentence about a probe that a module which has been loaded cannot have.

    Attributes:
        places: what can be probed.
    """

    def __init__(
        self,
        kernel: Kernel,
        arch: FtraceArch,
        guest: Guest,
        records: RecordLists,
        sites: Sites,
        keys: Keys,
        trampolines: Trampolines,
        rethooks: Rethooks,
        warn: Callable[[str], None],
    ) -> None:
        self._kernel = kernel
        self._arch = arch
        self._guest = guest
        self._records = records
        self._sites = sites
        self._trampolines = trampolines
        self._rethooks = rethooks
        self._warn = warn
        self._enabled = True
        self._probes: list[_Kprobe] = []
        self._points: dict[tuple[int, bool], _Point] = {}  # by address, and whether a call site tells of it
        self.places = ProbePlaces(kernel, arch, sites, keys, self._replaced)
        self._record = trace_records.Kprobes.allocate()
        self._saved_offsets = np.zeros(0, np.uint64)
        self._stale = False  # the table lacks a breakpoint, which is not there yet
        self._tabulate()
        for array in records.arrays:
            array.kprobes = self._record

    # What is probed

    def check(self, place: ProbePlace) -> None:
        """A place can be probed, or is of a module that is not loaded.

        Raises:
            TraceError: ENOENT, when there is no such symbol; EILSEQ, when no instruction begins there; EINVAL, when nothing
                can be probed there, with the reason.
        """
        address = self.places.resolve(place)
        if address is not None and not any((address, at_site) in self._points for at_site in (False, True)):
            self.places.find(address)

    def check_return(self, place: ProbePlace) -> None:
        """Returns from a place can be probed. Raises TraceError, see `check`: EINVAL, when it is not where a function begins."""
        self.check(place)
        address = self.places.resolve(place)
        function = None if address is None else self.places.function_at(address)
        if place.offset or (function is not None and function.symbol.address != address):
            raise TraceError(errno.EINVAL, f"{place} is not where a function begins, so nothing returns from there")

    def add(self, place: ProbePlace, acting: Consumer) -> None:
        """Has a consumer act at a place from the next update on, as soon as the place exists.

        Raises:
            TraceError: as for `check`; ENOMEM, when there is no room for another copy. Nothing has changed.
        """
        self._add(_Kprobe(place, acting, _INSTRUCTION))

    def add_return(self, place: ProbePlace, acting: Consumer, maxactive: int = 0) -> None:
        """Has a consumer act when calls of the function at a place return.

        Args:
            maxactive: see `Rethooks.add`.

        Raises:
            TraceError: as for `check_return`. Nothing has changed.
        """
        self.check_return(place)
        hook = self._rethooks.add(acting, maxactive)
        try:
            self._add(_Kprobe(place, hook, _RETURN))
        except TraceError:
            self._rethooks.remove(acting)
            raise

    def add_of_guest(self, place: ProbePlace, returns: bool) -> Consumer:
        """Has the CPU trap at a place for the guest, which does the rest. Raises TraceError, see `add`.

        Returns: what stands for it.
        """
        from emu.ftrace.native import redirect  # when it is needed: it is compiled

        acting = Consumer.allocate()
        acting.handler = redirect.go_on
        self._add(_Kprobe(place, acting, _RETURN if returns else _INSTRUCTION, of_guest=True))
        if returns:
            self._rethooks.use()
        return acting

    def trap(self, acting: Consumer) -> int:
        """The address at which the CPU traps for one of the guest's; 0: its code is gone."""
        point = next(probe for probe in self._probes if probe.consumer is acting).point
        return 0 if point is None else point.address if point.site is None else point.copy

    def detours(self, site: int) -> bool:
        """Whether a call site has the CPU go on elsewhere for the guest's."""
        return any(point.site == site and any(probe.of_guest for probe in point.probes) for point in self._points.values())

    def _add(self, probe: _Kprobe) -> None:
        self._place(probe)
        probe.consumer.post = BEFORE
        self._probes.append(probe)

    def remove(self, acting: Consumer) -> None:
        """A consumer acts no more. Its breakpoint goes with the next update, if it was the last one there."""
        if acting in self._rethooks:
            acting = self._rethooks.remove(acting)
        probe = next(probe for probe in self._probes if probe.consumer is acting)
        acting.post = REMOVED
        self._probes.remove(probe)
        if probe.point is not None:
            probe.point.probes.remove(probe)
            self._chain(probe.point)

    @property
    def enabled(self) -> bool:
        """Whether probes are armed (debugfs: kprobes/enabled). To be set before an update."""
        return self._enabled

    @enabled.setter
    def enabled(self, on: bool) -> None:
        self._enabled = on
        for point in self._points.values():
            self._chain(point)

    def _place(self, probe: _Kprobe) -> None:
        """Puts a probe where it belongs now. Raises TraceError, see `add`."""
        address = self.places.resolve(probe.place)
        if address is None:
            return
        self._use()
        function, instruction = self.places.find(address)
        at_site = self._is_told(function, address, probe.kind, probe.of_guest)
        point = self._points.get((address, at_site))
        if point is None:
            if not at_site and not instruction:
                raise TraceError(errno.EINVAL, f"tracing itself changes the instruction at {address:#x}")
            point = self._at_site(function, address) if at_site else self._at_breakpoint(instruction, address)
            if probe.of_guest:
                self._let_guest_know(point)
            elif not at_site:
                self._put_copy(point, self._arch.probing().copy)
            self._points[address, at_site] = point
            self._stale = True
        elif probe.of_guest:
            self._let_guest_know(point)
        if at_site and probe.of_guest:
            probe.consumer.target = point.copy
        probe.point, probe.gone_from = point, None
        point.probes.insert(0, probe)
        self._chain(point)

    def _replaced(self) -> Mapping[int, bytes]:
        """What breakpoints replace, or did or will."""
        return {point.address: point.instruction for point in self._points.values() if point.site is None}

    def _is_told(self, function: ProbedFunction, address: int, kind: str, of_guest: bool = False) -> bool:
        """Whether a call site tells of such a probe: in time for one of a function's beginning to see arguments, if it looks."""
        if of_guest and not self._arch.probing().detour(address, None):
            return False
        if function.site is None or address not in (function.symbol.address, function.site):
            return False
        before = function.site - function.symbol.address
        return address == function.site or kind == _RETURN or self._arch.keeps_arguments(function.code, before)

    def _at_site(self, function: ProbedFunction, address: int) -> _Point:
        says_where = Consumer.allocate()
        says_where.handler = self._arch.probe_callbacks(self._guest).say_where
        says_where.target = address
        return _Point(address, function.site, b"", 0, says_where=says_where)

    def _at_breakpoint(self, instruction: bytes, address: int) -> _Point:
        record = Kprobe.allocate()
        record.instruction = int.from_bytes(instruction[:8], self._arch.cpu.byte_order)
        return _Point(address, None, instruction, 0, record=record)

    def _let_guest_know(self, point: _Point) -> None:
        """Gives a point what is executed there for probes of the guest's. Raises TraceError: ENOMEM, and nothing has changed."""
        if point.stepping:
            return
        probing = self._arch.probing()
        if point.site is None:
            self._put_copy(point, probing.stepping_copy)
        else:
            behind = point.site + len(self._arch.nop)
            self._put_copy(point, lambda instruction, address, place: probing.detour(behind, place))
        point.stepping = True

    def _put_copy(self, point: _Point, copy: Callable[[bytes, int, int | None], bytes]) -> None:
        """Native code is told of it with the next update, when it is there. `copy`: as `Probing.copy`."""
        if size := len(copy(point.instruction, point.address, None)):
            place = self._trampolines.allocate(size, stands_for=point.address)
            self._trampolines.write(place, copy(point.instruction, point.address, place))
            point.copy = place

    def _use(self) -> None:
        """Must be called before the first probe is there."""
        if not len(self._saved_offsets):
            probing, callbacks = self._arch.probing(), self._arch.probe_callbacks(self._guest)
            self._records.use_registers(probing.registers.words)
            self._saved_offsets = np.array(probing.saved_offsets(self._kernel.image), np.uint64)
            self._record.saved_offsets = Words(self._saved_offsets.ctypes.data)
            self._record.fill_at_breakpoint = callbacks.fill_at_breakpoint
            self._record.fill_at_site = callbacks.fill_at_site
            self._record.write_at_site = callbacks.write_at_site

    def _chain(self, point: _Point) -> None:
        """Has native code find the consumers at a breakpoint. Those at sites are found by `chains`."""
        if point.record is not None:
            point.record.consumers = link([one.consumer for one in point.probes if not one.of_guest] if self._enabled else [])

    def _tabulate(self) -> None:
        """Has native code find the breakpoints that there are, or will be."""
        self._stale = False
        start = self._kernel.board.arch.kernel_map
        records = {point.address - start: point.record.address for point in self._points.values() if point.record is not None}
        self._table = probes.table_of(np.array(list(records), np.uint64), np.array(list(records.values()), np.uint64))
        self._record.table = self._table

    # At call sites (trace_array.ops)

    def _at_sites(self) -> Iterator[_Point]:
        if self._enabled:
            yield from (point for point in self._points.values() if point.site is not None and point.probes)

    def __bool__(self) -> bool:
        """Whether a call site has any."""
        return next(self._at_sites(), None) is not None

    def sites(self, functions: Functions) -> SiteMask:
        """The sites that are to call for them."""
        probed = np.array([point.site for point in self._at_sites()], np.uint64)
        return np.isin(self._sites.addresses, probed)

    def users(self, functions: Functions) -> NDArray[np.int64]:
        """How many users they are at each site: as in Linux, one, however many probes there are."""
        return self.sites(functions).astype(np.int64)

    def chains(self, functions: Functions) -> Mapping[int, list[Consumer]]:
        """For each of these sites, by its index: the consumers in the order in which they act."""
        chains: dict[int, list[Consumer]] = {}
        shared = Counter(point.site for point in self._at_sites())
        for point in self._at_sites():
            assert point.site is not None and point.says_where is not None
            records = [probe.consumer for probe in point.probes]
            if point.site != point.address or shared[point.site] > 1:
                records.insert(0, point.says_where)
            chains.setdefault(self._sites.at(point.site), []).extend(records)
        return chains

    def keep(self, functions: Functions) -> None:
        """Nothing: points of modules that go have gone before."""

    # At breakpoints (ftrace)

    def without_breakpoints(self, start: int, code: bytes) -> bytes:
        """Code that has been read from an address on, with the instructions for which breakpoints stand."""
        restored = bytearray(code)
        for point in self._points.values():
            at = point.address - start
            if point.site is None and 0 <= at <= len(code) - len(point.instruction):
                restored[at : at + len(point.instruction)] = point.instruction
        return bytes(restored)

    def _is_wanted(self, point: _Point) -> bool:
        return self._enabled and bool(point.probes)

    def to_turn(self) -> Sequence[int]:
        """The addresses at which breakpoints are to come or to go."""
        self._drop(point for point in self._points.values() if not (point.probes or point.armed))
        turned = []
        for point in self._points.values():
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
        """What turns these."""
        found = []
        for address in addresses:
            point, breakpoint = self._points[address, False], self._arch.probing().breakpoint
            compiled = point.instruction[: len(breakpoint)]
            old, new = (breakpoint, compiled) if point.armed else (compiled, breakpoint)
            found.append(Patch(address, old, new))
        return found

    def turned(self, addresses: Iterable[int]) -> None:
        """After the last patch: these have been turned."""
        for address in addresses:
            if (point := self._points.get((address, False))) is not None:
                point.armed = not point.armed

    def _drop(self, points: Iterable[_Point]) -> None:
        """Nobody can come to these any more, but for tasks that stand in a copy."""
        gone = list(points)
        for point in gone:
            del self._points[point.address, point.site is not None]
            copies = {point.copy, point.record.copy if point.record else 0}
            for copy in copies - {0}:
                self._trampolines.release(copy)
        if gone or self._stale:
            self._tabulate()

    # Modules

    def module_coming(self, module: Module) -> None:
        """Probes that wait for a module get their places. One that cannot have it goes on waiting."""
        self.places.forget()
        for probe in self._probes:
            if probe.point is None and probe.place.module == module.name:
                try:
                    self._place(probe)
                except TraceError as error:
                    self._warn(f"the kprobe {probe.place} is not in the module that has been loaded: {error.why}")

    def module_going(self, part: Callable[[int], bool]) -> None:
        """The code at some addresses is gone, its breakpoints included. `part`: whether that at an address is."""
        self.places.forget()
        gone = [point for point in self._points.values() if part(point.address)]
        for point in gone:
            for probe in point.probes:
                probe.point, probe.gone_from = None, point.address
        self._drop(gone)

    # debugfs

    def text(self, disabled: Iterable[ListedProbe] = ()) -> str:
        """kprobes/list: by address, and of those at one address the newest first, the disabled ones behind the others.

        Args:
            disabled: what is defined and does not act, the newest first.
        """
        points = self._points.values()
        listed = [(point.address, probe.kind, point.site is not None, "") for point in points for probe in point.probes]
        for place, returns, of_guest in disabled:
            with suppress(TraceError):  # its module has come without it
                if (address := self.places.resolve(place)) is not None:
                    kind = _RETURN if returns else _INSTRUCTION
                    function, _ = self.places.find(address)
                    listed.append((address, kind, self._is_told(function, address, kind, of_guest), "[DISABLED]"))
        lines = [self._line(*one) for one in sorted(listed, key=itemgetter(0))]
        gone = [(probe.gone_from, probe.kind) for probe in self._probes if probe.gone_from is not None]
        return "".join([*lines, *(f"{address:016x}  {kind}  {address:#x} [GONE]\n" for address, kind in gone)])

    def _line(self, address: int, kind: str, at_site: bool, state: str) -> str:
        function = self.places.function_at(address)
        assert function is not None  # there was one when the probe was placed, and it goes with its module
        module = function.module.name if function.module else " "
        where = f"{function.symbol.name}+{address - function.symbol.address:#x}  {module}"
        return f"{address:016x}  {kind}  {where} {state}{'[FTRACE]' if at_site else ''}\n"
