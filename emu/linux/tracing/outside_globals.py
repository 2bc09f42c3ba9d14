# SPDX-License-Identifier: GPL-2.0-only
"""What all trace arrays of a Linux guest share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from emu.ftrace.arrays.array_records import ArrayRecords, RecordLists
from emu.ftrace.arrays.trace_globals import TraceGlobals
from emu.ftrace.buffers.entries import Events
from emu.ftrace.dynevent.dyn_event import DynamicEventKind
from emu.ftrace.event.catalogue import Catalogue
from emu.ftrace.native.guest_records import Guest
from emu.ftrace.tracers.stack_traces import StackTraces
from emu.kernel.user_mappings import MappedFile
from emu.linux.memory import LinuxMemory
from emu.linux.tracing.functions import TracedFunctions
from emu.linux.tracing.kernel import LinuxKernel
from emu.linux.tracing.native import OutsideTracing
from emu.native.functions import Compiled

if TYPE_CHECKING:
    from emu.cpu.native.cpu_records import Cpu
    from emu.ftrace.native.trace_records import ArrayCpu

__all__ = ["OutsideGlobals"]

_TRACERS = frozenset({"nop", "function", "function_graph"})


class _Values:
    """Values of the kernel for the text of events."""

    def __init__(self, memory: LinuxMemory) -> None:
        self._memory = memory
        self.constants: Mapping[str, int] = {}

    def variables(self) -> Mapping[str, int]:
        return {}

    def string_at(self, address: int) -> str | None:
        try:
            return self._memory.string(address)
        except LookupError:
            return None


class OutsideGlobals(TraceGlobals):
    """State that all trace arrays share on a Linux guest. Args: see TraceGlobals."""

    def __init__(
        self,
        kernel: LinuxKernel,
        arch: OutsideTracing,
        guest: Guest,
        records: RecordLists,
        functions: TracedFunctions,
        stacks: StackTraces,
        *,
        warn: Callable[[str], None],
        pointer_key: int,
    ) -> None:
        events = Catalogue(records, lambda: arch.put_made_event(guest))
        super().__init__(
            kernel, arch, guest, records, functions, stacks, kernel.symbols, events, warn=warn, pointer_key=pointer_key
        )
        self.kernel_values = _Values(kernel.memory)
        self._said = False  # that there are no dumps

    def has_tracer(self, name: str, needed: str | None) -> bool:
        return name in _TRACERS

    def _kinds(self) -> Sequence[DynamicEventKind]:
        return ()

    def section_handler(self) -> Compiled[[Cpu, ArrayCpu], None]:
        raise NotImplementedError

    @property
    def _running_task(self) -> int:
        raise NotImplementedError

    def dump(self, cpu: int | None, on_done: Callable[[], None]) -> None:
        """A Linux guest prints no buffers of the host. They stay to be read: recording has been switched off."""
        if not self._said:
            self._said = True
            self.warn("a Linux guest prints no buffers of the host: recording is off, and the file trace has what was recorded")
        on_done()

    def mapped_file(self, tgid: int, address: int) -> MappedFile | None:
        return None

    def cpumask_changed(self, records: ArrayRecords, cpus: frozenset[int]) -> None:
        """The native code looks at the buffers only."""

    def threshold_changed(self, microseconds: int) -> None:
        """The guest's kernel does not know it."""

    def print_events_as(self, texts: Callable[[Sequence[Events]], Sequence[str]]) -> None:
        """A Linux guest prints no events of the host."""

    def after_run(self) -> None:
        """Nothing is left to do."""
