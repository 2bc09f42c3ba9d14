# SPDX-License-Identifier: GPL-2.0-only
"""Events of kprobes and kretprobes, in kprobe_events' syntax:

    p[:[GROUP/][EVENT]] [MODULE:]SYMBOL[+OFFSET]|ADDRESS [ARGUMENTS]
    r[MAXACTIVE][:[GROUP/][EVENT]] [MODULE:]SYMBOL|ADDRESS [ARGUMENTS]
    p[:[GROUP/][EVENT]] [MODULE:]SYMBOL%return [ARGUMENTS]
"""

from __future__ import annotations

import errno
from collections.abc import Iterator, Sequence
from typing import ClassVar, Protocol

from emu.ftrace.arch.native_tracing import NativeTracing
from emu.ftrace.arch.probing import ProbeRegisters
from emu.ftrace.dynevent.argument import Argument, ProbeSite
from emu.ftrace.dynevent.arguments import parse_arguments, split_offset
from emu.ftrace.dynevent.c_types import CTypes, Signature
from emu.ftrace.dynevent.dyn_event import DynamicEventKind, DynamicEvents
from emu.ftrace.dynevent.entry_layout import EntryLayout
from emu.ftrace.dynevent.event_names import parse_event_name, sanitized
from emu.ftrace.dynevent.fetch_program import FetchProgram
from emu.ftrace.dynevent.probe_errors import ProbeCommand, ProbeError, split_words
from emu.ftrace.dynevent.probe_event import Probe, ProbeEvent
from emu.ftrace.dynevent.symbol_names import SymbolNames
from emu.ftrace.errors import TraceError
from emu.ftrace.event.call import EventKind
from emu.ftrace.event.catalogue import Catalogue
from emu.ftrace.guest.traced_kernel import TracedSymbols
from emu.ftrace.native.guest_records import Guest
from emu.ftrace.native.probe_record import ProbeHandler
from emu.ftrace.numbers import parse_c
from emu.ftrace.probes.placing import ListedProbe, ProbePlace, ProbePlacing

__all__ = ["FunctionTypes", "KprobeEvents", "parse_maxactive", "parse_place"]

_GROUP = "kprobes"
_LARGEST_MAXACTIVE = 4096
_LEAST_MAXACTIVE = 10
_LARGEST_OFFSET = (1 << 32) - 1
_REFUSALS = {errno.EILSEQ: ProbeError.BAD_INSN_BNDRY, errno.ENOENT: ProbeError.BAD_PROBE_ADDR}


class FunctionTypes(Protocol):
    """What is known of a kernel's types and functions."""

    def types(self, place: ProbePlace) -> CTypes:
        """The types that code at a place knows."""

    def signature(self, place: ProbePlace) -> Signature | None:
        """What the function takes and returns that begins at a place; None if it is not known."""


class _KprobeEvent(Probe):
    """One probe. `maxactive`: 0 if it probes an instruction, not returns."""

    kind: KprobeEvents

    def __init__(
        self,
        kind: KprobeEvents,
        event: ProbeEvent,
        handler: ProbeHandler,
        arguments: Sequence[Argument],
        program: FetchProgram,
        where: ProbePlace,
        maxactive: int,
    ) -> None:
        super().__init__(kind, event, handler, arguments, program)
        self.where = where
        self._maxactive = maxactive

    def __str__(self) -> str:
        return self.shown(f"r{self._maxactive}" if self._maxactive else "p")

    @property
    def place(self) -> str:
        where = self.where
        if where.address is not None:
            return f"{where.address:#x}"
        symbol = f"{where.module}:{where.symbol}" if where.module else where.symbol
        return f"{symbol}+{where.offset}" if where.offset else symbol  # Linux prints the offset in decimal

    @property
    def is_return(self) -> bool:
        return self._maxactive > 0

    @property
    def missed(self) -> int:
        """The number of calls whose return was not recorded."""
        return self.consumer.missed

    def check(self, command: ProbeCommand) -> None:
        kprobes = self.kind.kprobes
        if self.where.module is None and kprobes.count(self.where.symbol) > 1:
            raise command.error(ProbeError.NON_UNIQ_SYMBOL, 1, code=errno.EADDRNOTAVAIL)
        try:
            (kprobes.check_return if self._maxactive else kprobes.check)(self.where)
        except TraceError as error:
            refusal = _REFUSALS.get(error.code, ProbeError.FAIL_REG_PROBE)
            raise command.error(refusal, 1, code=error.code, why=error.why) from None

    def arm(self) -> None:
        if self._maxactive:
            self.kind.kprobes.add_return(self.where, self.consumer, self._maxactive)
        else:
            self.kind.kprobes.add(self.where, self.consumer)

    def disarm(self) -> None:
        self.kind.kprobes.remove(self.consumer)


class KprobeEvents(DynamicEventKind):
    """The kprobes that make events.

    Args:
        native: the native code for the kernel.
        registers: those that probes see.
        guest: the layout of the kernel's structures.
        catalogue: all events.
        kprobes: all kprobes.
        symbols: the symbols of the kernel and its modules.
        symbol_names: the functions' names, for native code.
        cpus: the number of CPUs.
        types: the kernel's types, and what its functions take; None: they are not known.
    """

    file: ClassVar[str] = "kprobe_events"

    def __init__(
        self,
        native: NativeTracing,
        registers: ProbeRegisters,
        guest: Guest,
        catalogue: Catalogue,
        kprobes: ProbePlacing,
        symbols: TracedSymbols,
        symbol_names: SymbolNames,
        *,
        cpus: int,
        types: FunctionTypes | None = None,
    ) -> None:
        self.kprobes = kprobes
        self._symbol_names = symbol_names
        self._symbols = symbols
        self._native, self._registers, self._cpus = native, registers, cpus
        self._guest = guest
        self._catalogue = catalogue
        self._types = types

    def takes(self, command: str) -> bool:
        words = split_words(command)
        if len(words) < 2 or words[0][0] not in "pr":
            return False
        return not ("/" in words[1] and ":" in words[1])  # that would be a uprobe's place

    def create(self, command: str) -> Probe:
        return self._create(ProbeCommand("trace_kprobe", command))

    def profile(self, events: DynamicEvents) -> str:
        """kprobe_profile: the events, how often they happened, and how many more were missed because of `maxactive`."""
        probes = [event for event in events.of(self) if isinstance(event, _KprobeEvent)]
        return "".join(f"  {probe.call.name:<44} {probe.hits:15} {probe.missed:15}\n" for probe in probes)

    def disabled(self, events: DynamicEvents) -> Iterator[ListedProbe]:
        """The disabled probes for kprobes/list. Linux registers a probe when it is defined, emu when its event is enabled."""
        for probe in reversed(events.of(self)):
            if isinstance(probe, _KprobeEvent) and not probe.event.in_use:
                yield ListedProbe(probe.where, probe.is_return)

    def _create(self, command: ProbeCommand) -> Probe:
        maxactive = parse_maxactive(command, command.words[0].startswith("r"))
        where, returns = parse_place(command)
        returns = returns or command.words[0].startswith("r")
        if returns and where.address is None and not self.kprobes.is_entry(where):
            raise command.error(ProbeError.BAD_RETPROBE, 1)
        group, name = parse_event_name(command, _GROUP)
        layout, program = self.arguments(command, where, returns)
        if returns and not maxactive:
            maxactive = max(_LEAST_MAXACTIVE, 2 * self._cpus)
        probe = _KprobeEvent(self, ProbeEvent(layout), self.handler(returns), layout.arguments, program, where, maxactive)
        probe.join(self._catalogue, command, group, name or sanitized(_default_name(where, returns)))
        return probe

    def arguments(self, command: ProbeCommand, where: ProbePlace, returns: bool) -> tuple[EntryLayout, FetchProgram]:
        """The entries described by a command's words from the third on, and the program that fetches them. Raises TraceError."""
        at_entry = not returns and where.address is None and self.kprobes.is_entry(where)
        types = self._types
        signature = types.signature(where) if types is not None and (at_entry or returns) else None
        known = types.types(where) if types is not None else None
        return self.arguments_at(command, self.site(known, signature, at_entry=at_entry, returns=returns))

    def site(
        self,
        types: CTypes | None,
        signature: Signature | None,
        *,
        at_entry: bool = False,
        returns: bool = False,
        has_registers: bool = True,
        has_stack: bool = True,
    ) -> ProbeSite:
        """What arguments can use: see ProbeSite."""
        return ProbeSite(
            self._registers,
            self._symbols.address,
            at_entry=at_entry,
            returns=returns,
            types=types,
            signature=signature,
            has_registers=has_registers,
            has_stack=has_stack,
        )

    def arguments_at(self, command: ProbeCommand, site: ProbeSite) -> tuple[EntryLayout, FetchProgram]:
        """As `arguments`, of a place in the kernel."""
        kind = EventKind.KRETPROBE if site.returns else EventKind.KPROBE
        layout = EntryLayout.of(kind, parse_arguments(command, 2, site))
        names, faults = self._symbol_names.record, self._native.fault_texts
        return layout, FetchProgram(layout, self._registers, names, fault_texts=faults)

    def handler(self, returns: bool) -> ProbeHandler:
        """What makes entries at a place, or at returns."""
        handlers = self._native.probe_handlers(self._guest)
        return handlers.returned if returns else handlers.at


def parse_maxactive(command: ProbeCommand, returns: bool) -> int:
    """The number after the first letter; 0 if there is none. `returns`: whether there may be one. Raises TraceError."""
    number = command.words[0][1:].partition(":")[0]
    if not number[:1].isdigit():
        return 0
    if not returns:
        raise command.error(ProbeError.BAD_MAXACT_TYPE, 0, 1)
    value = parse_c(number, (1 << 32) - 1)
    if not value:
        raise command.error(ProbeError.BAD_MAXACT, 0, 1)
    if value > _LARGEST_MAXACTIVE:
        raise command.error(ProbeError.MAXACT_TOO_BIG, 0, 1)
    return value


def parse_place(command: ProbeCommand) -> tuple[ProbePlace, bool]:
    """The place in the second word of a command, and whether it ends with `%return`."""
    text = command.words[1]
    address = parse_c(text)
    if address is not None:
        return ProbePlace(address=address), False
    text, percent, suffix = text.partition("%")
    if percent and suffix != "return":
        raise command.error(ProbeError.BAD_ADDR_SUFFIX, 1, len(text))
    symbol, offset = split_offset(text)
    if offset is None or not 0 <= offset <= _LARGEST_OFFSET:
        raise command.error(ProbeError.BAD_PROBE_ADDR, 1)
    module, colon, name = symbol.partition(":")
    return ProbePlace(name if colon else symbol, offset, module if colon else None), bool(percent)


def _default_name(where: ProbePlace, returns: bool) -> str:
    letter = "r" if returns else "p"
    if where.address is not None:
        return f"{letter}_{where.address:#x}"
    module = f"{where.module}:" if where.module else ""
    return f"{letter}_{module}{where.symbol}_{where.offset}"
