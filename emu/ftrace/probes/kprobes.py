# SPDX-License-Identifier: GPL-2.0-only
"""Kprobes: actions when a CPU reaches an instruction of the kernel or of a module.

At the beginning of a function with a call site, the site calls, as for a tracer. Everywhere else a breakpoint replaces the
instruction, and a copy of it is executed out of line. A removed probe keeps its breakpoint and copy until the change that
removes them is complete: without consumers nothing happens there, and CPUs continue after the instruction.
"""

from __future__ import annotations

import errno
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from emu.ftrace.arch import FtraceArch
from emu.ftrace.arrays.array_records import RecordLists
from emu.ftrace.errors import TraceError
from emu.ftrace.native.guest_records import Guest
from emu.ftrace.native.trace_records import Consumer
from emu.ftrace.native.trace_values import BEFORE, REMOVED
from emu.ftrace.probes.places import ProbedFunction, ProbePlaces
from emu.ftrace.probes.placing import ListedProbe, ProbePlace, ProbePlacing
from emu.ftrace.probes.points import PlacedProbe, ProbePoint, ProbePoints
from emu.ftrace.probes.rethooks import Rethooks
from emu.ftrace.sites.call_sites import Sites
from emu.ftrace.sites.filters import Functions, SiteMask
from emu.ftrace.sites.keys import Keys
from emu.ftrace.sites.trampolines import Trampolines
from emu.kernel.kernel import Kernel
from emu.kernel.modules import Module

__all__ = ["Kprobes"]

_INSTRUCTION, _RETURN = "k", "r"  # the kind of probe, as in kprobes/list


class Kprobes(ProbePlacing):
    """All kprobes of a machine. After adding or removing some, the caller must update the sites (Ftrace.update_sites).

    Args:
        kernel: with its image loaded.
        arch: its architecture.
        guest: the layout of its structures.
        records: where native code finds the probes.
        sites: all call sites.
        keys: all branches of static keys.
        trampolines: where copies are put.
        rethooks: watches calls for consumers that act at returns.
        warn: called with a sentence about a probe that cannot be placed in a module that has just been loaded.

    Attributes:
        places: finds what can be probed.
        points: the places of the probes.
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
        self._sites = sites
        self._rethooks = rethooks
        self._warn = warn
        self._probes: list[PlacedProbe] = []
        self.points = ProbePoints(kernel, arch, guest, records, trampolines)
        self.places = ProbePlaces(kernel, arch, sites, keys, self.points.replaced)

    # Checking and adding

    def resolve(self, place: ProbePlace) -> int | None:
        return self.places.resolve(place)

    def is_entry(self, place: ProbePlace) -> bool:
        try:
            address = self.places.resolve(place)
        except TraceError:  # reported when the rest of the command has been checked
            address = None
        found = None if address is None else self._kernel.symbols.function_at(address)
        if found is None:
            return place.offset == 0
        function, _ = found
        return function.address == address

    def count(self, name: str) -> int:
        return sum(function.name == name for function in self._kernel.image.functions)

    def check(self, place: ProbePlace) -> None:
        address = self.places.resolve(place)
        if address is not None and address not in self.points:
            self.places.find(address)

    def check_return(self, place: ProbePlace) -> None:
        self.check(place)
        address = self.places.resolve(place)
        function = None if address is None else self.places.function_at(address)
        if place.offset or (function is not None and function.symbol.address != address):
            raise TraceError(errno.EINVAL, f"{place} is not where a function begins, so nothing returns from there")

    def add(self, place: ProbePlace, acting: Consumer) -> None:
        self._add(PlacedProbe(place, acting, _INSTRUCTION))

    def add_return(self, place: ProbePlace, acting: Consumer, maxactive: int = 0) -> None:
        self.check_return(place)
        hook = self._rethooks.add(acting, maxactive)
        try:
            self._add(PlacedProbe(place, hook, _RETURN))
        except TraceError:
            self._rethooks.remove(acting)
            raise

    def add_of_guest(self, place: ProbePlace, returns: bool) -> Consumer:
        """Makes the CPU trap at a place for the guest, which does the rest. Raises TraceError, see `add`.

        Returns: the consumer that represents the guest's probe.
        """
        from emu.ftrace.native import redirect  # imported when needed: it is compiled

        acting = Consumer.allocate()
        acting.handler = redirect.go_on
        self._add(PlacedProbe(place, acting, _RETURN if returns else _INSTRUCTION, of_guest=True))
        if returns:
            self._rethooks.use()
        return acting

    def trap(self, acting: Consumer) -> int:
        """The address at which the CPU traps for a probe of the guest; 0 if its code is gone."""
        point = next(probe for probe in self._probes if probe.consumer is acting).point
        return 0 if point is None else point.address if point.site is None else point.copy

    def detours(self, site: int) -> bool:
        """Whether a call site makes the CPU jump elsewhere for a probe of the guest."""
        return any(point.site == site and any(probe.of_guest for probe in point.probes) for point in self.points)

    def _add(self, probe: PlacedProbe) -> None:
        self._place(probe)
        probe.consumer.post = BEFORE
        self._probes.append(probe)

    def remove(self, acting: Consumer) -> None:
        """Removes a consumer. The last consumer's breakpoint goes with the next update."""
        if acting in self._rethooks:
            acting = self._rethooks.remove(acting)
        probe = next(probe for probe in self._probes if probe.consumer is acting)
        acting.post = REMOVED
        self._probes.remove(probe)
        if probe.point is not None:
            probe.point.probes.remove(probe)
            self.points.chain(probe.point)

    @property
    def enabled(self) -> bool:
        """Whether probes are armed (debugfs: kprobes/enabled). Set it before an update."""
        return self.points.enabled

    @enabled.setter
    def enabled(self, on: bool) -> None:
        self.points.enabled = on
        for point in self.points:
            self.points.chain(point)

    def _place(self, probe: PlacedProbe) -> None:
        """Puts a probe at its present place. Raises TraceError, see `add`."""
        address = self.places.resolve(probe.place)
        if address is None:
            return
        self.points.use()
        function, instruction = self.places.find(address)
        at_site = self._is_told(function, address, probe.kind, probe.of_guest)
        point = self.points.at(address, at_site)
        if point is None:
            if not at_site and not instruction:
                raise TraceError(errno.EINVAL, f"tracing itself changes the instruction at {address:#x}")
            point = self.points.at_site(function.site, address) if at_site else self.points.at_breakpoint(instruction, address)
            if probe.of_guest:
                self.points.let_guest_know(point)
            elif not at_site:
                self.points.put_copy(point, self._arch.probing().copy)
            self.points.add(point)
        elif probe.of_guest:
            self.points.let_guest_know(point)
        if at_site and probe.of_guest:
            probe.consumer.target = point.copy
        probe.point, probe.gone_from = point, None
        point.probes.insert(0, probe)
        self.points.chain(point)

    def _is_told(self, function: ProbedFunction, address: int, kind: str, of_guest: bool = False) -> bool:
        """Whether the call site can serve such a probe: a probe that reads arguments must be called before they change."""
        if of_guest and not self._arch.probing().detour(address, None):
            return False
        if function.site is None or address not in (function.symbol.address, function.site):
            return False
        before = function.site - function.symbol.address
        return address == function.site or kind == _RETURN or self._arch.keeps_arguments(function.code, before)

    # The interface of call sites' users (trace_array.ops)

    def _at_sites(self) -> Iterator[ProbePoint]:
        if self.points.enabled:
            yield from (point for point in self.points if point.site is not None and point.probes)

    def __bool__(self) -> bool:
        """Whether a call site serves any probe."""
        return next(self._at_sites(), None) is not None

    def sites(self, functions: Functions) -> SiteMask:
        """The sites that must call for probes."""
        probed = np.array([point.site for point in self._at_sites()], np.uint64)
        return np.isin(self._sites.addresses, probed)

    def users(self, functions: Functions) -> NDArray[np.int64]:
        """The number of users that probes are at each site: one, however many probes there are, as in Linux."""
        return self.sites(functions).astype(np.int64)

    def chains(self, functions: Functions) -> Mapping[int, list[Consumer]]:
        """The consumers of each of these sites, by the site's index, in the order in which they act."""
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
        """Does nothing: the points of an unloaded module are gone already."""

    # Modules

    def module_coming(self, module: Module) -> None:
        """Places the probes that wait for a module. A probe that cannot be placed continues to wait."""
        self.places.forget()
        for probe in self._probes:
            if probe.point is None and probe.place.module == module.name:
                try:
                    self._place(probe)
                except TraceError as error:
                    self._warn(f"the kprobe {probe.place} is not in the module that has been loaded: {error.why}")

    def module_going(self, part: Callable[[int], bool]) -> None:
        """Code is gone, and its breakpoints with it. `part`: whether the code at an address is gone."""
        self.places.forget()
        gone = [point for point in self.points if part(point.address)]
        for point in gone:
            for probe in point.probes:
                probe.point, probe.gone_from = None, point.address
        self.points.drop(gone)

    # debugfs

    def text(self, disabled: Iterable[ListedProbe] = ()) -> str:
        """kprobes/list: sorted by address, then newest first, with the disabled probes behind the others.

        Args:
            disabled: the probes that are defined but do not act, newest first.
        """
        points = self.points
        listed = [(point.address, probe.kind, point.site is not None, "") for point in points for probe in point.probes]
        for place, returns, of_guest in disabled:
            with suppress(TraceError):  # the module was loaded without the probe's place
                if (address := self.places.resolve(place)) is not None:
                    kind = _RETURN if returns else _INSTRUCTION
                    function, _ = self.places.find(address)
                    listed.append((address, kind, self._is_told(function, address, kind, of_guest), "[DISABLED]"))
        lines = [self._line(*one) for one in sorted(listed, key=itemgetter(0))]
        gone = [(probe.gone_from, probe.kind) for probe in self._probes if probe.gone_from is not None]
        return "".join([*lines, *(f"{address:016x}  {kind}  {address:#x} [GONE]\n" for address, kind in gone)])

    def _line(self, address: int, kind: str, at_site: bool, state: str) -> str:
        function = self.places.function_at(address)
        assert function is not None  # it existed when the probe was placed, and goes with its module
        module = function.module.name if function.module else " "
        where = f"{function.symbol.name}+{address - function.symbol.address:#x}  {module}"
        return f"{address:016x}  {kind}  {where} {state}{'[FTRACE]' if at_site else ''}\n"
