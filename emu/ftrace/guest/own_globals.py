# SPDX-License-Identifier: GPL-2.0-only
"""What all trace arrays of emu's own kernel share, besides what those of any kernel do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from emu.ftrace.arch import FtraceArch
from emu.ftrace.arrays.array_records import ArrayRecords, RecordLists
from emu.ftrace.arrays.trace_globals import TraceGlobals
from emu.ftrace.buffers.entries import Events
from emu.ftrace.dynevent.dyn_event import DynamicEventKind
from emu.ftrace.event.guest_catalogue import GuestCatalogue
from emu.ftrace.guest.kernel_values import GuestValues
from emu.ftrace.guest.printed_events import PrintedEvents
from emu.ftrace.guest.printk_formats import PrintkFormats
from emu.ftrace.guest.symbols import KernelSymbols
from emu.ftrace.guest.top_array import GuestArray
from emu.ftrace.native.guest_records import Guest
from emu.ftrace.probes.guest_kprobes import GuestKprobes
from emu.ftrace.probes.kprobes import Kprobes
from emu.ftrace.probes.rethooks import Rethooks
from emu.ftrace.sites.call_sites import Sites
from emu.ftrace.sites.callbacks import listen
from emu.ftrace.sites.keys import Keys
from emu.ftrace.sites.trampolines import Trampolines
from emu.ftrace.tracers.hwlat_settings import HwlatDetector
from emu.ftrace.tracers.osnoise_settings import Osnoise
from emu.ftrace.tracers.stacks import Stacks
from emu.kernel.kernel import Kernel
from emu.kernel.user_mappings import MappedFile, UserMappings
from emu.kernel.work import WorkKind
from emu.native.functions import Compiled

if TYPE_CHECKING:
    from emu.cpu.native.cpu_records import Cpu
    from emu.ftrace.dynevent.kprobe_events import KprobeEvents
    from emu.ftrace.native.trace_records import ArrayCpu
    from emu.ftrace.tracers.hardware_events import HardwareEvents
    from emu.ftrace.tracers.tracer import TracedArray
    from emu.ftrace.tracers.wakeups import Wakeups

__all__ = ["OwnGlobals"]

_ALL_CPUS = -1  # the guest's number for a dump of all CPUs


class OwnGlobals(TraceGlobals):
    """State that all trace arrays share on emu's own kernel.

    Args:
        kernel: with its image loaded.
        arch: the call sites of its architecture.
        warn, pointer_key: see TraceGlobals.
    """

    events: GuestCatalogue
    stacks: Stacks
    symbols: KernelSymbols

    def __init__(self, kernel: Kernel, arch: FtraceArch, warn: Callable[[str], None], pointer_key: int) -> None:
        self._kernel = kernel
        self._arch = arch
        self.work = kernel.work
        guest = Guest.of(kernel.image, kernel.arch.saved_registers(kernel.image))
        symbols = KernelSymbols(kernel.image, kernel.modules)
        # The first CPU starts with the area in the image; each other CPU reports its own.
        records = RecordLists(kernel, {0: kernel.image.symbol("pcpu_hot")})
        for array in records.arrays:
            array.return_trampoline = kernel.image.symbol("return_to_handler")
            array.rethook_trampoline = kernel.image.symbol("arch_rethook_trampoline")
        self.keys = Keys(kernel.memory, arch)
        self.sites = Sites(kernel.board, kernel.memory, arch, kernel.module_files)
        self.trampolines = Trampolines(kernel, records)
        self.rethooks = Rethooks(kernel, arch, guest, records)
        self.kprobes = Kprobes(kernel, arch, guest, records, self.sites, self.keys, self.trampolines, self.rethooks, warn)
        self.guest_kprobes = GuestKprobes(self.kprobes)
        stacks = Stacks(kernel, arch, guest, records, self.keys, self.kprobes)
        events = GuestCatalogue(
            kernel.memory, records, kernel.work, kernel.log.write_once, lambda: arch.put_made_event(guest)
        )
        self.printed_events = PrintedEvents(kernel, records, events)
        super().__init__(
            kernel, arch, guest, records, self.sites, stacks, symbols, events, warn=warn, pointer_key=pointer_key
        )
        self.kernel_values = GuestValues(kernel.memory)
        self.printk_formats = PrintkFormats(kernel.memory, self.kernel_values)
        self.osnoise = Osnoise(kernel.memory, kernel.work, len(kernel.board.cpus))
        self._user_mappings = UserMappings(kernel.memory, kernel.tasks)
        self._guest_array = GuestArray(kernel.memory)
        self.hwlat = HwlatDetector(kernel.memory, kernel.work)
        self.hardware_events = self._hardware_events()

    @classmethod
    def of(cls, array: TracedArray) -> OwnGlobals:
        """Those of an array whose tracer only emu's own kernel has."""
        assert isinstance(array.globals, cls)
        return array.globals

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

        arch, cpus = self._arch, len(self._kernel.board.cpus)
        return KprobeEvents(
            arch, arch.probing().registers, self.guest, self.events, self.kprobes, self.symbols, self.symbol_names, cpus=cpus
        )

    def _kinds(self) -> Sequence[DynamicEventKind]:
        from emu.ftrace.dynevent.eprobe_events import EprobeEvents
        from emu.ftrace.dynevent.synthetic import SyntheticEvents
        from emu.ftrace.dynevent.uprobe_events import UprobeEvents
        from emu.ftrace.native.trace_values import UNDERFLOWS
        from emu.ftrace.probes.uprobes import Uprobes

        kernel, arch, guest, events, defined = self._kernel, self._arch, self.guest, self.events, self.dynamic_events
        registers, symbols, names = arch.probing().registers, self.symbols, self.symbol_names
        return [
            self.kprobe_events,
            UprobeEvents(
                arch, registers, guest, events, Uprobes(kernel, arch, guest, self.records), kernel.work.refuse, defined,
                depth=int(UNDERFLOWS),
            ),
            EprobeEvents(arch, registers, guest, defined, events, kernel.modules, symbols, names, self.event_filter),
            SyntheticEvents(events),
        ]

    def has_tracer(self, name: str, needed: str | None) -> bool:
        return needed is None or needed in self._kernel.image.symbols

    def _wakeups(self) -> Wakeups:
        from emu.ftrace.tracers.event_wakeups import EventWakeups

        running = self._kernel.image.symbol("runqueues") + self._kernel.image.offset("rq.curr")
        handlers = self._arch.wakeup_handlers(self.guest)
        return EventWakeups(running, len(self._kernel.board.cpus), self.events, handlers)

    def branch_statistics(self) -> str:
        """The text of trace_stat/branch_annotated."""
        from emu.ftrace.tracers.branches import annotated_branches

        return annotated_branches(self._kernel.memory)

    def section_handler(self) -> Compiled[[Cpu, ArrayCpu], None]:
        self.stacks.use()
        keep, *hooks = self._arch.section_callbacks(self.guest)
        listen(self._kernel, hooks)
        return keep

    def check_command(self, name: str) -> None:
        """All are possible."""

    def leave_sections(self) -> None:
        """The tracers' keys have turned the hooks off."""

    def dump(self, cpu: int | None, on_done: Callable[[], None]) -> None:
        self.work.ask(WorkKind.DUMP, _ALL_CPUS if cpu is None else cpu, on_done=lambda result: on_done())

    def mapped_file(self, tgid: int, address: int) -> MappedFile | None:
        return self._user_mappings.find(tgid, address)

    def cpumask_changed(self, records: ArrayRecords, cpus: frozenset[int]) -> None:
        self.hwlat.cpumask_changed(records, cpus)

    def threshold_changed(self, microseconds: int) -> None:
        self._guest_array.set_threshold(microseconds)

    def print_events_as(self, texts: Callable[[Sequence[Events]], Sequence[str]]) -> None:
        self.printed_events.shown_as(texts)

    def after_run(self) -> None:
        self.printed_events.collect()
