# SPDX-License-Identifier: GPL-2.0-only
"""Events of eprobes, which happen when another event does, and record data reached through its fields:

    e[:[GROUP/][EVENT]] SYSTEM.EVENT [ARGUMENTS] [if FILTER]
"""

from __future__ import annotations

import errno
from collections.abc import Callable, Sequence
from typing import Protocol

from emu.ftrace.arch.native_tracing import NativeTracing
from emu.ftrace.arch.probing import ProbeRegisters
from emu.ftrace.dynevent.argument import Argument, ProbeSite
from emu.ftrace.dynevent.arguments import parse_arguments
from emu.ftrace.dynevent.dyn_event import DynamicEvent, DynamicEventKind, DynamicEvents
from emu.ftrace.dynevent.entry_layout import EntryLayout
from emu.ftrace.dynevent.event_names import parse_event_name
from emu.ftrace.dynevent.fetch_program import FetchProgram
from emu.ftrace.dynevent.probe_errors import ProbeCommand, ProbeError, split_words
from emu.ftrace.dynevent.probe_event import Probe, ProbeEvent
from emu.ftrace.dynevent.symbol_names import SymbolNames
from emu.ftrace.event.call import EventCall, EventKind
from emu.ftrace.event.catalogue import Catalogue
from emu.ftrace.event.files import EventFile
from emu.ftrace.event.filter_program import EventFilter
from emu.ftrace.guest.traced_kernel import TracedSymbols
from emu.ftrace.native.guest_records import Guest
from emu.ftrace.native.probe_record import Probe as ProbeRecord
from emu.ftrace.native.probe_record import ProbeHandler
from emu.ftrace.native.trace_records import Consumer

__all__ = ["EprobeEvents", "HeldModules"]

_GROUP = "eprobes"
_DEPTH = 2  # Linux has disabled preemption for the probed event, and again for this entry


class HeldModules(Protocol):
    """The guest's modules. One whose event is probed cannot be unloaded."""

    def hold(self, name: str) -> None: ...

    def let_go(self, name: str) -> None: ...


class _Attached:
    """The trigger on the probed event by which one array gets an eprobe's event. The file `trigger` does not show it.

    Args:
        probe: the eprobe.
        file: the array's event file of the eprobe's event.
        condition: selects entries of the probed event; None: all.
    """

    target: EventFile | None = None
    needs_entry = True
    event_handler = None

    def __init__(self, probe: _Eprobe, file: EventFile, condition: EventFilter | None) -> None:
        self.kind = probe
        self._fetches = ProbeRecord.allocate()
        self._fetches.words[:] = probe.record.words
        self._fetches.file = file.record
        self._condition = condition
        self.record = Consumer.allocate()
        self.record.words[:] = probe.consumer.words
        self.record.target = self._fetches.address
        self.record.filter = condition.first_step if condition else None

    def __str__(self) -> str:
        return ""

    def release(self) -> None:
        self.record.count = 0


class _EprobeEvent(ProbeEvent):
    """The source of one eprobe's event: an array that enables it gets an entry when the probed event happens there."""

    def __init__(self, layout: EntryLayout, probed: EventCall) -> None:
        super().__init__(layout, title=f"{probed.system}.{probed.name}")
        self._probed = probed
        self._attached: dict[EventFile, _Attached] = {}

    def begin(self, file: object) -> None:
        assert isinstance(file, EventFile)
        (probe,) = self.probes
        assert isinstance(probe, _Eprobe)
        attached = _Attached(probe, file, probe.condition)
        file.files.add_trigger(self._probed, attached)
        self._attached[file] = attached
        super().begin(file)

    def end(self, file: object) -> None:
        assert isinstance(file, EventFile)
        super().end(file)
        file.files.remove_trigger(self._probed, self._attached.pop(file))


class _Eprobe(Probe):
    """One eprobe. `probed`: the probed event; `condition`: selects its entries, None: all."""

    kind: EprobeEvents

    def __init__(
        self,
        kind: EprobeEvents,
        event: ProbeEvent,
        handler: ProbeHandler,
        arguments: Sequence[Argument],
        program: FetchProgram,
        probed: EventCall,
        condition: EventFilter | None,
    ) -> None:
        super().__init__(kind, event, handler, arguments, program)
        self.probed = probed
        self.condition = condition

    def __str__(self) -> str:
        return self.shown("e") + (f" if {self.condition.text}" if self.condition else "")

    @property
    def place(self) -> str:
        return f"{self.probed.system}.{self.probed.name}"

    def needs(self, call: EventCall) -> bool:
        return call is self.probed

    def needs_module(self, module: str) -> bool:
        return self.probed.module == module

    def matches(self, arguments: Sequence[str]) -> bool:
        return super().matches([*(one.replace("/", ".") for one in arguments[:1]), *arguments[1:]])

    def arm(self) -> None:
        """Does nothing: each array's trigger does it."""

    def disarm(self) -> None:
        """Does nothing, for the same reason."""

    def release(self) -> bool:
        self.kind.let_go(self.probed)
        return super().release()


class EprobeEvents(DynamicEventKind):
    """The eprobes.

    Args:
        native: the native code for the kernel.
        registers: those that probes see.
        guest: the layout of the kernel's structures.
        events: all events defined at run time.
        catalogue: all events.
        modules: keeps modules from being unloaded; None: nothing can.
        symbols: the symbols of the kernel and its modules.
        symbol_names: the functions' names, for native code.
        make_filter: makes an event filter. Raises TraceError: EINVAL.
    """

    def __init__(
        self,
        native: NativeTracing,
        registers: ProbeRegisters,
        guest: Guest,
        events: DynamicEvents,
        catalogue: Catalogue,
        modules: HeldModules | None,
        symbols: TracedSymbols,
        symbol_names: SymbolNames,
        make_filter: Callable[[EventCall, str], EventFilter],
    ) -> None:
        self._native, self._registers = native, registers
        self._guest = guest
        self._events = events
        self._catalogue = catalogue
        self._modules = modules
        self._symbols = symbols
        self._symbol_names = symbol_names
        self._make_filter = make_filter

    def takes(self, command: str) -> bool:
        return command.startswith("e") and len(split_words(command)) > 1

    def create(self, command: str) -> DynamicEvent:
        return self._create(ProbeCommand("event_probe", command))

    def _create(self, command: ProbeCommand) -> _Eprobe:
        group, name = parse_event_name(command, _GROUP)
        probed = self._probed(command)
        end = command.words.index("if", 2) if "if" in command.words[2:] else len(command.words)
        if end == len(command.words) - 1:
            raise command.error(ProbeError.NO_EP_FILTER, end)
        text = " ".join(command.words[end + 1 :])
        condition = self._make_filter(probed, text) if text else None
        site = ProbeSite(None, self._symbols.address, event=probed)
        arguments = parse_arguments(command, 2, site, end)
        layout = EntryLayout.of(EventKind.EPROBE, arguments)
        names, faults = self._symbol_names.record, self._native.fault_texts
        program = FetchProgram(layout, self._registers, names, fault_texts=faults)
        handler = self._native.probe_handlers(self._guest).event
        probe = _Eprobe(self, _EprobeEvent(layout, probed), handler, arguments, program, probed, condition)
        probe.join(self._catalogue, command, group, name or probed.name, _DEPTH)
        self._hold(probed)
        return probe

    def _probed(self, command: ProbeCommand) -> EventCall:
        """The probed event."""
        system, _, name = command.words[1].replace("/", ".", 1).partition(".")
        if not (system and name):
            raise command.error(ProbeError.NO_EVENT_INFO, 1)
        call = self._catalogue.find(system, name)
        if call is None or call.kind in (EventKind.FTRACE, EventKind.EPROBE):
            known = [f"{one.system}.{one.name}" for one in self._catalogue.values() if one.kind is not EventKind.FTRACE]
            raise command.error(ProbeError.BAD_ATTACH_EVENT, 1, code=errno.ENODEV, misspelt=(f"{system}.{name}", known))
        return call

    def _hold(self, probed: EventCall) -> None:
        """Keeps the probed event from being removed."""
        if probed.module and self._modules is not None:
            self._modules.hold(probed.module)
        if (defined := self._events.find(probed)) is not None:
            defined.users += 1

    def let_go(self, probed: EventCall) -> None:
        """Allows the probed event to be removed again."""
        if probed.module and self._modules is not None:
            self._modules.let_go(probed.module)
        if (defined := self._events.find(probed)) is not None:
            defined.users -= 1
