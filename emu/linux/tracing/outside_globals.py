# SPDX-License-Identifier: GPL-2.0-only
"""What all trace arrays of a Linux guest share."""

from __future__ import annotations

import errno
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from emu.ftrace.arrays.array_records import ArrayRecords, RecordLists
from emu.ftrace.arrays.trace_globals import TraceGlobals
from emu.ftrace.buffers.entries import Events
from emu.ftrace.dynevent.dyn_event import DynamicEventKind
from emu.ftrace.errors import TraceError
from emu.ftrace.event.call import EventCall
from emu.ftrace.native.guest_records import Guest
from emu.ftrace.text.pointer_hash import KEY_SIZE, siphash
from emu.ftrace.text.prototypes import BtfPrototypes
from emu.ftrace.tracers.stack_traces import StackTraces
from emu.kernel.user_mappings import MappedFile
from emu.linux import arch
from emu.linux.tracing import arch as outside
from emu.linux.tracing.events.catalogue import LinuxCatalogue
from emu.linux.tracing.events.sources import EventSources
from emu.linux.tracing.events.syscall_source import SyscallSources
from emu.linux.tracing.events.tables import EventTables
from emu.linux.tracing.functions import TracedFunctions
from emu.linux.tracing.kernel import LinuxKernel
from emu.linux.tracing.kprobes import WatchedKprobes
from emu.linux.tracing.tracepoints import Tracepoints
from emu.linux.tracing.uprobes import WatchedUprobes
from emu.linux.tracing.values import LinuxValues
from emu.linux.tracing.wakeups import CallWakeups, Wakers
from emu.native.functions import Compiled
from emu.native.records import u64

if TYPE_CHECKING:
    from emu.cpu.native.cpu_records import Cpu
    from emu.ftrace.native.trace_records import ArrayCpu
    from emu.ftrace.tracers.wakeups import Wakeups
    from emu.linux.tracing.defined_events import DefinedEvents

__all__ = ["OutsideGlobals"]

_TRACERS = frozenset({"nop", "function", "function_graph", "irqsoff", "preemptoff", "preemptirqsoff"})
_OF_WAKEUPS = frozenset({"wakeup", "wakeup_rt", "wakeup_dl"})


class _GuestPointerHash:
    """The numbers that the guest's own traces show instead of addresses. Before the guest has chosen its key: `others`."""

    def __init__(self, kernel: LinuxKernel, others: Callable[[int], int]) -> None:
        self._kernel, self._others = kernel, others

    def __call__(self, address: int) -> int:
        place = self._kernel.address_of("ptr_key")
        key = self._kernel.memory.read(place, KEY_SIZE) if place else b""
        return siphash(key, address) if any(key) else self._others(address)


class OutsideGlobals(TraceGlobals):
    """State that all trace arrays share on a Linux guest.

    Args:
        wakers: the functions by which wakeups are followed.
        tables: where the kernel declares its events.
        tracepoints: what makes them happen.
        kprobes, uprobes: all kprobes and uprobes.
        syscalls: makes those of system calls.
        values: the kernel's, for the text of events.
        others: see TraceGlobals.
    """

    prototypes: BtfPrototypes
    events: LinuxCatalogue

    def __init__(
        self,
        kernel: LinuxKernel,
        native: outside.OutsideTracing,
        guest: Guest,
        records: RecordLists,
        functions: TracedFunctions,
        stacks: StackTraces,
        prototypes: BtfPrototypes,
        wakers: Wakers,
        tables: EventTables,
        tracepoints: Tracepoints,
        kprobes: WatchedKprobes,
        uprobes: WatchedUprobes,
        syscalls: SyscallSources,
        values: LinuxValues,
        *,
        warn: Callable[[str], None],
        pointer_key: int,
    ) -> None:
        self._arch, self._kernel, self._wakers = native, kernel, wakers
        self.kprobes, self._uprobes, self._functions = kprobes, uprobes, functions
        if wakers.missing is not None:
            warn(f"the kernel has no function {wakers.missing}: there are no tracers of wakeups")
        self.syscalls = syscalls
        self._refusals: set[str] = set()
        self._at_block: Compiled[[Cpu, u64], None] | None = None
        self.tracepoints = tracepoints
        sources = EventSources(tracepoints, syscalls, lambda call: self.events.record(call))
        events = LinuxCatalogue(records, lambda: native.put_made_event(guest), tables, sources, warn)
        super().__init__(
            kernel, native, guest, records, functions, stacks, kernel.symbols, events, warn=warn, pointer_key=pointer_key
        )
        self.hash_pointer = _GuestPointerHash(kernel, self.hash_pointer)
        self.kernel_values = values
        self.prototypes = prototypes
        for array in records.arrays:
            array.with_results = True

    def has_tracer(self, name: str, needed: str | None) -> bool:
        return name in _TRACERS or (name in _OF_WAKEUPS and self._wakers.missing is None)

    @cached_property
    def defined_events(self) -> DefinedEvents:
        """The kinds of events that can be defined."""
        from emu.linux.tracing.defined_events import DefinedEvents  # imported when needed: it is compiled

        return DefinedEvents(
            self, self.prototypes, self._arch, self._kernel, self.tracepoints, self.kprobes, self._uprobes, self._functions
        )

    def _kinds(self) -> Sequence[DynamicEventKind]:
        return self.defined_events.kinds

    def section_handler(self) -> Compiled[[Cpu, ArrayCpu], None]:
        self.stacks.use()
        keep, at_block = self._arch.watched_sections(self.guest)
        self._look_at_blocks(at_block)
        return keep

    def leave_sections(self) -> None:
        self._look_at_blocks(None)

    def _look_at_blocks(self, handler: Compiled[[Cpu, u64], None] | None) -> None:
        """Calls a function, or none any more, before each block of the kernel and of its modules."""
        if handler is not self._at_block:
            self._at_block = handler
            start, end = (0, 0) if handler is None else (arch.KERNEL_HALF, arch.MODULES_END)
            self._kernel.board.callouts.look_at_blocks(start, end, handler, handler)
            for cpu in self._kernel.board.cpus:
                cpu.forget_all()

    def _wakeups(self) -> Wakeups:
        return CallWakeups(self._kernel, self._wakers.places, self.records, self._arch.wakeup_calls(self.guest))

    def check_command(self, name: str) -> None:
        if name in ("dump", "cpudump"):
            raise TraceError(errno.EOPNOTSUPP, f"a Linux guest does not print the host's buffers, as '{name}' would have it do")

    def dump(self, cpu: int | None, on_done: Callable[[], None]) -> None:
        raise AssertionError("check_command does not let it come to this")

    def events_refused(self, errors: Sequence[TraceError], wanted: int) -> None:
        """Of several events, those that cannot be had from outside are left out, and told once."""
        if wanted == 1:
            raise errors[0]
        for why in dict.fromkeys(error.why for error in errors):
            if why not in self._refusals:
                self._refusals.add(why)
                self.warn(why)

    def record_strings(self, size: int) -> list[EventCall]:
        """The events of system calls have strings of arguments, of at most so many characters; 0: they have none.

        Returns the events that are replaced by others, which the arrays must forget.

        Raises:
            TraceError: EBUSY, such an event is in use.
        """
        if bool(size) != bool(self.syscalls.string_size):
            for call in self.events.calls_with_strings:
                needed = any(one.needs(call) for one in self.dynamic_events.of())
                if needed or (call.source is not None and call.source.in_use):
                    raise TraceError(errno.EBUSY, f"the format of {call.path} cannot change: it is in use")
        self.syscalls.string_size = size
        return self.events.show_strings(size > 0)

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
