# SPDX-License-Identifier: GPL-2.0-only
"""What all trace arrays of a kernel share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING

from emu.cpu.native import cpu_records
from emu.ftrace.arch.native_tracing import NativeTracing
from emu.ftrace.arrays.array_records import ArrayRecords, RecordLists
from emu.ftrace.buffers.clocks import Clocks
from emu.ftrace.buffers.entries import Events
from emu.ftrace.buffers.saved_cmdlines import SavedCmdlines
from emu.ftrace.buffers.saved_tgids import SavedTgids
from emu.ftrace.buffers.snapshots import Snapshots
from emu.ftrace.dynevent.dyn_event import DynamicEventKind, DynamicEvents
from emu.ftrace.dynevent.symbol_names import SymbolNames
from emu.ftrace.errors import TraceError
from emu.ftrace.event.call import EventCall
from emu.ftrace.event.catalogue import Catalogue
from emu.ftrace.event.filter_program import EventFilter
from emu.ftrace.guest.traced_kernel import KernelValues, Places, TracedKernel, TracedSymbols
from emu.ftrace.native.guest_records import Guest
from emu.ftrace.native.trace_records import EventFile
from emu.ftrace.text.pointer_hash import keyed_hash
from emu.ftrace.text.view import Prototypes
from emu.ftrace.tracers.profiler import Profiler
from emu.ftrace.tracers.stack_tracer import StackTracer
from emu.ftrace.tracers.stack_traces import StackTraces
from emu.kernel.user_mappings import MappedFile
from emu.native.functions import Compiled

if TYPE_CHECKING:
    from emu.cpu.native.cpu_records import Cpu
    from emu.ftrace.hist.histogram import Histograms
    from emu.ftrace.native.trace_records import ArrayCpu
    from emu.ftrace.native.trigger import TriggerHandlers
    from emu.ftrace.tracers.wakeups import Wakeups

__all__ = ["TraceGlobals"]

_BUFFER_KB = 1408
_HIST_MEMORY = 512 << 20  # bytes


class TraceGlobals(ABC):
    """State that all trace arrays share: events, formats, names of functions and tasks, clocks, layouts of guest structures.

    Args:
        kernel: the kernel that is traced.
        arch: the native code for it.
        guest: the layout of its structures.
        records: the records of all trace arrays.
        sites: the functions that can be traced.
        stacks: prepares stack traces.
        symbols: the names in traces.
        events: the events that exist.
        warn: called with a sentence about something that cannot be traced or printed.
        pointer_key: varies the hashes that replace addresses in the text of events.

    Attributes:
        hash_pointer: the number that %p shows instead of an address.
        buffer_kb: the size of each CPU's ring buffer for tracing, unless another one was set.
        kernel_values: values for the text of events.
        prototypes: what the kernel's functions take, if entries of calls have room for what they are given and return; else None.
    """

    kernel_values: KernelValues
    prototypes: Prototypes | None = None

    def __init__(
        self,
        kernel: TracedKernel,
        arch: NativeTracing,
        guest: Guest,
        records: RecordLists,
        sites: Places,
        stacks: StackTraces,
        symbols: TracedSymbols,
        events: Catalogue,
        *,
        warn: Callable[[str], None],
        pointer_key: int,
    ) -> None:
        self._traced, self._native = kernel, arch
        self.buffer_kb = _BUFFER_KB
        self.warn = warn
        self.log = kernel.log
        self.timing_model = kernel.board.timing_model
        self.hash_pointer: Callable[[int], int] = partial(keyed_hash, pointer_key)
        self.guest, self.records, self.stacks, self.events = guest, records, stacks, events
        self.symbols = symbols
        self.stack_tracer = StackTracer(arch, guest, records, stacks, kernel.symbols, sites.functions)
        self.profiler = Profiler(records)
        self.dynamic_events = DynamicEvents(events, self._kinds)
        self.symbol_names = SymbolNames(symbols)
        self.clocks = Clocks(kernel, arch, records)
        self.saved_cmdlines = SavedCmdlines(kernel.tasks, records)
        self.saved_tgids = SavedTgids(kernel.tasks, records)
        self.snapshots = Snapshots(kernel, arch, guest, records)

    # What depends on whose kernel it is

    @abstractmethod
    def has_tracer(self, name: str, needed: str | None) -> bool:
        """Whether a tracer is possible on this kernel. `needed`: the symbol that emu's own kernel must have for it."""

    @abstractmethod
    def _kinds(self) -> Sequence[DynamicEventKind]:
        """The kinds of events that can be defined while the machine runs."""

    @abstractmethod
    def section_handler(self) -> Compiled[[Cpu, ArrayCpu], None]:
        """The native handler that records critical sections. From now on the kernel's sections are observed."""

    @abstractmethod
    def check_command(self, name: str) -> None:
        """Raises TraceError: EOPNOTSUPP if this kernel cannot obey a command of a trigger or of set_ftrace_filter."""

    @abstractmethod
    def leave_sections(self) -> None:
        """No array traces critical sections any longer."""

    @abstractmethod
    def dump(self, cpu: int | None, on_done: Callable[[], None]) -> None:
        """Makes the kernel print the buffers of one CPU, or of all, on its console. Calls `on_done` when it has done that."""

    @abstractmethod
    def mapped_file(self, tgid: int, address: int) -> MappedFile | None:
        """The file at an address of a process; None if that is not known."""

    @abstractmethod
    def cpumask_changed(self, records: ArrayRecords, cpus: frozenset[int]) -> None:
        """An array's tracing_cpumask was written."""

    @abstractmethod
    def threshold_changed(self, microseconds: int) -> None:
        """tracing_thresh was written."""

    @abstractmethod
    def print_events_as(self, texts: Callable[[Sequence[Events]], Sequence[str]]) -> None:
        """`texts`: the text of events that the kernel prints as they are recorded."""

    @abstractmethod
    def after_run(self) -> None:
        """The machine has run for a moment."""

    def events_refused(self, errors: Sequence[TraceError], wanted: int) -> None:
        """Some of `wanted` events that were to be recorded cannot happen here; all others are recorded.

        Raises:
            TraceError: the first error, unless this kernel lets it pass.
        """
        raise errors[0]

    # Modules that are rarely needed are imported when they are used.

    @cached_property
    def hists(self) -> Histograms:
        """State that the histograms of all arrays share."""
        from emu.ftrace.hist.histogram import Histograms
        from emu.ftrace.hist.text import HistNames

        return Histograms(
            _HIST_MEMORY,
            HistNames(self.symbols, self.events.syscall_name),
            lambda: self._native.hist_handlers(self.guest),
            lambda: self.stacks.callbacks().key_stack,
            self.events,
            self.dynamic_events,
            self.clocks,
        )

    @cached_property
    def wakeups(self) -> Wakeups:
        """Follows wakeups for a tracer."""
        self.stacks.use()
        return self._wakeups()

    @abstractmethod
    def _wakeups(self) -> Wakeups:
        """The same, when it is first needed."""

    def event_handler(self) -> Compiled[[cpu_records.Cpu, EventFile], None]:
        """The native handler of events with uses other than recording."""
        from emu.ftrace.native import event_handler

        return event_handler.build()

    def trigger_handlers(self) -> TriggerHandlers:
        """The native handlers of triggers and commands."""
        from emu.ftrace.native import trigger

        return trigger.build()

    def event_filter(self, call: EventCall, text: str) -> EventFilter:
        """A filter of an event, which native code can run.

        Raises:
            TraceError: EINVAL, with the report for error_log.
        """
        made = EventFilter(call, text, self.symbols.function)
        for array in self.records.arrays:
            array.string_test = self._native.string_test(self.guest)
        return made

    def condition(self, call: EventCall, text: str) -> EventFilter:
        """The filter of a trigger. As in Linux, its errors do not go to error_log."""
        try:
            return self.event_filter(call, text)
        except TraceError as error:
            error.logged = None
            raise

    def remember_task(self, task: int) -> None:
        """Saves the name and thread group, if they are recorded, of a task that has recorded an event."""
        self.saved_cmdlines.remember_task(task)
        self.saved_tgids.remember_task(task)

    def remember_running(self) -> None:
        """Saves those of the running tasks that have recorded events since they were switched in."""
        for index, task in self._traced.tasks.running().items():
            if self.records.recorded(index):
                self.remember_task(task)
