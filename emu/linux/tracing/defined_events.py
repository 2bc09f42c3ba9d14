# SPDX-License-Identifier: GPL-2.0-only
"""The events of a Linux guest that are defined outside: of kprobes, functions, tracepoints and other events; synthetic ones."""

from __future__ import annotations

from collections.abc import Sequence

from emu.ftrace.arrays.trace_globals import TraceGlobals
from emu.ftrace.dynevent.c_types import Signature
from emu.ftrace.dynevent.dyn_event import DynamicEventKind
from emu.ftrace.dynevent.eprobe_events import EprobeEvents
from emu.ftrace.dynevent.fprobe_events import FprobeEvents, TprobeEvents
from emu.ftrace.dynevent.kprobe_events import KprobeEvents
from emu.ftrace.dynevent.synthetic import SyntheticEvents
from emu.ftrace.dynevent.uprobe_events import UprobeEvents
from emu.ftrace.errors import TraceError
from emu.ftrace.probes.placing import ProbePlace
from emu.ftrace.text.prototypes import BtfPrototypes
from emu.linux.c_types import LinuxTypes
from emu.linux.tracing import arch as outside
from emu.linux.tracing.functions import TracedFunctions
from emu.linux.tracing.kernel import LinuxKernel
from emu.linux.tracing.kprobes import WatchedKprobes
from emu.linux.tracing.tracepoint_arguments import LinuxTracepoints
from emu.linux.tracing.tracepoints import Tracepoints
from emu.linux.tracing.uprobes import WatchedUprobes

__all__ = ["DefinedEvents"]


class DefinedEvents:
    """The kinds of events.

    Args:
        shared: what all trace arrays share.
        prototypes: what functions take.
        native: the native code.
        kernel: the guest's kernel.
        tracepoints: those of the kernel.
        kprobes, uprobes: all kprobes and uprobes.
        functions: those that can be traced.

    Attributes:
        kprobe_events: those of kprobes.
        kinds: all kinds.
    """

    def __init__(
        self,
        shared: TraceGlobals,
        prototypes: BtfPrototypes,
        native: outside.OutsideTracing,
        kernel: LinuxKernel,
        tracepoints: Tracepoints,
        kprobes: WatchedKprobes,
        uprobes: WatchedUprobes,
        functions: TracedFunctions,
    ) -> None:
        self._kprobes, self._prototypes = kprobes, prototypes
        registers, guest, events = outside.probe_registers(), shared.guest, shared.events
        symbols, names = shared.symbols, shared.symbol_names
        cpus = len(kernel.board.cpus)
        self.kprobe_events = KprobeEvents(
            native, registers, guest, events, kprobes, symbols, names, cpus=cpus, types=self
        )
        arguments = LinuxTracepoints(kprobes.symbols, prototypes, kprobes, tracepoints)
        self.kinds: Sequence[DynamicEventKind] = [
            self.kprobe_events,
            FprobeEvents(self.kprobe_events, events, self, lambda name: name in functions.functions.names),
            TprobeEvents(self.kprobe_events, events, arguments),
            EprobeEvents(native, registers, guest, shared.dynamic_events, events, None, symbols, names, shared.event_filter),
            UprobeEvents(native, registers, guest, events, uprobes, _refuse, shared.dynamic_events),
            SyntheticEvents(events),
        ]

    def types(self, place: ProbePlace) -> LinuxTypes:
        found = self._kprobes.function_at(place)
        return LinuxTypes(self._prototypes.btf("" if found is None else found[1]))

    def signature(self, place: ProbePlace) -> Signature | None:
        found = self._kprobes.function_at(place)
        return None if found is None else LinuxTypes(self._prototypes.btf(found[1])).signature(found[0])


def _refuse(error: TraceError) -> None:
    raise AssertionError("a uprobe takes effect at once, or is refused at once")
