# SPDX-License-Identifier: GPL-2.0-only
"""What an architecture provides for dynamic ftrace."""

from __future__ import annotations

import functools
import importlib
import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, ClassVar, NamedTuple, ParamSpec, TypeVar

from emu.cpu.arch import CpuArch
from emu.ftrace.native import context
from emu.ftrace.native.arch import (
    Callbacks,
    EventCallbacks,
    ProbeCallbacks,
    RethookCallbacks,
    SectionCallbacks,
    StackCallbacks,
    TaskCallbacks,
    UprobeCallbacks,
)
from emu.ftrace.native.guest_records import Guest
from emu.kernel.memory import GuestMemory
from emu.native.functions import Compiled

if TYPE_CHECKING:
    from emu.cpu.native.cpu_records import Cpu
    from emu.ftrace.arch.probing import Probing
    from emu.ftrace.native.filter_program import StringTest
    from emu.ftrace.native.hist import HistHandlers
    from emu.ftrace.native.probe_event import ProbeHandlers
    from emu.ftrace.native.stack_tracer_record import StackTracer
    from emu.ftrace.native.trace_records import Stages
    from emu.ftrace.native.tracing_snapshot import SnapshotHandlers
    from emu.ftrace.native.user_memory import UserAddress
    from emu.ftrace.native.wakeup import WakeupHandlers

__all__ = ["Breakpoint", "CodeRange", "FtraceArch", "GraphPath", "OutOfReach", "load"]


class OutOfReach(ValueError):
    """A call site cannot reach the function that it should call."""


class Breakpoint(ABC):
    """The breakpoint instruction for sites that are being patched. Needed if patching a site takes several writes."""

    code: ClassVar[bytes]  # replaces the first bytes of a site in a single write, which CPUs see atomically

    @abstractmethod
    def site(self, memory: GuestMemory, registers: int) -> int:
        """The address of the breakpoint that was hit, from the saved struct pt_regs."""

    @abstractmethod
    def emulate(self, memory: GuestMemory, registers: int, site: int, code: bytes) -> None:
        """Emulates, in the saved struct pt_regs of the breakpoint at `site`, the instruction `code` there."""

    @abstractmethod
    def go_on_at(self, memory: GuestMemory, registers: int, address: int) -> None:
        """Changes the saved struct pt_regs so that the CPU continues at an address."""


CodeRange = tuple[str, int, int]  # a symbol, and the first byte and the end of a range relative to it


class GraphPath(NamedTuple):
    """The code that the guest executes, besides the site's call, for a call recorded by function_graph.

    The host takes the times of entry and return when the last block before them has been charged.
    """

    before_entry: Sequence[CodeRange]
    after_entry: Sequence[CodeRange]
    before_return: Sequence[CodeRange]
    after_return: Sequence[CodeRange]


_P = ParamSpec("_P")
_T = TypeVar("_T")


def _once(method: Callable[_P, _T]) -> Callable[_P, _T]:
    """Makes a method do its work once for each set of arguments, and return the same result afterwards. There is one object per
    architecture.
    """
    made: dict[tuple[object, ...], _T] = {}
    signature = inspect.signature(method)

    @functools.wraps(method)
    def once(*positional: _P.args, **named: _P.kwargs) -> _T:
        arguments = signature.bind(*positional, **named).args  # normalised, however they are passed
        if arguments not in made:
            made[arguments] = method(*positional, **named)
        return made[arguments]

    return once


class FtraceArch(ABC):
    """An architecture's support for ftrace.

    To trace calls: cpu, cycle_clock, profiler, nop, call(), and the module of callbacks in emu.ftrace.native.arch.
    To trace events: key_nop, jump(), and the callback of trace_event_buffer_commit.
    To trace returns: return_offset, graph_path, and the callbacks of the labels by which calls return.
    To patch under running CPUs: protocols, breakpoint.
    To probe: Probing, and the callbacks for it.
    For direct calls of modules: direct_calls, and callbacks that obey CALLS_FIRST of `event_context`.
    To replace functions: keystone_mode(), targets_by_name, detour(), taken_over(), hinders_replacing().
    """

    cpu: ClassVar[CpuArch]
    cycle_clock: ClassVar[str]  # the trace clock that counts CPU cycles, by its name in trace_clock
    profiler: ClassVar[str]  # the function called by compiled sites
    nop: ClassVar[bytes]
    key_nop: ClassVar[bytes]  # a static key's branch while the key is off
    graph_path: ClassVar[GraphPath]
    return_offset: ClassVar[int]  # bytes from a saved return address to the instruction at which the caller continues
    protocols: ClassVar[Sequence[str]]  # the suitable protocols of emu.ftrace.sites.patching, the default first
    breakpoint: ClassVar[Breakpoint | None]
    direct_calls: ClassVar[bool]  # whether sites can call addresses given by modules
    targets_by_name: ClassVar[bool]  # whether keystone needs the targets of calls by name; otherwise, by number

    @abstractmethod
    def call(self, address: int, target: int) -> bytes:
        """The instruction that calls `target` from `address`.

        Raises:
            OutOfReach: `target` is farther than the instruction's range.
        """

    @abstractmethod
    def jump(self, address: int, target: int) -> bytes:
        """The jump from `address` to `target`, for a static key's branch while the key is on.

        Raises:
            OutOfReach: `target` is farther than the instruction's range.
        """

    def probing(self) -> Probing:
        """What can be probed: from the architecture's module in emu.ftrace.arch that ends with `_probing`."""
        probing: Probing = importlib.import_module(f"emu.ftrace.arch.{self.cpu.name}_probing").PROBING
        return probing

    @abstractmethod
    def keystone_mode(self) -> tuple[int, int]:
        """keystone's constants for it: architecture and mode."""

    # A function is replaced at its site: the tracer does not return there, but continues elsewhere, as if that had been called.

    @abstractmethod
    def detour(self, address: int, target: int) -> bytes:
        """The code at `address` that jumps to a function, `target`, with the arguments of the replaced function.

        Raises:
            OutOfReach: `target` is farther than an instruction's range.
        """

    @property
    @abstractmethod
    def taken_over(self) -> bytes:
        """The beginning of a function's new code, which gives it access to the replaced function's arguments."""

    @abstractmethod
    def hinders_replacing(self, code: bytes, site: int) -> str | None:
        """Why a function cannot be replaced at its site, as the end of a sentence; None if it can.

        Args:
            code: the function as it was compiled.
            site: the offset of its call site, which is a nop.
        """

    @abstractmethod
    def keeps_arguments(self, code: bytes, site: int) -> bool:
        """Whether a function's arguments are unchanged when its site calls. Parameters: see `hinders_replacing`."""

    # The native code, compiled when it is first used, for the layout of the guest's structures.

    @_once
    def callbacks(self, guest: Guest, general: bool) -> Callbacks:
        """The native functions of labels in the kernel's .ftrace.text."""
        made: Callbacks = self._native().build(guest, self.cpu.native().irqs_off, general)
        return made

    @_once
    def task_callbacks(self, guest: Guest) -> TaskCallbacks:
        """The native functions for changes of tasks."""
        from emu.ftrace.native import task_callbacks

        return task_callbacks.build(guest, self._native().arguments)

    @_once
    def event_callbacks(self, guest: Guest) -> EventCallbacks:
        """The native functions for the guest's events."""
        from emu.ftrace.native import event_callbacks

        return event_callbacks.build(guest, self._native().arguments, self.cpu.native().irqs_off)

    @_once
    def stack_callbacks(self, guest: Guest) -> StackCallbacks:
        """The native functions for stack traces."""
        from emu.ftrace.native import stack_callbacks

        about = context.build(guest)
        unwind, unwind_user = (self._native(part).build(guest, about) for part in ("_unwind", "_user"))
        return stack_callbacks.build(guest, about, self.cpu.native().irqs_off, unwind, unwind_user)

    @_once
    def section_callbacks(self, guest: Guest) -> SectionCallbacks:
        """The native functions for the tracers of critical sections."""
        from emu.ftrace.native import sections

        about = context.build(guest)
        unwind, arch = self._native("_unwind").build(guest, about), self._native()
        return sections.build(guest, about, self.cpu.native().irqs_off, unwind, arch.callers, arch.called_from)

    @_once
    def stack_tracer(self, guest: Guest) -> Compiled[[Cpu, StackTracer], None]:
        """The native function that checks the depth of a stack."""
        from emu.ftrace.native import stack_tracer

        about = context.build(guest)
        native = self._native("_unwind")
        unwind = native.build(guest, about, with_places=True)
        return stack_tracer.build(guest, about, native.stack_pointer, unwind)

    @_once
    def wakeup_handlers(self, guest: Guest) -> WakeupHandlers:
        """The native functions that follow wakeups."""
        from emu.ftrace.native import wakeup

        about = context.build(guest)
        return wakeup.build(guest, about, self._native("_unwind").build(guest, about))

    @_once
    def rethook_callbacks(self, guest: Guest) -> RethookCallbacks:
        """The native functions for return probes."""
        made: RethookCallbacks = self._native("_rethook").build(guest)
        return made

    @_once
    def probe_callbacks(self, guest: Guest) -> ProbeCallbacks:
        """The native functions for kprobes."""
        made: ProbeCallbacks = self._native("_probe").build(guest)
        return made

    @_once
    def uprobe_callbacks(self, guest: Guest) -> UprobeCallbacks:
        """The native functions for uprobes."""
        made: UprobeCallbacks = self._native("_uprobe").build(guest)
        return made

    @_once
    def string_test(self, guest: Guest) -> StringTest:
        """The native function that tests strings for filters."""
        from emu.ftrace.native import filter_program

        return filter_program.build(guest, context.build(guest), self._user_address(guest))

    @_once
    def probe_handlers(self, guest: Guest) -> ProbeHandlers:
        """The native functions that make the events of probes."""
        from emu.ftrace.native import probe_event

        return probe_event.build(guest, context.build(guest), self._user_address(guest))

    @_once
    def hist_handlers(self, guest: Guest) -> HistHandlers:
        """The native functions for histograms."""
        from emu.ftrace.native import hist

        return hist.build(guest)

    @_once
    def put_made_event(self, guest: Guest) -> Compiled[[Cpu, Stages], None]:
        """The native function that passes events made by native code to the arrays."""
        from emu.ftrace.native import made_event

        return made_event.build(guest, self.cpu.native().irqs_off)

    @_once
    def snapshot_handlers(self, guest: Guest) -> SnapshotHandlers:
        """The native functions that take snapshots while the guest runs."""
        from emu.ftrace.native import tracing_snapshot

        return tracing_snapshot.build(guest, context.build(guest))

    def _native(self, part: str = "") -> ModuleType:
        """A module of emu.ftrace.native.arch."""
        return importlib.import_module(f"emu.ftrace.native.arch.{self.cpu.name}{part}")

    def _user_address(self, guest: Guest) -> UserAddress:
        """See `user_memory.build`."""
        from emu.ftrace.native import user_memory

        return user_memory.build(guest, context.build(guest), self._native("_user").PAGE_TABLES)


def load(name: str) -> FtraceArch:
    """The architecture's support for ftrace, by a name that `emu.cpu.arch.load` knows."""
    arch: FtraceArch = importlib.import_module(f"emu.ftrace.arch.{name}").ARCH
    return arch
