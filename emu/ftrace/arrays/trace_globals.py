# SPDX-License-Identifier: GPL-2.0-only
"""What all trace arrays of a kernel share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from emu.cpu.native import cpu_records
from emu.ftrace.arch import FtraceArch
from emu.ftrace.arrays.array_records import RecordLists
from emu.ftrace.buffers.clocks import Clocks
from emu.ftrace.buffers.saved_cmdlines import SavedCmdlines
from emu.ftrace.buffers.saved_tgids import SavedTgids
from emu.ftrace.buffers.snapshots import Snapshots
from emu.ftrace.dynevent.dyn_event import DynamicEventKind, DynamicEvents
from emu.ftrace.dynevent.symbol_names import SymbolNames
from emu.ftrace.errors import TraceError
from emu.ftrace.event.call import EventCall
from emu.ftrace.event.catalogue import Catalogue
from emu.ftrace.event.filter_program import EventFilter
from emu.ftrace.guest.kernel_values import KernelValues
from emu.ftrace.guest.printed_events import PrintedEvents
from emu.ftrace.guest.printk_formats import PrintkFormats
from emu.ftrace.guest.symbols import KernelSymbols
from emu.ftrace.guest.top_array import GuestArray
from emu.ftrace.native.guest_records import Guest
from emu.ftrace.native.trace_records import EventFile
from emu.ftrace.probes.guest_kprobes import GuestKprobes
from emu.ftrace.probes.kprobes import Kprobes
from emu.ftrace.probes.rethooks import Rethooks
from emu.ftrace.sites.call_sites import Sites
from emu.ftrace.sites.callbacks import listen
from emu.ftrace.sites.keys import Keys
from emu.ftrace.sites.trampolines import Trampolines
from emu.ftrace.tracers.hwlat_settings import HwlatDetector
from emu.ftrace.tracers.osnoise_settings import Osnoise
from emu.ftrace.tracers.profiler import Profiler
from emu.ftrace.tracers.stack_tracer import StackTracer
from emu.ftrace.tracers.stacks import Stacks
from emu.kernel.kernel import Kernel
from emu.kernel.user_mappings import UserMappings
from emu.native.functions import Compiled

if TYPE_CHECKING:
    from emu.cpu.native.cpu_records import Cpu
    from emu.ftrace.dynevent.kprobe_events import KprobeEvents
    from emu.ftrace.hist.histogram import Histograms
    from emu.ftrace.native.trace_records import ArrayCpu
    from emu.ftrace.native.trigger import TriggerHandlers
    from emu.ftrace.tracers.hardware_events import HardwareEvents
    from emu.ftrace.tracers.wakeups import Wakeups
    from emu.native.functions import Compiled

__all__ = ["TraceGlobals"]

_BUFFER_KB = 1408
_HIST_MEMORY = 512 << 20  # bytes


class TraceGlobals:
    """State that all trace arrays share: events, formats, names of functions and tasks, clocks, layouts of guest structures.

    Args:
        kernel: with its image loaded.
        arch: the call sites of its architecture.
        warn: called with a sentence about something that cannot be traced or printed.
        pointer_key: varies the hashes that replace addresses in the text of events.

    Attributes:
        buffer_kb: the size of each CPU's ring buffer for tracing, unless another one was set.
    """

    def __init__(self, kernel: Kernel, arch: FtraceArch, warn: Callable[[str], None], pointer_key: int) -> None:
        self._kernel = kernel
        self._arch = arch
        self.buffer_kb = _BUFFER_KB
        self.warn = warn
        self.work = kernel.work
        self.log = kernel.log
        self.timing_model = kernel.board.timing_model
        self.kernel_values = KernelValues(kernel.memory)
        self.pointer_key = pointer_key
        self.guest = Guest.of(kernel.image, kernel.arch.saved_registers(kernel.image))
        self.user_mappings = UserMappings(kernel.memory, kernel.tasks)
        self.symbols = KernelSymbols(kernel.image, kernel.modules)
        self.records = RecordLists(kernel)
        self.keys = Keys(kernel.memory, arch)
        self.sites = Sites(kernel.board, kernel.memory, arch, kernel.module_files)
        self.trampolines = Trampolines(kernel, self.records)
        self.rethooks = Rethooks(kernel, arch, self.guest, self.records)
        self.kprobes = Kprobes(
            kernel, arch, self.guest, self.records, self.sites, self.keys, self.trampolines, self.rethooks, warn
        )
        self.guest_kprobes = GuestKprobes(self.kprobes)
        self.stacks = Stacks(kernel, arch, self.guest, self.records, self.keys, self.kprobes)
        self.stack_tracer = StackTracer(
            arch, self.guest, self.records, self.stacks, kernel.symbols, self.sites.functions
        )
        self.profiler = Profiler(self.records)
        self.events = Catalogue(
            kernel.memory, self.records, kernel.work, kernel.log.write_once, lambda: arch.put_made_event(self.guest)
        )
        self.printed_events = PrintedEvents(kernel, self.records, self.events)
        self.dynamic_events = DynamicEvents(self.events, self._kinds)
        self.symbol_names = SymbolNames(self.symbols)
        self.clocks = Clocks(kernel, arch, self.records)
        self.printk_formats = PrintkFormats(kernel.memory, self.kernel_values)
        self.osnoise = Osnoise(kernel.memory, kernel.work, len(kernel.board.cpus))
        self.saved_cmdlines = SavedCmdlines(kernel.tasks, self.records)
        self.saved_tgids = SavedTgids(kernel.tasks, self.records)
        self.guest_array = GuestArray(kernel.memory)
        self.snapshots = Snapshots(kernel, arch, self.guest, self.records)
        self.hwlat = HwlatDetector(kernel.memory, kernel.work)
        self.hardware_events = self._hardware_events()

    # Modules that are rarely needed are imported when they are used.

    def _hardware_events(self) -> HardwareEvents | None:
        """Samples of the board's counters; None if it has none."""
        board = self._kernel.board
        if board.timing is None:
            return None
        from emu.ftrace.tracers.hardware_events import HardwareEvents

        return HardwareEvents(board, board.timing, self.records, self.events)

    @cached_property
    def kprobe_events(self) -> KprobeEvents:
        """The events made by kprobes."""
        from emu.ftrace.dynevent.kprobe_events import KprobeEvents

        return KprobeEvents(
            self._kernel, self._arch, self.guest, self.events, self.kprobes, self.symbols, self.symbol_names
        )

    def _kinds(self) -> Sequence[DynamicEventKind]:
        """The kinds of events that can be defined while the machine runs."""
        from emu.ftrace.dynevent.eprobe_events import EprobeEvents
        from emu.ftrace.dynevent.synthetic import SyntheticEvents
        from emu.ftrace.dynevent.uprobe_events import UprobeEvents
        from emu.ftrace.probes.uprobes import Uprobes

        kernel, arch, guest, events, defined = self._kernel, self._arch, self.guest, self.events, self.dynamic_events
        return [
            self.kprobe_events,
            UprobeEvents(arch, guest, events, Uprobes(kernel, arch, guest, self.records), kernel.work, defined),
            EprobeEvents(arch, guest, defined, events, kernel.modules, self.symbols, self.symbol_names, self.event_filter),
            SyntheticEvents(events),
        ]

    @cached_property
    def hists(self) -> Histograms:
        """State that the histograms of all arrays share."""
        from emu.ftrace.hist.histogram import Histograms
        from emu.ftrace.hist.text import HistNames

        return Histograms(
            _HIST_MEMORY,
            HistNames(self.symbols, self.events.syscall_name),
            lambda: self._arch.hist_handlers(self.guest),
            lambda: self.stacks.callbacks().key_stack,
            self.events,
            self.dynamic_events,
            self.clocks,
        )

    def has_symbol(self, name: str) -> bool:
        """Whether the kernel has a symbol of this name."""
        return name in self._kernel.image.symbols

    @cached_property
    def wakeups(self) -> Wakeups:
        """Follows wakeups for a tracer."""
        from emu.ftrace.tracers.wakeups import Wakeups

        self.stacks.use()
        return Wakeups(self._kernel, self.events, self._arch.wakeup_handlers(self.guest))

    def branch_statistics(self) -> str:
        """The text of trace_stat/branch_annotated."""
        from emu.ftrace.tracers.branches import annotated_branches

        return annotated_branches(self._kernel.memory)

    def event_handler(self) -> Compiled[[cpu_records.Cpu, EventFile], None]:
        """The native handler of events with uses other than recording."""
        from emu.ftrace.native import event_handler

        return event_handler.build()

    def section_handler(self) -> Compiled[[Cpu, ArrayCpu], None]:
        """The native handler that records critical sections. From now on the guest's hooks are observed."""
        self.stacks.use()
        keep, *hooks = self._arch.section_callbacks(self.guest)
        listen(self._kernel, hooks)
        return keep

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
            array.string_test = self._arch.string_test(self.guest)
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
        for index, task in self._kernel.tasks.running().items():
            if self.records.recorded(index):
                self.remember_task(task)
