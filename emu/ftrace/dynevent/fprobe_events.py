# SPDX-License-Identifier: GPL-2.0-only
"""Events of functions and of tracepoints, on a kernel whose types are known (Documentation/trace/fprobetrace.rst):

    f[:[GROUP/][EVENT]] [MODULE:]SYMBOL [ARGUMENTS]
    f[MAXACTIVE][:[GROUP/][EVENT]] [MODULE:]SYMBOL%return [ARGUMENTS]
    t[:[GROUP/][EVENT]] TRACEPOINT [ARGUMENTS]
"""

from __future__ import annotations

import errno
import re
from abc import abstractmethod
from collections.abc import Callable, Collection
from typing import Protocol

from emu.ftrace.dynevent.c_types import CTypes, Signature
from emu.ftrace.dynevent.dyn_event import DynamicEventKind
from emu.ftrace.dynevent.event_names import parse_event_name, sanitized
from emu.ftrace.dynevent.fetch_program import FetchProgram
from emu.ftrace.dynevent.kprobe_events import FunctionTypes, KprobeEvents, parse_maxactive, parse_place
from emu.ftrace.dynevent.probe_errors import ProbeCommand, ProbeError, split_words
from emu.ftrace.dynevent.probe_event import Probe, ProbeEvent
from emu.ftrace.errors import TraceError
from emu.ftrace.event.catalogue import Catalogue
from emu.ftrace.native.probe_record import ProbeHandler
from emu.ftrace.native.trace_records import Consumer
from emu.ftrace.probes.placing import ProbePlace

__all__ = ["FprobeEvents", "TprobeEvents", "TracepointArguments"]

_OF_FUNCTIONS, _OF_TRACEPOINTS = "fprobes", "tracepoints"  # the default groups


class TracepointArguments(Protocol):
    """The tracepoints of a kernel and its modules."""

    def tracepoints(self) -> Collection[str]:
        """Their names."""

    def tracepoint_types(self, name: str) -> CTypes:
        """The types that code at a tracepoint knows."""

    def tracepoint_signature(self, name: str) -> Signature | None:
        """The arguments of a tracepoint; None if they are not known."""

    def listen_arguments(self, tracepoint: str, consumer: Consumer) -> None:
        """Runs a consumer whenever a tracepoint is reached. Its registers are as if a function with the arguments began.

        Raises:
            TraceError: it cannot be seen.
        """

    def unlisten_arguments(self, consumer: Consumer) -> None:
        """Ends that."""


class _Fprobe(Probe):
    """One probe of a function."""

    kind: FprobeEvents

    def __init__(
        self,
        kind: FprobeEvents,
        handler: ProbeHandler,
        event: ProbeEvent,
        program: FetchProgram,
        where: ProbePlace,
        maxactive: int | None,
    ) -> None:
        super().__init__(kind, event, handler, event.layout.arguments, program)
        self._where, self._maxactive = where, maxactive

    def __str__(self) -> str:
        return self.shown(f"f{self._maxactive or ''}")

    @property
    def place(self) -> str:
        where = self._where
        symbol = f"{where.module}:{where.symbol}" if where.module else where.symbol
        return symbol if self._maxactive is None else f"{symbol}%return"

    def check(self, command: ProbeCommand) -> None:
        placing, symbol = self.kind.kprobes.kprobes, self._where.symbol
        if self._where.module is None and placing.count(symbol) > 1:
            raise command.error(ProbeError.NON_UNIQ_SYMBOL, 1, code=errno.EADDRNOTAVAIL)
        try:
            placing.check_return(self._where)
        except TraceError as error:
            raise command.error(ProbeError.FAIL_REG_PROBE, 1, code=error.code, why=error.why) from None

    def arm(self) -> None:
        if self._maxactive is None:
            self.kind.kprobes.kprobes.add(self._where, self.consumer)
        else:
            self.kind.kprobes.kprobes.add_return(self._where, self.consumer, self._maxactive)

    def disarm(self) -> None:
        self.kind.kprobes.kprobes.remove(self.consumer)


class _Tprobe(Probe):
    """One probe of a tracepoint."""

    kind: TprobeEvents

    def __init__(
        self,
        kind: TprobeEvents,
        handler: ProbeHandler,
        event: ProbeEvent,
        program: FetchProgram,
        tracepoint: str,
    ) -> None:
        super().__init__(kind, event, handler, event.layout.arguments, program)
        self._tracepoint = tracepoint

    def __str__(self) -> str:
        return self.shown("t")

    @property
    def place(self) -> str:
        return self._tracepoint

    def arm(self) -> None:
        self.kind.tracepoints.listen_arguments(self._tracepoint, self.consumer)

    def disarm(self) -> None:
        self.kind.tracepoints.unlisten_arguments(self.consumer)


class _TypedEvents(DynamicEventKind):
    """What both kinds have in common.

    Args:
        letter: the first one of a command.
        kprobes: the kernel's kprobes.
        catalogue: all events.
    """

    def __init__(self, letter: str, kprobes: KprobeEvents, catalogue: Catalogue) -> None:
        self.kprobes, self.catalogue = kprobes, catalogue
        self._letter = letter

    def takes(self, command: str) -> bool:
        words = split_words(command)
        return len(words) > 1 and words[0][0] == self._letter

    @abstractmethod
    def create(self, command: str) -> Probe: ...


class FprobeEvents(_TypedEvents):
    """Events of functions.

    Args:
        kprobes, catalogue: see _TypedEvents.
        types: the kernel's types, and what its functions take.
        is_traceable: whether a function is one of available_filter_functions.
    """

    def __init__(
        self,
        kprobes: KprobeEvents,
        catalogue: Catalogue,
        types: FunctionTypes,
        is_traceable: Callable[[str], bool],
    ) -> None:
        super().__init__("f", kprobes, catalogue)
        self._types, self._is_traceable = types, is_traceable

    def create(self, text: str) -> Probe:
        command = ProbeCommand("trace_fprobe", text)
        where, returns = parse_place(command)
        maxactive = parse_maxactive(command, returns)
        if where.address is not None or where.offset:
            raise command.error(ProbeError.BAD_PROBE_ADDR, 1)
        group, name = parse_event_name(command, _OF_FUNCTIONS)
        types, signature = self._types.types(where), self._types.signature(where)
        site = self.kprobes.site(types, signature, at_entry=not returns, returns=returns, has_registers=False)
        layout, program = self.kprobes.arguments_at(command, site)
        if not self._is_traceable(where.symbol):
            raise command.error(ProbeError.FAIL_REG_PROBE, 1, code=errno.ENOENT, why="that is no function that can be traced")
        handler, event = self.kprobes.handler(returns), ProbeEvent(layout)
        probe = _Fprobe(self, handler, event, program, where, maxactive if returns else None)
        probe.join(self.catalogue, command, group, name or sanitized(f"{where.symbol}__{'exit' if returns else 'entry'}"))
        return probe


class TprobeEvents(_TypedEvents):
    """Events of tracepoints.

    Args:
        kprobes, catalogue: see _TypedEvents.
        tracepoints: the kernel's.
    """

    def __init__(self, kprobes: KprobeEvents, catalogue: Catalogue, tracepoints: TracepointArguments) -> None:
        super().__init__("t", kprobes, catalogue)
        self.tracepoints = tracepoints

    def create(self, text: str) -> Probe:
        command = ProbeCommand("trace_fprobe", text)
        parse_maxactive(command, False)
        tracepoint = command.words[1]
        if bad := re.search(r"\W", tracepoint, re.ASCII):
            raise command.error(ProbeError.BAD_TP_NAME, 1, bad.start())
        group, name = parse_event_name(command, _OF_TRACEPOINTS)
        known = self.tracepoints.tracepoints()
        if tracepoint not in known:
            raise command.error(ProbeError.NO_TRACEPOINT, 1, code=errno.ENOENT, misspelt=(tracepoint, known))
        types, signature = (
            self.tracepoints.tracepoint_types(tracepoint),
            self.tracepoints.tracepoint_signature(tracepoint),
        )
        site = self.kprobes.site(types, signature, at_entry=True, has_registers=False, has_stack=False)
        layout, program = self.kprobes.arguments_at(command, site)
        probe = _Tprobe(self, self.kprobes.handler(False), ProbeEvent(layout), program, tracepoint)
        digit = "_" if tracepoint[0].isdigit() else ""
        probe.join(self.catalogue, command, group, name or sanitized(digit + tracepoint))
        return probe
