# SPDX-License-Identifier: GPL-2.0-only
"""Kprobes on a Linux guest, from outside: before any instruction, and where calls return. Nothing of the guest changes.

Linux refuses to probe what its own handling of probes needs. The host needs nothing of the guest, so all code can be probed.
"""

from __future__ import annotations

import errno
from collections.abc import Callable, Collection
from dataclasses import dataclass, field

import numpy as np

from emu.cpu.callouts import Listening
from emu.ftrace.arrays.array_records import RecordLists
from emu.ftrace.errors import TraceError
from emu.ftrace.native.guest_records import Guest
from emu.ftrace.native.trace_records import Consumer, Rethook, link
from emu.ftrace.native.trace_values import BEFORE
from emu.ftrace.native.watched_place_record import WatchedPlace
from emu.ftrace.probes.placing import ProbePlace, ProbePlacing
from emu.linux.image import Kernel
from emu.linux.modules import Module
from emu.linux.symbols import Symbols
from emu.linux.tracing import arch as outside
from emu.linux.tracing.awaited_calls import AwaitedCalls, forget_returns
from emu.linux.tracing.functions import TracedFunctions
from emu.linux.tracing.kernel import LinuxKernel

__all__ = ["WatchedKprobes"]

_LONGEST_INSTRUCTION = 16  # bytes, at least


@dataclass(eq=False)
class _Placed:
    """One consumer. `address` is None while its module is not loaded."""

    place: ProbePlace
    consumer: Consumer
    address: int | None = None


@dataclass(eq=False)
class _Point:
    """A probed address, and its consumers, newest first."""

    record: WatchedPlace
    listening: Listening
    probes: list[_Placed] = field(default_factory=list)


class WatchedKprobes(ProbePlacing):
    """All kprobes of a Linux guest. A change takes effect at once.

    Args:
        kernel: the guest's kernel.
        image: its image.
        symbols: the image's.
        functions: those that can be traced: their names are suggested for misspelt ones.
        guest: the layout of the kernel's structures.
        records: where native code finds what probes share.
        awaited: the calls whose returns are awaited.
        arch: the native code.
        has_booted: whether the kernel has freed its initialisation code.
        warn: called with a sentence about a probe that cannot be placed in a module that has just been loaded.

    Attributes:
        symbols: the same.
    """

    def __init__(
        self,
        kernel: LinuxKernel,
        image: Kernel,
        symbols: Symbols,
        functions: TracedFunctions,
        guest: Guest,
        records: RecordLists,
        awaited: AwaitedCalls,
        arch: outside.OutsideTracing,
        *,
        has_booted: bool,
        warn: Callable[[str], None],
    ) -> None:
        self._kernel, self._image, self.symbols, self._functions = kernel, image, symbols, functions
        self._guest, self._records, self._awaited, self._arch, self._warn = guest, records, awaited, arch, warn
        self._texts = {"": [_between(symbols, "_stext", "_etext")]}
        if not has_booted:
            self._texts[""].append(_between(symbols, "_sinittext", "_einittext"))
        self._modules: dict[str, Module] = {}
        self._probes: list[_Placed] = []
        self._points: dict[int, _Point] = {}
        self._rethooks: dict[int, Rethook] = {}  # by the address of the consumer that acts at the return
        self._is_used = False

    @property
    def modules(self) -> Collection[Module]:
        """Those that are loaded."""
        return self._modules.values()

    # Places

    def resolve(self, place: ProbePlace) -> int | None:
        found = self._find(place)
        return None if found is None else found[0]

    def is_entry(self, place: ProbePlace) -> bool:
        try:
            found = self._find(place)
        except TraceError:  # reported when the rest of the command has been checked
            found = None
        return place.offset == 0 if found is None else found[1]

    def count(self, name: str) -> int:
        return self.symbols.names.count(name)

    def function_at(self, place: ProbePlace) -> tuple[str, str] | None:
        """The name of the function at a place, and that of its module; None if it is in none that is loaded."""
        try:
            address = self.resolve(place)
        except TraceError:
            return None
        if address is None:
            return None
        (found,) = self._kernel.symbols.lookup(np.array([address], np.uint64))
        return None if found is None else (place.symbol or found.name, found.module or "")

    def _find(self, place: ProbePlace) -> tuple[int, bool] | None:
        """The address that is probed, and whether that is the beginning of a function; None: the module is not loaded."""
        if place.address is not None:
            start = address = place.address
            if (around := self._kernel.symbols.function(address)) is not None:
                start = around.start
        else:
            found = self._symbol(place.symbol, place.module)
            if found is None:
                return None
            start, address = found, found + place.offset
            if place.offset and (around := self._kernel.symbols.function(address)) is not None:
                start = around.start
        try:
            opening = self._kernel.memory.read(start, 4)
        except LookupError:
            return address, False
        offset, is_entry = outside.probed_offset(opening, address - start)
        return start + offset, is_entry

    def _symbol(self, name: str, module: str | None) -> int | None:
        """The address of a symbol; None if its module is not loaded. Raises TraceError: ENOENT."""
        if module and module not in self._modules:
            return None
        if module is None and (address := self.symbols.address(name)) is not None:
            return address
        for one in [self._modules[module]] if module else self._modules.values():
            if name in one.symbols.names:
                return int(one.symbols.addresses[one.symbols.names.index(name)])
        raise TraceError(errno.ENOENT, f"there is no function '{name}'", (name, self._functions.functions.names))

    def check(self, place: ProbePlace) -> None:
        address = self.resolve(place)
        if address is not None:
            self._check_address(address)

    def _check_address(self, address: int) -> None:
        """Raises TraceError, see `check`."""
        if not any(address in text for texts in self._texts.values() for text in texts):
            raise TraceError(errno.EINVAL, f"{address:#x} is in no code of the kernel or of its modules")
        around = self._kernel.symbols.function(address)
        if around is None:
            raise TraceError(errno.EINVAL, f"{address:#x} is in no function of the kernel")
        offset = address - around.start
        try:
            code = self._kernel.memory.read(around.start, offset + _LONGEST_INSTRUCTION)
        except LookupError as error:
            raise TraceError(errno.EINVAL, str(error)) from None
        if not outside.instruction_begins(*self._as_compiled(around.start, code), offset):
            raise TraceError(errno.EILSEQ, f"no instruction begins at {address:#x}")

    def _as_compiled(self, start: int, code: bytes) -> tuple[bytes, bytes]:
        """Code, and the same as it is in the image, where the guest has set no breakpoints and jumps for probes of its own."""
        try:
            return code, bytes(self._image.contents(start, start + len(code)))
        except LookupError:  # a module's
            return code, code

    def check_return(self, place: ProbePlace) -> None:
        self.check(place)
        if not self.is_entry(place):
            raise TraceError(errno.EINVAL, f"{place} is not where a function begins, so nothing returns from there")

    # Consumers

    def add(self, place: ProbePlace, acting: Consumer) -> None:
        self.check(place)
        self.use()
        acting.post = BEFORE
        probe = _Placed(place, acting)
        self._place(probe)
        self._probes.append(probe)

    def add_return(self, place: ProbePlace, acting: Consumer, maxactive: int = 0) -> None:
        self.check_return(place)
        self.use()
        self._await_returns()
        hook = Rethook.allocate()
        hook.handler, hook.at_return = self._arch.watched_probes(self._guest).entry, acting
        self.add(place, hook)
        self._rethooks[acting.address] = hook

    def remove(self, acting: Consumer) -> None:
        hook = self._rethooks.pop(acting.address, None)
        if hook is not None:
            self._awaited.drop(hook)
            acting = hook
        probe = next(probe for probe in self._probes if probe.consumer is acting)
        self._probes.remove(probe)
        self._unplace(probe)
        if hook is not None and not self._rethooks:
            for array in self._records.arrays:
                array.probes_returned = None
            forget_returns(self._kernel.board.callouts, self._records)

    def use(self) -> None:
        """Must be called before the first consumer acts."""
        if not self._is_used:
            self._is_used = True
            self._records.use_registers(outside.probe_registers().words)
            for array in self._records.arrays:
                array.kprobes.fill_at_site = self._arch.watched_probes(self._guest).fill

    def _await_returns(self) -> None:
        """The same for returns."""
        self._awaited.use()
        if not self._rethooks:
            for array in self._records.arrays:
                array.returned = self._arch.returned()
                array.probes_returned = self._arch.watched_probes(self._guest).returned

    def _place(self, probe: _Placed) -> None:
        """Puts a consumer at its present place."""
        probe.address = address = self.resolve(probe.place)
        if address is None:
            return
        point = self._points.get(address)
        if point is None:
            record = WatchedPlace.allocate()
            record.ip = address
            at_place = self._arch.watched_probes(self._guest).at_place
            point = _Point(record, self._kernel.board.callouts.listen(address, at_place, record.address))
            self._points[address] = point
        point.probes.insert(0, probe)
        point.record.consumers = link([one.consumer for one in point.probes])

    def _unplace(self, probe: _Placed) -> None:
        if probe.address is None:
            return
        point = self._points[probe.address]
        point.probes.remove(probe)
        point.record.consumers = link([one.consumer for one in point.probes])
        if not point.probes:
            self._kernel.board.callouts.unlisten(point.listening)
            del self._points[probe.address]
        probe.address = None

    # What happens in the guest

    def module_coming(self, module: Module) -> None:
        """Places the probes that wait for a module. A probe that cannot be placed continues to wait."""
        self._modules[module.name] = module
        self._texts[module.name] = [text for text in (module.text, module.init_text) if text]
        for probe in self._probes:
            if probe.address is None and probe.place.module == module.name:
                try:
                    self.check(probe.place)
                    self._place(probe)
                except TraceError as error:
                    self._warn(f"the kprobe {probe.place} is not in the module that has been loaded: {error.why}")

    def module_going(self, module: str) -> None:
        """A module's code is gone."""
        self._modules.pop(module, None)
        self._leave(self._texts.pop(module, []))

    def init_is_gone(self, module: str) -> None:
        """The initialisation code of a module, or of the kernel (""), is gone."""
        texts = self._texts.get(module, [])
        self._leave(texts[1:])
        del texts[1:]

    def _leave(self, texts: list[range]) -> None:
        for probe in self._probes:
            if probe.address is not None and any(probe.address in text for text in texts):
                self._unplace(probe)


def _between(symbols: Symbols, start: str, end: str) -> range:
    return range(symbols.address(start) or 0, symbols.address(end) or 0)

